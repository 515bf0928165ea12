//! CPU affinity of slots. Two runs of one user never bind games to the same processor: each run locks a file per
//! processor, which the system unlocks when the run ends.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use smalt_driver::process::own_processors;

use crate::plan::Affinity;
use smalt_workbench::file_lock;

/// Number of samples of [`busy_threads`], and the time between them.
const LOAD_SAMPLES: usize = 5;
const SAMPLE_INTERVAL: Duration = Duration::from_millis(5);

/// The processors of each slot, with their lock files.
#[derive(Debug, Default)]
pub struct Processors {
    sets: Vec<Vec<usize>>,
    _locks: Vec<File>,
}

/// Why games cannot be bound.
#[derive(Debug, thiserror::Error)]
pub enum AffinityError {
    /// The usable processors are unknown.
    #[error("list the usable processors: {0}")]
    System(#[from] io::Error),
    /// A processor outside this process's affinity mask.
    #[error("bind games to processor {processor}: only {allowed:?} may be used; change affinity")]
    NotOurs {
        /// The first such processor.
        processor: usize,
        allowed: Vec<usize>,
    },
    #[error(
        "bind {slots} game(s) of {width} processor(s) each to {processors}: lower concurrency, or say affinity = \"auto\""
    )]
    TooFew {
        slots: usize,
        /// Number of busy threads of a game.
        width: usize,
        processors: usize,
    },
    /// Processors taken by another run.
    #[error("bind games to processors: another run has bound its games to them; say affinity = \"auto\"")]
    Taken,
}

impl Processors {
    pub(crate) fn free() -> Processors {
        Processors::default()
    }

    /// Assigns processors to `slots` games with `width` busy threads each.
    ///
    /// # Errors
    /// If the plan requires the impossible; [`Affinity::Auto`] never fails.
    pub fn assign(affinity: &Affinity, slots: usize, width: usize) -> Result<Processors, AffinityError> {
        let demanded = !matches!(affinity, Affinity::Auto);
        let allowed = match own_processors() {
            _ if *affinity == Affinity::Off => return Ok(Processors::free()),
            Err(_) if !demanded => return Ok(Processors::free()),
            allowed => allowed?,
        };
        let candidates = match affinity {
            Affinity::These(named) => {
                if let Some(&processor) = named.iter().find(|processor| !allowed.contains(processor)) {
                    return Err(AffinityError::NotOurs { processor, allowed });
                }
                named.clone()
            }
            _ => cores_first(&allowed, siblings_of),
        };
        // A bound game cannot move off a processor that other programs use.
        if !demanded && busy_threads() + slots.min(candidates.len()) > candidates.len() {
            return Ok(Processors::free());
        }
        let Some(sets) = share(&candidates, slots, width) else {
            let processors = candidates.len();
            return if demanded {
                Err(AffinityError::TooFew { slots, width, processors })
            } else {
                Ok(Processors::free())
            };
        };
        let used =
            candidates.iter().copied().filter(|processor| sets.iter().any(|set| set.contains(processor)));
        match used.map(|processor| lock(&std::env::temp_dir(), processor)).collect::<Option<Vec<File>>>() {
            Some(locks) => Ok(Processors { sets, _locks: locks }),
            None if demanded => Err(AffinityError::Taken),
            None => Ok(Processors::free()),
        }
    }

    /// The processors of one slot; `None` if not bound.
    pub(super) fn of_slot(&self, slot: usize) -> Option<&[usize]> {
        self.sets.get(slot).map(Vec::as_slice)
    }
}

/// Number of other running threads in the system: the minimum of several samples, to ignore short activity. Zero if
/// unknown (proc(5), fourth field of `loadavg`).
fn busy_threads() -> usize {
    let look = || {
        let load = fs::read_to_string("/proc/loadavg").ok()?;
        let (running, _) = load.split_ascii_whitespace().nth(3)?.split_once('/')?;
        running.parse::<usize>().ok()?.checked_sub(1)
    };
    let looks = (0..LOAD_SAMPLES).map_while(|_| {
        thread::sleep(SAMPLE_INTERVAL);
        look()
    });
    looks.min().unwrap_or(0)
}

