//! fastchess's `config.json`: settings and results of a run, read as a command line and written as games finish, so
//! that either program can continue the other's run. Without the run's store, settings that the format lacks
//! ([`NOT_IN_CONFIG`]) are lost.

mod arguments;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use smalt_protocol::TimeControl;
use smalt_stats::{Pentanomial, Wdl};
use smalt_workbench::entrant::join_words;
use smalt_workbench::input::{read_text, without_bom};

use super::output_options::{OutputOptions, Style};
use super::statistics::Score;
use smalt_driver::Restart;
use smalt_match::plan::{
    Affinity, BookFormat, Entrant, Figure, Format, Notation, OnFault, Order, PgnForm, Plan, PriorResults,
    Role, START_POSITION, Sides, Variant,
};

/// fastchess's value for "never".
const NEVER: u64 = i32::MAX as u64;

/// Keys by which a configuration of any version is recognized.
const CONFIG_KEYS: [&str; 8] = ["engines", "stats", "opening", "pgn", "epd", "sprt", "games", "rounds"];

/// Settings that the format lacks and only the store has.
pub(super) const NOT_IN_CONFIG: &str = "proto, stderr, ponder, whitepov, book, initstr, trust, tscale, debug, later periods of tc, knockout and pyramid, processors, timeouts, -strict and -tbadjudicate";

