//! A chess engine: UCI and xboard, with a hand-crafted, tunable evaluation. Modules in reading order:
//!
//! - [`evaluation`]: the static evaluation, a sum of terms with weights from `params/evaluation.toml`;
//! - [`search`]: alpha-beta with iterative deepening and Lazy SMP, with the transposition table and the time management;
//! - `memory`: cache prefetch;
//! - `node_clock`: the clock that counts nodes (`nodestime`);
//! - [`tablebases`]: Syzygy probes, and the ranking of root moves;
//! - [`strength`]: limited strength (`UCI_Elo`);
//! - [`engine`]: set the position, go, new game, options, without a protocol;
//! - [`serve`]: UCI and xboard over it;
//! - [`bench`](mod@bench): the benchmark, whose node count is the signature of the search;
//! - [`openings`]: random openings for data generation (`genfens`).

pub mod bench;
pub mod engine;
pub mod evaluation;
mod memory;
mod node_clock;
pub mod openings;
pub mod search;
pub mod serve;
pub mod strength;
pub mod tablebases;