/// A separate set for each slot; with more games than processors, equally many games on each. `None` if the load
/// would be uneven.
fn share(processors: &[usize], slots: usize, width: usize) -> Option<Vec<Vec<usize>>> {
    let count = processors.len();
    if width > 0 && slots * width <= count {
        return Some(processors.chunks(width).take(slots).map(<[usize]>::to_vec).collect());
    }
    // With many games per processor, one more or less matters little.
    const MANY: usize = 8;
    let even = count > 0 && (slots.is_multiple_of(count) || slots >= MANY * count);
    (width == 1 && even).then(|| (0..slots).map(|slot| vec![processors[slot % count]]).collect())
}

/// Processors in order, one logical processor of each core first: two games on one core are slower than on two.
fn cores_first(allowed: &[usize], siblings: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut ranked: Vec<(usize, usize)> = Vec::new();
    for &processor in allowed {
        let rank = siblings(processor)
            .iter()
            .filter(|sibling| **sibling < processor && allowed.contains(sibling))
            .count();
        ranked.push((rank, processor));
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, processor)| processor).collect()
}

/// Logical processors of the same core (Linux); elsewhere only the processor itself.
fn siblings_of(processor: usize) -> Vec<usize> {
    let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    match text.trim().parse() {
        Ok(Affinity::These(siblings)) => siblings,
        _ => vec![processor],
    }
}

/// Locks a processor; `None` if another run has it or the file cannot be created. The file is readable, and so
/// lockable, by everyone.
fn lock(folder: &Path, processor: usize) -> Option<File> {
    let path = folder.join(format!("smalt-processor-{processor}.lock"));
    let file = File::open(&path).or_else(|_| File::create(&path)).ok()?;
    file_lock::try_lock(&file).ok()?;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_gets_its_own_processors_or_all_share_alike() {
        let check = |slots, width, expected: Option<&[&[usize]]>| {
            let expected = expected.map(|sets| sets.iter().map(|set| set.to_vec()).collect());
            assert_eq!(share(&[0, 1, 4, 5], slots, width), expected, "{slots} games of {width}");
        };
        check(2, 1, Some(&[&[0], &[1]]));
        check(2, 2, Some(&[&[0, 1], &[4, 5]]));
        check(3, 2, None);
        check(5, 1, None);
        check(8, 1, Some(&[&[0], &[1], &[4], &[5], &[0], &[1], &[4], &[5]]));
        assert!(share(&[0, 1], 17, 1).is_some() && share(&[0, 1], 15, 1).is_none());
        assert!(share(&[], 1, 1).is_none());
    }

    #[test]
    fn the_second_thread_of_a_core_comes_last() {
        let siblings = |processor: usize| vec![processor % 2, processor % 2 + 2];
        assert_eq!(cores_first(&[0, 1, 2, 3], siblings), [0, 1, 2, 3]);
        assert_eq!(cores_first(&[0, 2, 3], siblings), [0, 3, 2]);
        let pairs = |processor: usize| vec![processor & !1, processor | 1];
        assert_eq!(cores_first(&[0, 1, 2, 3], pairs), [0, 2, 1, 3]);
    }

    #[test]
    fn a_processor_is_locked_once() {
        let folder = tempfile::tempdir().unwrap();
        let first = lock(folder.path(), 3);
        assert!(first.is_some() && lock(folder.path(), 3).is_none() && lock(folder.path(), 4).is_some());
        drop(first);
        assert!(lock(folder.path(), 3).is_some());
    }

    #[test]
    fn what_cannot_be_is_refused_only_when_it_was_demanded() {
        let far = Affinity::These(vec![60_000]);
        assert!(matches!(
            Processors::assign(&far, 1, 1),
            Err(AffinityError::NotOurs { processor: 60_000, .. })
        ));
        assert!(matches!(Processors::assign(&Affinity::On, 1, 100_000), Err(AffinityError::TooFew { .. })));
        let free = Processors::assign(&Affinity::Auto, 1, 100_000).unwrap();
        assert_eq!(free.of_slot(0), None);
    }
}
