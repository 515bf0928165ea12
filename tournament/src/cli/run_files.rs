//! The files of a run: outputs are no stores, differ from each other and are no inputs.

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use smalt_workbench::engine_files::input_files;
use smalt_workbench::json::Versioned;
use smalt_workbench::output_file::{self, Existing, OverlapError, is_same_file};

use super::exit::{OrRefuse, Refusal};
use super::output::{check_data_target, is_standard_output, refuse_foreign_file, refuse_store_path};
use smalt_match::named_file::is_special;
use smalt_match::plan::Plan;
use smalt_match::run::engine_command;
use smalt_match::setup::Prepared;
use smalt_match::standings::Standings;
use smalt_match::standings::json::ResultsJson;
use smalt_workbench::program::own_program;

/// An output file, with the flag or setting that names it.
pub(super) type NamedOutput<'a> = (&'static str, &'a Path);

/// The setting of an engine whose file takes its standard error. Engines may share it.
const STDERR: &str = "stderr=";

/// Checks that output files, and `others`, can be written, before the run starts. Creates the folder of transcripts.
pub(super) fn check_outputs(plan: &Plan, others: &[NamedOutput<'_>]) -> Result<(), Refusal> {
    let output = &plan.settings.output;
    let data = &plan.settings.data.file;
    check_apart(plan, others, &[])?;
    for path in [&output.json, &output.events, &output.epd, data].into_iter().flatten() {
        check_writable(path)?;
    }
    if let Some(data) = data {
        check_data_target(data)?;
    }
    if let Some(json) = &output.json {
        let nothing = Standings::new(&Prepared::without_openings(plan.clone()));
        refuse_foreign_file(json, &Versioned::of(ResultsJson::of(&nothing)))?;
    }
    if let Some(folder) = output.log.as_ref().filter(|folder| !is_standard_output(folder)) {
        std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display())).or_usage()?;
    }
    Ok(())
}

/// Checks that a result file can be written.
fn check_writable(path: &Path) -> Result<(), Refusal> {
    // Opening and closing a pipe here would end its reader.
    if is_standard_output(path) || is_special(path) {
        return Ok(());
    }
    match OpenOptions::new().append(true).open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            output_file::check(path, Existing::Keep).or_usage()
        }
        opened => opened.map(drop).with_context(|| format!("write {}", path.display())).or_usage(),
    }
}

/// Checks that no output file of the run, or of `others`, is a store, another output, or an input. `inputs` are read besides
/// those of the plan.
pub(super) fn check_apart(plan: &Plan, others: &[NamedOutput<'_>], inputs: &[&Path]) -> Result<(), Refusal> {
    let output = &plan.settings.output;
    let named = [
        ("--pgn", &output.pgn),
        ("--json", &output.json),
        ("--events", &output.events),
        ("--epd", &output.epd),
    ];
    let named = named.into_iter().chain([("--data", &plan.settings.data.file)]);
    let errors = plan.entrants.iter().map(|entrant| (STDERR, &entrant.engine.stderr));
    let named = named.chain(errors).filter_map(|(flag, path)| Some((flag, path.as_deref()?)));
    // The store is new, or the one of this run.
    let store = output.store.as_deref().map(|store| ("--store", store));
    let mut files: Vec<NamedOutput<'_>> = store.into_iter().collect();
    for (flag, path) in named.chain(others.iter().copied()) {
        // Paths of games may be absolute by now. Standard output has the table and the progress.
        if path.file_name().is_some_and(|name| name == "-") && matches!(flag, "--pgn" | "--epd") {
            return Err(anyhow!("{flag} -: games do not go to standard output: name a file or a pipe"))
                .or_usage();
        }
        if is_standard_output(path) {
            continue;
        }
        let is_taken = |(other, file): &&NamedOutput<'_>| {
            is_same_file(path, file) && !(*other == STDERR && flag == STDERR)
        };
        if let Some((other, _)) = files.iter().find(is_taken) {
            return Err(anyhow!("{other} and {flag} are the same file, {}", path.display())).or_usage();
        }
        refuse_store_path(path)?;
        files.push((flag, path));
    }
    let own_inputs = inputs_of(plan)?;
    let inputs: Vec<&Path> = own_inputs.iter().map(PathBuf::as_path).chain(inputs.iter().copied()).collect();
    let is_input = |file: &Path| inputs.iter().any(|input| is_same_file(file, input));
    match files.iter().find(|(_, file)| is_input(file)) {
        Some((_, file)) => Err(OverlapError::Input(file.to_path_buf())).or_usage(),
        None => Ok(()),
    }
}

/// The files that a run reads: openings, engines, keys of the server, token of the page.
fn inputs_of(plan: &Plan) -> Result<Vec<PathBuf>, Refusal> {
    let settings = &plan.settings;
    let openings = Some(&settings.openings).filter(|openings| !openings.is_embedded());
    let fleet = &settings.fleet;
    let keys = [&fleet.password_file, &fleet.creds, &fleet.nkey, &fleet.ca, &fleet.cert, &fleet.key];
    let others = keys.into_iter().chain([&settings.output.token_file]).flatten();
    let mut inputs: Vec<PathBuf> =
        openings.map(|openings| &openings.file).into_iter().chain(others).cloned().collect();
    let own_program = own_program()?;
    for entrant in &plan.entrants {
        // Engines of other machines need not exist here.
        let program = engine_command(entrant, &own_program).locate().ok();
        inputs.extend(input_files(&entrant.engine, program));
    }
    Ok(inputs)
}
