//! Configuration shared by all slots of a run: engines, rules and limits of a plan on this machine.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use regex::Regex;
use smalt_driver::process::Reaper;

use super::binaries::Binaries;
use crate::game::{GameObserver, TablebaseAdjudicator};
use crate::opening::EngineBook;
use crate::plan::{AdjudicationRules, BadOptions, Entrant, Plan, PvRecord, TimeFlow, Timeouts, Variant};

/// Configuration shared by all slots of a run.
#[derive(Debug)]
pub struct SlotConfig {
    pub entrants: Vec<Entrant>,
    pub variant: Variant,
    /// The entrants' own books; empty if none has one.
    pub books: Vec<Option<EngineBook>>,
    /// Whether games share openings.
    pub shares_openings: bool,
    /// Normal clock or hourglass.
    pub flow: TimeFlow,
    /// Which principal variations are stored.
    pub pv: PvRecord,
    /// Whether the PVs of mate scores are checked.
    pub check_mate_pvs: bool,
    /// Patterns of engine lines for the PGN.
    pub match_lines: Vec<Regex>,
    pub adjudication: AdjudicationRules,
    /// Endgame tables for adjudication.
    pub tablebases: Option<TablebaseAdjudicator>,
    /// Timeouts other than those of moves.
    pub timeouts: Timeouts,
    /// Policy for missing options.
    pub bad_options: BadOptions,
    pub wait: Duration,
    /// Path of this program, which contains the built-in engine.
    pub own_program: PathBuf,
    /// Observers of the games, one per slot, or none.
    pub observers: Vec<Arc<dyn GameObserver>>,
    /// Folder of full transcripts, if any.
    pub log: Option<PathBuf>,
    /// Process that ends the engines if this program is killed.
    pub reaper: Option<Reaper>,
    /// Expected engine programs; `None` if they may change.
    pub binaries: Option<Binaries>,
}

impl SlotConfig {
    /// Configuration of a plan, with time controls scaled to this machine's speed in nodes per second.
    pub fn of(
        plan: &Plan,
        measured: Option<NonZeroU64>,
        tablebases: Option<TablebaseAdjudicator>,
        own_program: &Path,
        reaper: Option<Reaper>,
    ) -> SlotConfig {
        let scaled = |entrant: &Entrant| Entrant { clock: entrant.clock.scaled(measured), ..entrant.clone() };
        SlotConfig {
            entrants: plan.entrants.iter().map(scaled).collect(),
            variant: plan.settings.run.variant,
            books: Vec::new(),
            shares_openings: plan.settings.openings.games_of_one() > 1,
            flow: plan.flow(),
            pv: plan.settings.output.writing().pv_record(),
            check_mate_pvs: plan.settings.run.check_mate_pvs,
            match_lines: plan
                .settings
                .output
                .pgn_match_lines
                .iter()
                .map(|pattern| pattern.0.clone())
                .collect(),
            adjudication: plan.settings.adjudication.rules(),
            tablebases,
            timeouts: plan.settings.timeouts,
            bad_options: plan.settings.run.bad_options,
            wait: Duration::from_millis(plan.settings.run.wait),
            own_program: own_program.to_owned(),
            observers: Vec::new(),
            log: plan.settings.output.log.clone(),
            reaper,
            binaries: None,
        }
    }
}