/// The file. Missing keys are zero, false or empty; fastchess itself refuses a file with a missing key.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct ConfigFile {
    resign: Resign,
    draw: Draw,
    maxmoves: MaxMoves,
    tb_adjudication: Tablebases,
    opening: Opening,
    pgn: Pgn,
    epd: Epd,
    sprt: Sprt,
    config_name: String,
    output: u8,
    seed: u64,
    variant: u8,
    r#type: u8,
    gauntlet_seeds: u64,
    ratinginterval: u64,
    scoreinterval: u64,
    wait: u64,
    autosaveinterval: u64,
    games: u64,
    rounds: u64,
    concurrency: i64,
    force_concurrency: bool,
    recover: bool,
    noswap: bool,
    reverse: bool,
    report_penta: bool,
    affinity: bool,
    check_mate_pvs: bool,
    show_latency: bool,
    log: Log,
    engines: Vec<ConfigEngine>,
    stats: BTreeMap<String, Stats>,
    /// Smalt's store of the run; fastchess ignores this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    smalt_store: Option<PathBuf>,
    /// Whether the store is kept after the last game.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    smalt_keeps_store: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Resign {
    move_count: u32,
    score: u32,
    twosided: bool,
    enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Draw {
    move_number: u32,
    move_count: u32,
    score: u32,
    enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct MaxMoves {
    move_count: u32,
    enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Tablebases {
    syzygy_dirs: String,
    max_pieces: u32,
    ignore_50_move_rule: bool,
    enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Opening {
    file: String,
    format: u8,
    order: u8,
    plies: i64,
    start: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Pgn {
    additional_lines_rgx: Vec<String>,
    event_name: String,
    site: String,
    file: String,
    notation: u8,
    append_file: bool,
    track_nodes: bool,
    track_seldepth: bool,
    track_nps: bool,
    track_hashfull: bool,
    track_tbhits: bool,
    track_timeleft: bool,
    track_latency: bool,
    track_pv: bool,
    min: bool,
    crc: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Epd {
    file: String,
    append_file: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Sprt {
    alpha: f64,
    beta: f64,
    elo0: f64,
    elo1: f64,
    model: String,
    enabled: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Log {
    file: String,
    level: u8,
    append_file: bool,
    compress: bool,
    realtime: bool,
    engine_coms: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct ConfigEngine {
    name: String,
    dir: String,
    cmd: String,
    args: String,
    restart: bool,
    options: Vec<(String, String)>,
    limit: Limit,
    variant: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Limit {
    tc: Times,
    nodes: u64,
    plies: u64,
}

/// Times in milliseconds; 0 means none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
struct Times {
    increment: u64,
    fixed_time: u64,
    time: u64,
    moves: u64,
    timemargin: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
#[expect(non_snake_case, reason = "the keys of fastchess")]
struct Stats {
    wins: u64,
    losses: u64,
    draws: u64,
    penta_WW: u64,
    penta_WD: u64,
    penta_WL: u64,
    penta_DD: u64,
    penta_LD: u64,
    penta_LL: u64,
}

impl Stats {
    fn of(score: &Score) -> Stats {
        let Pentanomial([lost_both, lost, _, won, won_both]) = score.pairs;
        Stats {
            wins: score.games.wins,
            losses: score.games.losses,
            draws: score.games.draws,
            penta_WW: won_both,
            penta_WD: won,
            penta_WL: score.split,
            penta_DD: score.drawn,
            penta_LD: lost,
            penta_LL: lost_both,
        }
    }

    /// From the first engine's view.
    fn to_prior(self) -> PriorResults {
        PriorResults {
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            pairs: [
                self.penta_LL,
                self.penta_LD,
                self.penta_WL + self.penta_DD,
                self.penta_WD,
                self.penta_WW,
            ],
            drawn_pairs: self.penta_DD,
        }
    }

    fn mirrored(self) -> Stats {
        Stats {
            wins: self.losses,
            losses: self.wins,
            penta_WW: self.penta_LL,
            penta_WD: self.penta_LD,
            penta_LD: self.penta_WD,
            penta_LL: self.penta_WW,
            ..self
        }
    }

    fn plus(self, other: Stats) -> Stats {
        Stats {
            wins: self.wins + other.wins,
            losses: self.losses + other.losses,
            draws: self.draws + other.draws,
            penta_WW: self.penta_WW + other.penta_WW,
            penta_WD: self.penta_WD + other.penta_WD,
            penta_WL: self.penta_WL + other.penta_WL,
            penta_DD: self.penta_DD + other.penta_DD,
            penta_LD: self.penta_LD + other.penta_LD,
            penta_LL: self.penta_LL + other.penta_LL,
        }
    }
}

/// The score at the start of a continued run.
pub(super) fn prior_score(prior: &PriorResults) -> Score {
    Score {
        games: Wdl::new(prior.wins, prior.draws, prior.losses),
        pairs: prior.pairs(),
        split: prior.pairs[2].saturating_sub(prior.drawn_pairs),
        drawn: prior.drawn_pairs,
    }
}

impl ConfigFile {
    /// Reads and parses a file.
    pub(super) fn read(path: &Path) -> anyhow::Result<ConfigFile> {
        let text = read_text(path).with_context(|| format!("read {}", path.display()))?;
        let file: ConfigFile = serde_json::from_str(without_bom(&text))
            .with_context(|| format!("read {}: no configuration of fastchess", path.display()))?;
        if file.engines.len() < 2 {
            bail!("read {}: no configuration of fastchess: it has no two engines", path.display());
        }
        Ok(file)
    }

    /// The configuration of a run, without results.
    pub(super) fn of(plan: &Plan, shown: &OutputOptions) -> ConfigFile {
        let settings = &plan.settings;
        let (run, output, openings) = (&settings.run, &settings.output, &settings.openings);
        let text = |path: &Option<PathBuf>| {
            path.as_ref().map_or_else(String::new, |path| path.display().to_string())
        };
        let has = |figure: Figure| output.pgn_comments.contains(&figure);
        let played = settings.prior.map_or(0, |prior| prior.games().games());
        let games = u64::from(openings.games_of_one().min(2));
        let is_duel = plan.entrants.len() == 2;
        let rounds = if is_duel { u64::from(plan.games()) / games } else { u64::from(plan.rounds) };
        let rules = settings.adjudication.rules();
        let tables = &settings.adjudication.tablebases;
        let interval = |interval: u64| if interval == 0 { NEVER } else { interval };
        let log = shown.log.clone();
        ConfigFile {
            resign: rules.resign.map_or_else(Resign::default, |rule| Resign {
                move_count: rule.movecount,
                score: rule.score,
                twosided: rule.sides == Sides::Both,
                enabled: true,
            }),
            draw: rules.draw.map_or_else(Draw::default, |rule| Draw {
                move_number: rule.movenumber,
                move_count: rule.movecount,
                score: rule.score,
                enabled: true,
            }),
            maxmoves: MaxMoves {
                move_count: rules.max_moves.unwrap_or(1),
                enabled: rules.max_moves.is_some(),
            },
            tb_adjudication: Tablebases {
                syzygy_dirs: text(&tables.path),
                max_pieces: tables.pieces,
                ignore_50_move_rule: tables.fifty == smalt_match::plan::FiftyMoves::Ignored,
                enabled: tables.path.is_some(),
            },
            opening: Opening {
                file: if openings.file == Path::new(START_POSITION) {
                    String::new()
                } else {
                    openings.file.display().to_string()
                },
                format: match openings.format.or_else(|| BookFormat::of(&openings.file)) {
                    Some(BookFormat::Epd) => 0,
                    Some(BookFormat::Pgn) => 1,
                    _ => 2,
                },
                order: u8::from(openings.order == Order::Sequential),
                plies: openings.plies.map_or(-1, i64::from),
                start: (openings.start.get() as u64).saturating_sub(played / games).max(1),
            },
            pgn: Pgn {
                additional_lines_rgx: output
                    .pgn_match_lines
                    .iter()
                    .map(|line| line.0.as_str().to_owned())
                    .collect(),
                event_name: run.name.clone().unwrap_or_else(|| "Fastchess Tournament".to_owned()),
                site: run.site.clone().unwrap_or_else(|| "?".to_owned()),
                file: shown.pgn.as_ref().map_or_else(String::new, |path| path.display().to_string()),
                notation: match output.pgn_notation {
                    Notation::San => 0,
                    Notation::Lan => 1,
                    Notation::Uci => 2,
                },
                append_file: true,
                track_nodes: has(Figure::Nodes),
                track_seldepth: has(Figure::Seldepth),
                track_nps: has(Figure::Nps),
                track_hashfull: has(Figure::Hashfull),
                track_tbhits: has(Figure::Tbhits),
                track_timeleft: has(Figure::Timeleft),
                track_latency: has(Figure::Latency),
                track_pv: has(Figure::Pv),
                min: output.pgn_form == PgnForm::Minimal,
                crc: shown.checksum,
            },
            epd: Epd { file: text(&output.epd), append_file: true },
            sprt: settings.sprt.as_ref().map_or_else(
                || Sprt { model: "normalized".to_owned(), ..Sprt::default() },
                |test| Sprt {
                    alpha: test.alpha,
                    beta: test.beta,
                    elo0: test.elo0,
                    elo1: test.elo1,
                    model: test.model.to_string(),
                    enabled: true,
                },
            ),
            config_name: shown.config.as_ref().map_or_else(String::new, |path| path.display().to_string()),
            output: u8::from(shown.style == Style::Cutechess),
            seed: openings.srand.unwrap_or(run.seed),
            variant: u8::from(run.variant == Variant::Chess960),
            r#type: u8::from(plan.format() == Format::Gauntlet),
            gauntlet_seeds: plan
                .entrants
                .iter()
                .filter(|entrant| entrant.role == Role::Challenger)
                .count()
                .max(1) as u64,
            ratinginterval: interval(shown.rating_interval),
            scoreinterval: interval(shown.score_interval),
            wait: run.wait,
            autosaveinterval: shown.autosave_interval,
            games,
            rounds: rounds + played / games,
            concurrency: run.concurrency.map_or(1, |games| games.get() as i64),
            force_concurrency: true,
            recover: run.on_fault == OnFault::Recover,
            noswap: run.noswap,
            reverse: run.reverse,
            report_penta: shown.by_pairs,
            affinity: !matches!(run.affinity, Affinity::Auto | Affinity::Off),
            check_mate_pvs: run.check_mate_pvs,
            show_latency: shown.latency,
            log: Log {
                file: log.as_ref().map_or_else(String::new, |log| log.path.display().to_string()),
                level: log.as_ref().map_or(3, |log| log.level as u8 + 1),
                append_file: log.as_ref().is_none_or(|log| log.appends),
                compress: log.as_ref().is_some_and(|log| log.compresses),
                realtime: true,
                engine_coms: output.log.is_some(),
            },
            engines: plan.entrants.iter().map(|entrant| ConfigEngine::of(entrant, run.variant)).collect(),
            stats: BTreeMap::new(),
            smalt_store: output.store.clone(),
            smalt_keeps_store: shown.keeps_store,
        }
    }

    /// The text of the file with these results, of two engines each.
    pub(super) fn to_json(
        &self,
        scores: &BTreeMap<(usize, usize), Score>,
        keeps_store: bool,
    ) -> anyhow::Result<String> {
        let name = |engine: usize| self.engines.get(engine).map_or("", |engine| engine.name.as_str());
        let stats = scores.iter().map(|(&(first, second), score)| {
            (format!("{} vs {}", name(first), name(second)), Stats::of(score))
        });
        let smalt_store = self.smalt_store.clone().filter(|_| keeps_store);
        let file = ConfigFile { stats: stats.collect(), smalt_store, ..self.clone() };
        let text =
            serde_json::to_string_pretty(&file).with_context(|| format!("write {}", self.config_name))?;
        Ok(text + "\n")
    }

    /// Reason to keep an existing file. The default config.json is kept while it holds an unfinished match.
    pub(super) fn reason_to_keep(path: &Path, is_named: bool) -> Option<&'static str> {
        let is_unfinished = |file: ConfigFile| {
            let games = file.rounds.saturating_mul(file.games);
            // The file does not say whether a test is decided.
            file.smalt_store.is_none()
                && !file.sprt.enabled
                && file.prior().is_some()
                && file.played() < games
        };
        if !ConfigFile::may_replace(path) {
            return Some("holds something else than a configuration");
        }
        let is_kept = !is_named && ConfigFile::read(path).is_ok_and(is_unfinished);
        is_kept.then_some("holds an unfinished match (-config file= resumes it, outname= names another file)")
    }

    /// Whether a file may be overwritten: it does not exist, is empty, or is a fastchess configuration.
    fn may_replace(path: &Path) -> bool {
        match read_text(path) {
            Ok(text) => {
                let text = without_bom(&text);
                let keys = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text);
                let has_all = keys.is_ok_and(|keys| CONFIG_KEYS.iter().all(|key| keys.contains_key(*key)));
                text.is_empty() || has_all && serde_json::from_str::<ConfigFile>(text).is_ok()
            }
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }

    /// File into which the configuration is written.
    pub(super) fn name(&self) -> &str {
        &self.config_name
    }

    pub(super) fn set_name(&mut self, path: &Path) {
        self.config_name = path.display().to_string();
    }

    /// The run's store, if it exists.
    pub(super) fn store(&self) -> Option<&Path> {
        self.smalt_store.as_deref().filter(|store| store.is_file())
    }

    /// The run's store, if it no longer exists.
    pub(super) fn missing_store(&self) -> Option<&Path> {
        self.smalt_store.as_deref().filter(|store| !store.is_file())
    }

    /// Whether the store is kept after the last game; in version 0.2.0 its name decided.
    pub(super) fn keeps_store(&self) -> bool {
        let named = std::path::absolute(Path::new(&self.config_name).with_extension("db")).ok();
        self.smalt_keeps_store || self.smalt_store.is_some() && self.smalt_store == named
    }

    /// Number of games with a result.
    pub(super) fn played(&self) -> u64 {
        self.stats.values().map(|stats| stats.wins + stats.losses + stats.draws).sum()
    }

    /// Results of a match to continue; `None` with more than two engines, as in fastchess.
    pub(super) fn prior(&self) -> Option<PriorResults> {
        let [first, second] = self.engines.as_slice() else { return None };
        let found = |a: &ConfigEngine, b: &ConfigEngine| {
            self.stats.get(&format!("{} vs {}", a.name, b.name)).copied()
        };
        let stats = found(first, second).unwrap_or_default();
        let mirrored = found(second, first).unwrap_or_default().mirrored();
        let prior = stats.plus(mirrored).to_prior();
        (prior.games().games() > 0).then_some(prior)
    }
}

impl ConfigEngine {
    fn of(entrant: &Entrant, variant: Variant) -> ConfigEngine {
        let settings = &entrant.engine;
        let ms = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let clock = &entrant.clock;
        let period = clock.control.periods().first().filter(|_| clock.control != TimeControl::UNLIMITED);
        ConfigEngine {
            name: entrant.name.clone(),
            dir: settings.dir.as_ref().map_or_else(String::new, |dir| dir.display().to_string()),
            cmd: settings.cmd.clone().unwrap_or_default(),
            args: join_words(&settings.args),
            restart: settings.restart == Restart::On,
            options: settings.options.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect(),
            limit: Limit {
                tc: Times {
                    increment: period.map_or(0, |period| ms(period.increment)),
                    fixed_time: clock.move_time.map_or(0, ms),
                    time: period.map_or(0, |period| ms(period.time)),
                    moves: period.and_then(|period| period.moves).map_or(0, |moves| u64::from(moves.get())),
                    timemargin: ms(clock.margin),
                },
                nodes: clock.nodes.unwrap_or(0),
                plies: clock.depth.map_or(0, u64::from),
            },
            variant: u8::from(variant == Variant::Chess960),
        }
    }
}
