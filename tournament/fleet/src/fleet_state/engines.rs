//! Engine binaries that all workers must have: those of the first played games. A worker's binaries are bound only
//! once it has played.

use smalt_match::game::{BinaryReport, MachineReport};

/// Engines by entrant, once games were played with them.
#[derive(Debug)]
pub(super) struct Engines {
    names: Vec<String>,
    allows_mixed: bool,
    /// First machine that played with each engine, and the binary.
    known: Vec<Option<(String, BinaryReport)>>,
}

impl Engines {
    /// The engines bound in earlier sessions.
    pub(super) fn of(names: Vec<String>, allows_mixed: bool, machines: &[MachineReport]) -> Engines {
        let known = names.iter().map(|_| None).collect();
        let mut engines = Engines { names, allows_mixed, known };
        machines.iter().for_each(|machine| engines.bind(machine));
        engines
    }

    /// Name of an entrant, if it exists.
    pub(super) fn name(&self, entrant: usize) -> Option<&str> {
        self.names.get(entrant).map(String::as_str)
    }

    /// Binds the engines of a machine that played.
    pub(super) fn bind(&mut self, machine: &MachineReport) {
        for (known, engine) in self.known.iter_mut().zip(&machine.engines) {
            known.get_or_insert_with(|| (machine.name.clone(), engine.clone()));
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
            let Some((machine, known)) = known else { continue };
            if engine.name != known.name {
                return Err(format!(
                    "its {name} reports the name {:?}, and that of {machine} {:?}; use the same engine on both",
                    engine.name, known.name
                ));
            }
            if !self.allows_mixed && engine.sha256 != known.sha256 {
                return Err(format!(
                    "its {name} is another file (SHA-256 {}…) than that of {machine} ({}…); use the same file on both, or \
                     permit it by --allow-mixed",
                    engine.sha256.get(..12).unwrap_or_default(),
                    known.sha256.get(..12).unwrap_or_default()
                ));
            }
        }
        Ok(())
    }
}
