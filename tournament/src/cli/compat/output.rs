//! The lines of fastchess and cutechess-cli on standard output, as games start and finish. No line is empty before
//! the end of the last game, since OpenBench's client takes an empty line for the end.

mod c_chess_cli;
mod reports;
mod warnings;

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::time::Instant;

use smalt_report::sanitize::sanitize_lines;
use smalt_stats::GameResult;
use smalt_workbench::output_file::{Existing, Output};

use super::checksum::PgnChecksum;
use super::config::{ConfigFile, prior_score};
use super::dialect::Dialect;
use super::log::{Level, Log};
use super::output_options::{OutputOptions, Style};
use super::result_format::PlayerResults;
use super::sample::Sampler;
use super::statistics::Score;
use super::tables::{self, Matchup};
use crate::cli::output::print_info;
use smalt_match::game::GameRecord;
use smalt_match::plan::{OnFault, Order, Plan, Role};
use smalt_match::run::{RunEvent, RunObserver, StopReason};
use smalt_match::schedule::ScheduledGame;
use smalt_match::standings::Standings;

/// Prints the lines of a run.
pub(in crate::cli) struct CompatOutput {
    shown: OutputOptions,
    names: Vec<String>,
    time_controls: Vec<String>,
    /// Whether each engine is a gauntlet challenger.
    seeds: Vec<bool>,
    matchup: Option<Matchup>,
    /// Scores of pairings, from the view of the engine listed first.
    scores: BTreeMap<(usize, usize), Score>,
    config: Option<(ConfigFile, Output)>,
    half_pairs: HashMap<u32, GameResult>,
    /// Games before this run.
    prior_games: u64,
    /// Whether openings are in random order.
    shuffles: bool,
    players: Vec<PlayerResults>,
    finished: u64,
    /// Whether a game finished since the last report.
    is_due: bool,
    /// Whether a crash or stall stops the run.
    stops_on_crash: bool,
    checksum: Option<PgnChecksum>,
    log: Option<Log>,
    sampler: Option<Sampler>,
    /// Games in progress by slot.
    slots: Vec<Option<u32>>,
    games_of_pairing: u32,
    started: Instant,
}

const RULE: &str = "--------------------------------------------------\n";

impl CompatOutput {
    pub(in crate::cli) fn new(plan: &Plan, shown: OutputOptions) -> CompatOutput {
        let names: Vec<String> = plan.entrants.iter().map(|entrant| entrant.name.clone()).collect();
        let log = shown.log.as_ref().and_then(|log| {
            let failed = |error| print_info(&format!("Warning: write {}: {error}", log.path.display()));
            Log::open(log).map_err(failed).ok()
        });
        let sampler = shown.sample.as_ref().and_then(|sample| {
            let failed = |error| print_info(&format!("Warning: write the samples: {error}"));
            Sampler::open(sample, plan.settings.run.seed).map_err(failed).ok()
        });
        let checksum = shown.pgn.as_ref().filter(|_| shown.checksum).map(|path| PgnChecksum::new(path));
        CompatOutput {
            matchup: Matchup::new(plan, shown.book.as_deref()),
            time_controls: plan.entrants.iter().map(tables::time_control).collect(),
            players: vec![PlayerResults::default(); names.len()],
            names,
            seeds: plan.entrants.iter().map(|entrant| entrant.role == Role::Challenger).collect(),
            scores: plan.settings.prior.iter().map(|prior| ((0, 1), prior_score(prior))).collect(),
            config: shown.config.as_ref().and_then(|path| {
                let failed = |error| print_info(&format!("Warning: {error}"));
                let output = Output::check(path, Existing::Replace).map_err(failed).ok()?;
                Some((ConfigFile::of(plan, &shown), output))
            }),
            shuffles: shown.book.is_some() && plan.settings.openings.order == Order::Random,
            prior_games: plan.settings.prior.map_or(0, |prior| prior.games().games()),
            half_pairs: HashMap::new(),
            finished: 0,
            is_due: false,
            stops_on_crash: plan.settings.run.on_fault != OnFault::Recover,
            checksum,
            log,
            sampler,
            slots: Vec::new(),
            games_of_pairing: plan.games(),
            started: Instant::now(),
            shown,
        }
    }

    /// Prints complete lines. The games continue if standard output is closed.
    fn print(&mut self, text: &str) {
        self.print_output(text);
        self.note(Level::Info, text);
    }

    fn print_output(&mut self, text: &str) {
        let mut output = io::stdout().lock();
        let _ = output.write_all(sanitize_lines(text).as_bytes()).and_then(|()| output.flush());
    }

    /// Writes complete lines to the log only.
    fn note(&mut self, level: Level, text: &str) {
        if let Some(log) = &mut self.log {
            log.write(level, text);
        }
    }

    /// Writes a warning to standard error and to the log.
    fn warn(&mut self, level: Level, words: &str) {
        print_info(words);
        self.note(level, &format!("{words}\n"));
    }

    fn is_duel(&self) -> bool {
        self.names.len() == 2
    }

