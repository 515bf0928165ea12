//! Concurrency within the limits of the system on open files and processes.

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use smalt_driver::process::{MostGames, most_games};

/// Number of cores that this program may use.
pub fn cores() -> usize {
    available_parallelism().map_or(1, NonZeroUsize::get)
}

/// All cores but one, which is left to this program.
pub fn spare_cores() -> usize {
    cores().saturating_sub(1).max(1)
}

/// What runs concurrently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Concurrent {
    /// Games of two engines, each with this many threads.
    Games { threads: usize },
    /// Engines that search alone, each with one thread.
    Engines,
}

/// A limit that does not even allow one game.
#[derive(Debug, thiserror::Error)]
#[error("the limit of {0} is too low for a single game; raise it")]
pub struct LimitError(&'static str);

/// Reduces a concurrency to what the limits of the system allow; `warn` receives a warning then.
///
/// # Errors
/// If not even one game can be played.
pub fn within_limits(
    wanted: usize,
    what: Concurrent,
    warn: &mut dyn FnMut(&str),
) -> Result<usize, LimitError> {
    let found = match what {
        Concurrent::Games { threads } => most_games(threads),
        // A game has two engines, and the reserve is enough for one.
        Concurrent::Engines => most_games(1).map(|most| MostGames { games: (2 * most.games).max(1), ..most }),
    };
    let Some(MostGames { games: most, limit }) = found.filter(|most| most.games < wanted) else {
        return Ok(wanted);
    };
    if most == 0 {
        return Err(LimitError(limit));
    }
    warn(&format!(
        "Warning: concurrency {most} instead of {wanted}: the limit of {limit} allows no more; raise it for more"
    ));
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_concurrency_within_the_limits_is_unchanged() {
        let mut warnings = Vec::new();
        let one = within_limits(1, Concurrent::Engines, &mut |words| warnings.push(words.to_owned()));
        assert_eq!((one.unwrap(), warnings.len()), (1, 0));
    }
}
