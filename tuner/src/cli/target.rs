//! Destinations of tuned weights: the engine's parameter file, marked source code, or an exported file.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use smalt::evaluation::Parameters;
use smalt::evaluation::parameters::EVALUATION_TOML;
use smalt_workbench::output_file::{self, Existing, write_beside};

use super::arguments::TexelFlags;
use super::{OrRefuse, Outputs, PARAMETERS, Refusal, read_text};
use crate::texel::Tuned;
use crate::weights::document::{Origin, rewritten};
use crate::weights::export::{Language, exported};
use crate::weights::rounded;
use crate::weights::schema::Schema;
use crate::weights::source::{Comments, rewrite_source};

/// Whose evaluation is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    Own,
    /// Another engine's, through traces.
    Traced,
}

/// Destination of tuned numbers.
pub(super) enum Target {
    None,
    /// A parameter file of Smalt, in the layout of an existing one.
    Parameters {
        path: PathBuf,
        layout: Layout,
    },
    /// Marked sources, each with its text and output file.
    Sources(Vec<MarkedSource>),
    Export {
        path: PathBuf,
        language: Language,
    },
}

/// The parameter file whose layout is kept.
pub(super) struct Layout {
    /// `None` for the embedded file.
    path: Option<PathBuf>,
    /// Its text before the fit.
    text: String,
}

/// A source with marked numbers.
pub(super) struct MarkedSource {
    path: PathBuf,
    /// Its text before the fit.
    text: String,
    comments: Comments,
    output: PathBuf,
}

/// A new text and the numbers it replaces.
pub(super) struct Replacement<N> {
    pub(super) text: String,
    pub(super) replaced: N,
}

impl Target {
    /// Target of the flags; reads the files before the fit begins.
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
                let text =
                    flags.parameters.as_deref().map_or_else(|| Ok(EVALUATION_TOML.to_owned()), read_text)?;
                let layout = Layout { path: flags.parameters.clone(), text };
                Ok(Target::Parameters { path: output.clone(), layout })
            }
            (_, language) => Ok(Target::Export { path: output.clone(), language }),
        }
    }

    /// `--write` without a file: Smalt's parameter file.
    fn in_place(flags: &TexelFlags, evaluation: Evaluation) -> Result<Target, Refusal> {
        if evaluation == Evaluation::Traced {
            return Err(anyhow!("--write: name the source with the numbers, as in --write=src/eval.h"))
                .or_usage();
        }
        let path = flags.parameters.clone().unwrap_or_else(|| PARAMETERS.into());
        let text = read_text(&path).map_err(|Refusal { exit, error }| Refusal {
            exit,
            error: error
                .context("--write: run in the root folder of the project, or give --parameters or --output"),
        })?;
        Ok(Target::Parameters { layout: Layout { path: Some(path.clone()), text }, path })
    }

    pub(super) fn paths(&self) -> Vec<&Path> {
        match self {
            Target::None => Vec::new(),
            Target::Parameters { path, .. } | Target::Export { path, .. } => vec![path],
            Target::Sources(sources) => sources.iter().map(|source| source.output.as_path()).collect(),
        }
    }

    /// Refuses marked sources that do not match the parameters, before the fit begins. Returns the parameters missing
    /// from them.
    pub(super) fn unwritten(&self, schema: &Schema, start: &[f64]) -> Result<Vec<String>, Refusal> {
        let Target::Sources(sources) = self else { return Ok(Vec::new()) };
        let mut written = Vec::new();
        for source in sources {
            written.extend(source.rewritten(&source.text, schema, start, "")?.written);
        }
        let is_missing = |&parameter: &usize| schema.is_used(parameter) && !written.contains(&parameter);
        Ok((0..schema.parameter_count())
            .filter(is_missing)
            .map(|index| schema.parameter_name(index))
            .collect())
    }

    /// Writes the numbers; each file is replaced atomically. Edits made during the fit are kept.
    pub(super) fn write(
        &self,
        schema: &Schema,
        tuned: &Tuned,
        origin: &Origin,
        outputs: &Outputs,
    ) -> Result<(), Refusal> {
        match self {
            Target::None => Ok(()),
            Target::Parameters { path, layout } => {
                let numbers = rounded(&tuned.parameters);
                let rewrite = |text: &str| {
                    let replaced = Parameters::parse_toml(text).or_failed()?;
                    let text = rewritten(text, &numbers, origin).or_failed()?;
                    Ok(Replacement { text, replaced })
                };
                put_into(layout.path.as_deref(), path, &layout.text, outputs, rewrite)
            }
            Target::Export { path, language } => {
                outputs.write(path, &exported(*language, schema, &tuned.parameters, origin))
            }
            Target::Sources(sources) => {
                let summary = &tuned.summary;
                let note = format!(
                    "{} by smalt-tuner {}: {} positions, error {:.6} -> {:.6}",
                    smalt_workbench::calendar::UtcTime::of(std::time::SystemTime::now()).pgn_date(),
                    smalt_about::VERSION,
                    summary.positions,
                    summary.initial_error,
                    summary.final_error,
                );
                let put = |source: &MarkedSource| {
                    let rewrite = |text: &str| {
                        let new = source.rewritten(text, schema, &tuned.parameters, &note)?;
                        Ok(Replacement { text: new.text, replaced: new.replaced })
                    };
                    put_into(Some(&source.path), &source.output, &source.text, outputs, rewrite)
                };
                // An unwritable source does not stop the others.
                let results: Vec<_> = sources.iter().map(put).collect();
                results.into_iter().collect()
            }
        }
    }
}

