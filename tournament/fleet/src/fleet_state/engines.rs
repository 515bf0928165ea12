//! Engine binaries that all workers must have: those that the run sends, else those of the first played games. A
//! worker's binaries are bound only once it has played.

use crate::wire::{FileMessage, FilePurpose};
use smalt_match::game::{BinaryReport, MachineReport};

/// Engines by entrant, once games were played with them.
#[derive(Debug)]
pub(super) struct Engines {
    names: Vec<String>,
    allows_mixed: bool,
    known: Vec<BoundEngine>,
}

/// The binary of an entrant.
#[derive(Clone, Debug, Default)]
struct BoundEngine {
    /// Reported name, and the first machine that played with it.
    name: Option<(String, String)>,
    /// SHA-256, and the first machine that played with it; `None` if the run sends it.
    sha256: Option<(String, Option<String>)>,
}

impl Engines {
    /// The engines bound in earlier sessions, and the programs that the run sends.
    pub(super) fn of(
        names: Vec<String>,
        allows_mixed: bool,
        machines: &[MachineReport],
        sent: &[FileMessage],
    ) -> Engines {
        let known = vec![BoundEngine::default(); names.len()];
        let mut engines = Engines { names, allows_mixed, known };
        machines.iter().for_each(|machine| engines.bind(machine));
        for file in sent {
            let FilePurpose::Program { entrant, .. } = file.purpose else { continue };
            if let Some(known) = engines.known.get_mut(entrant as usize) {
                known.sha256.get_or_insert_with(|| (file.sha256.clone(), None));
            }
        }
        engines
    }

    /// Name of an entrant, if it exists.
    pub(super) fn name(&self, entrant: usize) -> Option<&str> {
        self.names.get(entrant).map(String::as_str)
    }

    /// Binds the engines of a machine that played.
    pub(super) fn bind(&mut self, machine: &MachineReport) {
        for (known, engine) in self.known.iter_mut().zip(&machine.engines) {
            known.name.get_or_insert_with(|| (engine.name.clone(), machine.name.clone()));
            known.sha256.get_or_insert_with(|| (engine.sha256.clone(), Some(machine.name.clone())));
        }
    }

    /// Checks that these are the bound engines.
    ///
    /// # Errors
    /// Description of the first engine that differs.
    pub(super) fn check(&self, engines: &[BinaryReport]) -> Result<(), String> {
        if engines.len() != self.names.len() {
            return Err("it lacks the engine of an entrant".to_owned());
        }
        for ((engine, name), known) in engines.iter().zip(&self.names).zip(&self.known) {
            if let Some((bound, machine)) = known.name.as_ref().filter(|(bound, _)| engine.name != *bound) {
                return Err(format!(
                    "its {name} reports the name {:?}, and that of {machine} {bound:?}; use the same engine on both",
                    engine.name
                ));
            }
            let Some((bound, machine)) = known.sha256.as_ref().filter(|(bound, _)| engine.sha256 != *bound)
            else {
                continue;
            };
            if !self.allows_mixed {
                let other = machine.as_ref().map_or_else(
                    || "the one that the run sends".to_owned(),
                    |machine| format!("that of {machine}"),
                );
                let played = machine.as_ref().map_or_else(String::new, |machine| {
                    format!(
                        " ({machine} played first: if its file is the wrong one, start a new run without it)"
                    )
                });
                return Err(format!(
                    "its {name} is another file (SHA-256 {}…) than {other} ({}…); use the same file on both, or permit it by \
                     --allow-mixed{played}",
                    engine.sha256.get(..12).unwrap_or_default(),
                    bound.get(..12).unwrap_or_default()
                ));
            }
        }
        Ok(())
    }
}
