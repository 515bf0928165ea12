//! Where tuned numbers go: the engine's own parameter file, the author's source, or a file in some language.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::arguments::{PARAMETERS, TexelFlags};
use super::{OrRefuse, Refusal};
use crate::texel::Tuned;
use crate::weights::document::{Origin, replace, rewritten as rewritten_document};
use crate::weights::export::{Language, exported};
use crate::weights::rounded;
use crate::weights::schema::Schema;
use crate::weights::source::{Comments, rewritten as rewritten_source};

/// The engine's own file, for its comments and layout where no other is at hand.
pub(super) const SHIPPED: &str = include_str!("../../../engine/params/evaluation.toml");

/// Whose numbers they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    /// Smalt's.
    Own,
    /// That of another engine, by its traces.
    Traced,
}

/// Where tuned numbers go.
pub(super) enum Target {
    /// Nowhere.
    None,
    /// A parameter file of Smalt, in the layout of `text`.
    Parameters { path: PathBuf, text: String },
    /// Marked sources, each with its text and the file to write.
    Sources(Vec<MarkedSource>),
    /// A new file.
    Export { path: PathBuf, language: Language },
}

/// A source with marked numbers.
pub(super) struct MarkedSource {
    text: String,
    comments: Comments,
    output: PathBuf,
}

impl Target {
    /// What the flags say; files are read before the fit begins.
    pub(super) fn of(flags: &TexelFlags, evaluation: Evaluation) -> Result<Target, Refusal> {
        let sources: Vec<&String> = flags.write.iter().filter(|path| !path.is_empty()).collect();
        if !sources.is_empty() {
            let marked = |path: &&String| MarkedSource::read(Path::new(path), Path::new(path));
            return Ok(Target::Sources(sources.iter().map(marked).collect::<Result<_, _>>()?));
        }
        if !flags.write.is_empty() {
            return Target::in_place(flags, evaluation);
        }
        let Some(output) = &flags.output else { return Ok(Target::None) };
        if let Some(source) = &flags.source {
            return Ok(Target::Sources(vec![MarkedSource::read(source, output)?]));
        }
        let language = flags.format.or_else(|| Language::of_path(output));
        match (evaluation, language.unwrap_or(Language::Toml)) {
            (Evaluation::Own, Language::Toml) => {
                let text = match &flags.params {
                    Some(old) => read(old)?,
                    None => SHIPPED.to_owned(),
                };
                Ok(Target::Parameters { path: output.clone(), text })
            }
            (_, language) => Ok(Target::Export { path: output.clone(), language }),
        }
    }

    /// `--write` without a name: the parameter file of Smalt.
    fn in_place(flags: &TexelFlags, evaluation: Evaluation) -> Result<Target, Refusal> {
        if evaluation == Evaluation::Traced {
            return Err(anyhow!("--write: say which source has the numbers, as in --write=src/eval.h"))
                .or_usage();
        }
        let path = flags.params.clone().unwrap_or_else(|| PARAMETERS.into());
        let text = read(&path).map_err(|Refusal { exit, error }| Refusal {
            exit,
            error: error.context("--write: run from the top of the project, or give --params or --output"),
        })?;
        Ok(Target::Parameters { path, text })
    }

    /// The files that will be written.
    pub(super) fn paths(&self) -> Vec<&Path> {
        match self {
            Target::None => Vec::new(),
            Target::Parameters { path, .. } | Target::Export { path, .. } => vec![path],
            Target::Sources(sources) => sources.iter().map(|source| source.output.as_path()).collect(),
        }
    }

    /// Refuses marked sources that do not match the parameters, before the fit begins. Gives the parameters that they have not.
    pub(super) fn unwritten(&self, schema: &Schema, start: &[f64]) -> Result<Vec<String>, Refusal> {
        let Target::Sources(sources) = self else { return Ok(Vec::new()) };
        let mut written = Vec::new();
        for source in sources {
            written.extend(source.rewritten(schema, start, "")?.written);
        }
        let is_missing = |&parameter: &usize| schema.is_used(parameter) && !written.contains(&parameter);
        Ok((0..schema.parameter_count())
            .filter(is_missing)
            .map(|index| schema.parameter_name(index))
            .collect())
    }

    /// Writes the numbers; each file is replaced at once.
    pub(super) fn write(&self, schema: &Schema, tuned: &Tuned, origin: &Origin) -> Result<(), Refusal> {
        let put = |path: &Path, text: &str| {
            replace(path, text).with_context(|| path.display().to_string()).or_failed()
        };
        match self {
            Target::None => Ok(()),
            Target::Parameters { path, text } => {
                let text = rewritten_document(text, &rounded(&tuned.parameters), origin).or_failed()?;
                put(path, &text)
            }
            Target::Export { path, language } => {
                put(path, &exported(*language, schema, &tuned.parameters, origin))
            }
            Target::Sources(sources) => {
                let summary = &tuned.summary;
                let note = format!(
                    "{} by smalt-tuner {}: {} positions, error {:.6} -> {:.6}",
                    smalt_workbench::calendar::UtcTime::of(std::time::SystemTime::now()).pgn_date(),
                    env!("CARGO_PKG_VERSION"),
                    summary.positions,
                    summary.initial_error,
                    summary.final_error,
                );
                let text = |source: &MarkedSource| source.rewritten(schema, &tuned.parameters, &note);
                let texts = sources.iter().map(text).collect::<Result<Vec<_>, _>>()?;
                sources.iter().zip(texts).try_for_each(|(source, new)| put(&source.output, &new.text))
            }
        }
    }
}

impl MarkedSource {
    fn read(source: &Path, output: &Path) -> Result<MarkedSource, Refusal> {
        Ok(MarkedSource {
            text: read(source)?,
            comments: Comments::of_path(source),
            output: output.to_owned(),
        })
    }

    fn rewritten(
        &self,
        schema: &Schema,
        parameters: &[f64],
        note: &str,
    ) -> Result<crate::weights::source::Rewritten, Refusal> {
        rewritten_source(&self.text, self.comments, schema, parameters, note)
            .with_context(|| self.output.display().to_string())
            .or_usage()
    }
}

fn read(path: &Path) -> Result<String, Refusal> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string()).or_usage()
}