impl MarkedSource {
    fn read(source: &Path, output: &Path) -> Result<MarkedSource, Refusal> {
        Ok(MarkedSource {
            path: source.to_owned(),
            text: read_text(source)?,
            comments: Comments::of_path(source),
            output: output.to_owned(),
        })
    }

    fn rewritten(
        &self,
        text: &str,
        schema: &Schema,
        parameters: &[f64],
        note: &str,
    ) -> Result<crate::weights::source::Rewritten, Refusal> {
        rewrite_source(text, self.comments, schema, parameters, note)
            .with_context(|| self.output.display().to_string())
            .or_usage()
    }
}

/// Writes the new numbers into the current text of a file. If a file to be replaced in place is missing, has other
/// numbers than before the run or no longer matches the parameters, it is left unchanged, and the new version of the
/// earlier text goes into a new file beside it.
pub(super) fn put_into<N: PartialEq>(
    source: Option<&Path>,
    output: &Path,
    before: &str,
    outputs: &Outputs,
    rewrite: impl Fn(&str) -> Result<Replacement<N>, Refusal>,
) -> Result<(), Refusal> {
    let old = rewrite(before)?;
    let Some(source) = source else { return outputs.write(output, &old.text) };
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_replaced = place(source) == place(output);
    let reason = match read_text(source).and_then(|text| rewrite(&text)) {
        Ok(now) if !is_replaced => return outputs.write(output, &now.text),
        Err(_) if !is_replaced => return outputs.write(output, &old.text),
        Ok(now) if now.replaced == old.replaced => {
            return output_file::write(output, now.text.as_bytes(), Existing::Replace).or_failed();
        }
        Ok(_) => "its numbers changed during the run".to_owned(),
        Err(Refusal { error, .. }) => format!("it changed during the run ({error:#})"),
    };
    let kept = write_beside(output, ".tuned", old.text.as_bytes()).or_failed()?;
    let (shown, kept) = (source.display(), kept.display());
    Err(anyhow!("{shown}: {reason}, and it was not replaced; the tuned one is {kept}")).or_failed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_edited_during_the_fit_stays() {
        let folder = tempfile::tempdir().unwrap();
        let [source, other, kept] = ["a.c", "b.c", "a.c.tuned"].map(|name| folder.path().join(name));
        // The number of a line `x=…` becomes 9.
        let rewrite = |text: &str| {
            let line = text.lines().find(|line| line.starts_with("x=")).context("no number").or_usage()?;
            Ok(Replacement { text: text.replace(line, "x=9"), replaced: line.to_owned() })
        };
        let check = |now: Option<&str>, output: &Path, expected: Option<&str>, words: &str| {
            let _ = [&source, &other, &kept].map(std::fs::remove_file);
            if let Some(now) = now {
                std::fs::write(&source, now).unwrap();
            }
            let outputs = Outputs::check([Some(&other)], [], false).unwrap();
            let result = put_into(Some(&source), output, "x=1\n", &outputs, rewrite);
            let error = result.map_or_else(|refusal| format!("{:#}", refusal.error), |()| String::new());
            assert!(error.contains(words) && error.is_empty() == words.is_empty(), "{error}");
            let read = |path: &Path| std::fs::read_to_string(path).ok();
            assert_eq!(read(output).as_deref(), expected);
            assert_eq!(read(&kept).as_deref(), (!words.is_empty()).then_some("x=9\n"));
        };
        check(Some("x=1\n"), &source, Some("x=9\n"), "");
        check(Some("x=1\nmine\n"), &source, Some("x=9\nmine\n"), "");
        check(Some("x=2\n"), &source, Some("x=2\n"), "its numbers changed during the run");
        check(Some("mine\n"), &source, Some("mine\n"), "it changed during the run (no number)");
        check(None, &source, None, "it was not replaced");
        check(Some("x=2\nmine\n"), &other, Some("x=9\nmine\n"), "");
        check(None, &other, Some("x=9\n"), "");

        // An earlier tuned one is not replaced either.
        std::fs::write(&source, "x=2\n").unwrap();
        for text in ["x=1\n", "x=1\nlater\n"] {
            put_into(Some(&source), &source, text, &Outputs::default(), rewrite).unwrap_err();
        }
        let later = folder.path().join("a.c.tuned-2");
        assert_eq!(
            [&kept, &later].map(|path| std::fs::read_to_string(path).unwrap()),
            ["x=9\n", "x=9\nlater\n"]
        );
    }
}
