//! Which engines workers must have: those of a machine that has played; until one has, those of the first that joined and
//! is still there. What a machine says of itself binds nobody once it is gone, or struck off.

use crate::game::{BinaryReport, MachineReport};
use crate::plan::Binaries;

/// See the module.
#[derive(Debug)]
pub(super) struct Engines {
    /// Of the entrants.
    names: Vec<String>,
    binaries: Binaries,
    known: Vec<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    machine: String,
    engine: BinaryReport,
    is_proved: bool,
}

impl Engines {
    /// Those of machines that played in earlier sessions.
    pub(super) fn of(names: Vec<String>, binaries: Binaries, machines: &[MachineReport]) -> Engines {
        let known = names.iter().map(|_| None).collect();
        let mut engines = Engines { names, binaries, known };
        machines.iter().for_each(|machine| engines.vouch(machine, true));
        engines
    }

    /// The entrant's name, if there is such an entrant.
    pub(super) fn name(&self, entrant: usize) -> Option<&str> {
        self.names.get(entrant).map(String::as_str)
    }

    /// This machine is there with its engines, and has played with them or not.
    pub(super) fn vouch(&mut self, machine: &MachineReport, is_proved: bool) {
        for (slot, engine) in self.known.iter_mut().zip(&machine.engines) {
            let is_better = slot.as_ref().is_none_or(|known| is_proved && !known.is_proved);
            if is_better {
                *slot = Some(Known { machine: machine.name.clone(), engine: engine.clone(), is_proved });
            }
        }
    }

    /// This machine is gone: what it has not played with binds nobody. Whether that changes anything.
    pub(super) fn doubt(&mut self, machine: &str) -> bool {
        self.drop_if(|known| known.machine == machine && !known.is_proved)
    }

    /// This machine lies: nothing that it said binds anybody. Whether that changes anything.
    pub(super) fn forget(&mut self, machine: &str) -> bool {
        self.drop_if(|known| known.machine == machine)
    }

    fn drop_if(&mut self, is_dropped: impl Fn(&Known) -> bool) -> bool {
        self.known.iter_mut().filter_map(|slot| slot.take_if(|known| is_dropped(known))).count() > 0
    }

    /// Whether these are the engines that others have, too; else what is not so.
    pub(super) fn check(&self, engines: &[BinaryReport]) -> Result<(), String> {
        if engines.len() != self.names.len() {
            return Err("it does not tell of every entrant".to_owned());
        }
        for ((engine, name), known) in engines.iter().zip(&self.names).zip(&self.known) {
            let Some(Known { machine, engine: known, .. }) = known else { continue };
            if engine.name != known.name {
                return Err(format!(
                    "its {name} calls itself {:?}, and that of {machine} {:?}; give both the same engine",
                    engine.name, known.name
                ));
            }
            if self.binaries == Binaries::Same && engine.sha256 != known.sha256 {
                return Err(format!(
                    "its {name} is another file (SHA-256 {}…) than that of {machine} ({}…); give both the same, or \
                     permit it by --allow-mixed",
                    engine.sha256.get(..12).unwrap_or_default(),
                    known.sha256.get(..12).unwrap_or_default()
                ));
            }
        }
        Ok(())
    }
}
