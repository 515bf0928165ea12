//! Input files, and output files of results.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};

use super::exit::{OrRefuse, Refusal};
use crate::record::{Record, from_json};
use smalt_workbench::input::{MAX_INPUT, read_all};
use smalt_workbench::output_file::{Existing, Output};
pub(super) use smalt_workbench::standard_output::{
    TextSink, is_standard_output, print, print_info, print_with,
};

/// Assigns output files to forms by the endings of their names.
///
/// # Errors
/// If an ending is that of no form, or a form has two files.
pub(super) fn assign_by_ending(
    files: &mut Vec<PathBuf>,
    forms: &mut [(&str, &mut Option<PathBuf>)],
) -> Result<(), Refusal> {
    for file in files.drain(..) {
        let ending = file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let shown = file.display();
        match forms.iter_mut().find(|(form, _)| *form == ending) {
            Some((_, Some(other))) => {
                return Err(anyhow!("--output {shown}: {} has this form, too", other.display())).or_usage();
            }
            Some((_, form)) => **form = Some(file),
            None => {
                let endings: Vec<String> = forms.iter().map(|(form, _)| format!(".{form}")).collect();
                return Err(anyhow!(
                    "--output {shown}: expected a name with the ending {}",
                    endings.join(" or ")
                ))
                .or_usage();
            }
        }
    }
    Ok(())
}

/// Files of results, with their state at the start of the run.
#[derive(Default)]
pub(super) struct OutputFiles(Vec<(PathBuf, Output)>);

impl OutputFiles {
    /// Checks before a run that all files can be written; leaves their content as it is. Existing files are refused without force.
    pub(super) fn check(files: &[&Path], force: bool) -> Result<OutputFiles, Refusal> {
        let mut checked = OutputFiles::default();
        files.iter().try_for_each(|path| checked.add(path, Existing::with_force(force)))?;
        Ok(checked)
    }

    /// Checks another file.
    pub(super) fn add(&mut self, path: &Path, existing: Existing) -> Result<(), Refusal> {
        if !is_standard_output(path) {
            self.0.push((path.to_owned(), Output::check(path, existing).or_usage()?));
        }
        Ok(())
    }

    /// Writes a text to standard output, or to a file that was checked, as often as needed. A file that another
    /// program changes during the run is kept, and the text goes into a new file beside it.
    pub(super) fn write(&mut self, path: &Path, text: &str) -> Result<(), Refusal> {
        // Only standard output is not in the list.
        let Some((_, output)) = self.0.iter_mut().find(|(checked, _)| checked == path) else {
            return print(text);
        };
        if let Some(beside) = output.rewrite(text.as_bytes()).or_failed()? {
            print_info(&format!(
                "Warning: {} changed during the run and is kept; the results are now in {}",
                path.display(),
                beside.display()
            ));
        }
        Ok(())
    }

    /// Fails if a file was kept.
    pub(super) fn check_unchanged(&self) -> Result<(), Refusal> {
        match self.0.iter().find(|(path, output)| path != output.path()) {
            None => Ok(()),
            Some((path, output)) => Err(anyhow!(
                "{}: it changed during the run and was not replaced; the new content is in {}",
                path.display(),
                output.path().display()
            ))
            .or_failed(),
        }
    }
}

/// Reads a file named by the user.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    File::open(path)
        .and_then(|file| read_all(file, MAX_INPUT))
        .with_context(|| format!("failed to read {}", path.display()))
        .or_usage()
}

/// Reads results in JSON.
pub(super) fn read_records(path: &Path) -> Result<Vec<Record>, Refusal> {
    let text = read(path)?;
    from_json(&String::from_utf8_lossy(&text), &path.display().to_string()).or_usage()
}