    fn start(&mut self, game: &ScheduledGame, standings: &Standings) {
        let slot = self.take_slot(game);
        let text = format!(
            "{}Started game {} of {} ({} vs {})\n",
            self.slot_prefix(slot),
            u64::from(game.number) + 1 + self.prior_games,
            u64::from(standings.games_planned()) + self.prior_games,
            self.names[game.white],
            self.names[game.black],
        );
        self.print(&text);
    }

    fn finish(&mut self, record: &GameRecord, standings: &Standings) {
        let [white, black] = [record.game.white, record.game.black].map(|player| self.names[player].clone());
        let number = u64::from(record.game.number) + 1 + self.prior_games;
        let (outcome, sentence) = (record.outcome, self.reason(record));
        self.print_checksum();
        if self.shown.dialect == Dialect::Fastchess {
            self.fault_warning(record);
            self.announce_stop(record, number);
        }
        let slot = self.leave_slot(&record.game);
        let prefix = self.slot_prefix(slot);
        self.print(&format!(
            "{prefix}Finished game {number} ({white} vs {black}): {outcome} {{{sentence}}}\n"
        ));
        if record.termination.is_fault() {
            self.note(Level::Warn, &format!("Warning: game {number} ({white} vs {black}): {sentence}\n"));
        }
        self.finished += 1;
        self.is_due = true;
        let closes_pair = self.count(record, &sentence);
        if self.shown.dialect == Dialect::CChessCli {
            self.write_samples(record);
            return self.c_chess_cli_scores(record, standings);
        }
        self.print_score(&record.game, standings);
        let interval = self.shown.rating_interval;
        let is_time = if self.shown.by_pairs && self.shown.style == Style::Fastchess {
            // fastchess uses the number of the pair.
            let pair = u64::from(record.game.pair) + 1 + self.prior_games / 2;
            closes_pair && pair.is_multiple_of(interval)
        } else {
            (self.finished + self.prior_games).is_multiple_of(interval)
        };
        if interval > 0 && is_time {
            self.report(standings);
        }
        let interval = self.shown.autosave_interval;
        if interval > 0 && self.finished.is_multiple_of(interval) {
            self.save_config(true);
        }
        let interval = self.shown.outcome_interval;
        if interval > 0 && self.finished.is_multiple_of(interval) {
            self.print_outcomes();
        }
    }

    /// `[1] ` if lines name the slot of their game.
    fn slot_prefix(&self, slot: usize) -> String {
        if self.shown.dialect == Dialect::CChessCli { format!("[{slot}] ") } else { String::new() }
    }

    /// Counts a game; returns whether it completed a pair.
    fn count(&mut self, record: &GameRecord, sentence: &str) -> bool {
        let white = record.white_outcome();
        let [with_white, with_black] = [record.game.white, record.game.black];
        self.players[with_white].add(0, white, record.termination, sentence);
        self.players[with_black].add(1, white.mirrored(), record.termination, sentence);
        let pairing = (with_white.min(with_black), with_white.max(with_black));
        let outcome = if with_white == pairing.0 { white } else { white.mirrored() };
        let score = self.scores.entry(pairing).or_default();
        if !self.shown.by_pairs {
            score.games.record(outcome);
        }
        let Some(other) = self.half_pairs.remove(&record.game.pair) else {
            self.half_pairs.insert(record.game.pair, outcome);
            return false;
        };
        if self.shown.by_pairs {
            score.games.record(other);
            score.games.record(outcome);
        }
        score.pairs.record(other, outcome);
        match (other, outcome) {
            (GameResult::Draw, GameResult::Draw) => score.drawn += 1,
            (GameResult::Win, GameResult::Loss) | (GameResult::Loss, GameResult::Win) => score.split += 1,
            _ => {}
        }
        true
    }

    fn print_checksum(&mut self) {
        let Some(checksum) = &mut self.checksum else { return };
        let updated =
            checksum.update().map_err(|error| format!("read {}: {error}", checksum.path().display()));
        match updated {
            Ok(Some(line)) => self.print(&line),
            Ok(None) => {}
            Err(words) => self.warn(Level::Err, &format!("Warning: {words}")),
        }
    }

    fn print_outcomes(&mut self) {
        let lists = self.players.iter().zip(&self.names).map(|(player, name)| player.outcomes(name));
        self.print(&lists.collect::<String>());
    }

    fn report(&mut self, standings: &Standings) {
        self.is_due = false;
        let text = match (self.shown.style, self.is_duel()) {
            (Style::Fastchess, true) => self.fastchess_report(standings),
            (Style::Fastchess, false) => {
                format!("{RULE}{}{RULE}", tables::ranking(standings, self.shown.by_pairs, true))
            }
            (Style::Cutechess, true) => self.cutechess_report(standings),
            (Style::Cutechess, false) => match self.shown.dialect {
                Dialect::Fastchess => tables::ranking(standings, false, false),
                Dialect::Cutechess | Dialect::CChessCli => self.cutechess_ranking(standings),
            },
        };
        self.print(&text);
    }

    /// Counts a game finished before the run was resumed.
    pub(in crate::cli) fn count_earlier(&mut self, record: &GameRecord) {
        self.count(record, &record.sentence());
        self.finished += 1;
    }

    /// Writes the configuration with the results so far.
    fn save_config(&mut self, keeps_store: bool) {
        let Some((config, output)) = &mut self.config else { return };
        let kept = output.path().to_owned();
        let written = config.to_json(&self.scores, keeps_store);
        match written.and_then(|text| Ok(output.rewrite(text.as_bytes())?)) {
            Ok(None) => {}
            Ok(Some(beside)) => {
                config.set_name(&beside);
                let words = format!(
                    "{} changed during the run and is kept; the configuration is now in {}",
                    kept.display(),
                    beside.display()
                );
                self.warn(Level::Warn, &format!("Warning: {words}"));
                // Again, under its new name.
                self.save_config(keeps_store);
            }
            Err(error) => self.warn(Level::Err, &format!("Warning: {error:#}")),
        }
    }

    fn end(&mut self, standings: &Standings) {
        let is_open = standings
            .test()
            .map_or(standings.games_missing() > 0, |test| test.is_open() && standings.games_missing() > 0);
        self.save_config(is_open || self.shown.keeps_store);
        self.print_checksum();
        if self.is_due && self.shown.dialect != Dialect::CChessCli {
            self.report(standings);
        }
        if self.shown.latency {
            self.print(&tables::latencies(standings));
        }
        match self.shown.dialect {
            Dialect::Fastchess => {
                if self.shown.style == Style::Fastchess {
                    self.print(&tables::fault_counts(standings));
                }
                if let Some((_, output)) = self.config.as_ref().filter(|_| is_open) {
                    self.print(&format!(
                        "Tournament was interrupted. To resume the tournament, run: {} -config file={}\n",
                        own_command(),
                        output.path().display()
                    ));
                }
                let seconds = self.started.elapsed().as_secs();
                let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
                self.print(&format!(
                    "Finished match\nTotal Time: {hours:02}:{minutes:02}:{seconds:02} (hours:minutes:seconds)\n\n"
                ));
            }
            Dialect::Cutechess => {
                if self.shown.outcome_interval == 0
                    || !self.finished.is_multiple_of(self.shown.outcome_interval)
                {
                    self.print_outcomes();
                }
                self.print("Finished match\n");
            }
            Dialect::CChessCli => {}
        }
    }
}

impl RunObserver for CompatOutput {
    fn on_event(&mut self, event: &RunEvent<'_>, standings: &Standings) {
        match event {
            RunEvent::Begun => {
                let indexing = if self.shuffles { "Indexing opening suite...\n" } else { "" };
                self.print(&format!("{}{indexing}{}", self.shown.notes, self.shown.late_notes));
            }
            RunEvent::EngineStarted { entrant, options } => {
                if let Some(matchup) = &mut self.matchup {
                    matchup.take_defaults(*entrant, options);
                }
            }
            RunEvent::GameStarted(game) => self.start(game, standings),
            RunEvent::GameFinished(record) => self.finish(record, standings),
            RunEvent::Stopping(StopReason::Decided) => self.print_decision(standings),
            // Scripts that read both outputs would count a game's message twice, so standard error has none.
            RunEvent::Stopping(StopReason::Failed(words)) => {
                self.warn(Level::Fatal, &format!("Stopping: failed to {words}"));
            }
            RunEvent::Stopping(StopReason::Fault(words)) => {
                self.note(Level::Fatal, &format!("Stopping after a fault: {words}\n"));
            }
            RunEvent::EngineFault(fault) => {
                let words = format!("{} {}\n", self.names[fault.entrant], fault.words);
                self.note(Level::Err, &words);
            }
            RunEvent::EngineWarning { entrant, words } => {
                self.warn(Level::Warn, &format!("Warning: {} {words}", self.names[*entrant]));
            }
            RunEvent::OptionRejected { entrant, rejected } => {
                let (name, option) = (&self.names[*entrant], &rejected.name);
                self.print_warning(&match &rejected.value {
                    None => format!("{name} doesn't have option {option}"),
                    Some(value) => format!("Invalid value for option {option}; {value}"),
                });
            }
            RunEvent::SearchWarning { entrant, game, warning } => {
                self.search_warning(*entrant, game, warning)
            }
            RunEvent::Notice(words) => self.note(Level::Warn, &format!("{words}\n")),
            RunEvent::Disqualified { entrant, .. } => {
                let lot = if standings.schedule().goes_by_results() { "lost" } else { "skipped" };
                let words = format!("{} plays no more; its games are {lot}", self.names[*entrant]);
                self.warn(Level::Err, &words);
            }
            RunEvent::Ended => self.end(standings),
            _ => {}
        }
    }
}

/// Command by which this program was called as fastchess.
fn own_command() -> String {
    let mut words = std::env::args();
    let program = words.next().unwrap_or_default();
    match words.next() {
        Some(command) if command == "fastchess" => format!("{program} {command}"),
        _ => program,
    }
}
