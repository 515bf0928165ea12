//! From foreign flags to a plan and to how it is shown. Every flag is either honoured or refused.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use smalt_workbench::entrant::{LeftOutEngine, Registry};

use super::lines::{Shown, Style};
use super::outputs::{self, Config, EpdOut, PgnOut};
use super::words::{Flag, flags};
use super::{Dialect, Request, engine, rules};
use crate::cli::exit::{OrRefuse, Refusal};
use crate::cli::intent::make_absolute;
use crate::cli::output::tell;
use smalt_match::plan::{
    AdjudicationFile, Affinity, BadOptions, BookFormat, ClockFile, FleetFile, Format, OnFault, OpeningPolicy,
    OpeningsFile, Order, OutputFile, Plan, PlanFile, RunFile, START_POSITION, Switch, Text, TimeoutsFile,
    Variant,
};

/// A plan, and how it is shown.
pub(super) struct Translation {
    pub(super) plan: Plan,
    pub(super) shown: Shown,
}

/// All flags, read.
struct Typed<'a> {
    dialect: Dialect,
    engines: Vec<Flag<'a>>,
    each: Vec<String>,
    run: RunFile,
    openings: Option<OpeningsFile>,
    adjudication: AdjudicationFile,
    sprt: Option<smalt_match::plan::SprtFile>,
    tournament: Format,
    is_quick: bool,
    rounds: Option<u32>,
    games: Option<u32>,
    repeat: Option<u32>,
    tables: rules::Tables,
    timeouts: TimeoutsFile,
    pgn: Option<PgnOut>,
    epd: Option<EpdOut>,
    log: Option<PathBuf>,
    config: Config,
    result_format: Option<String>,
    shown: Shown,
}

/// Reads a command line.
pub(super) fn request(dialect: Dialect, arguments: &[String]) -> Result<Request, Refusal> {
    if let Some(("-compliance" | "--compliance", words)) = first_and_rest(arguments) {
        // Whatever follows the engine is its own, dashes and all.
        let named = words.split_first().ok_or_else(|| anyhow!("-compliance needs an engine"));
        let (program, arguments) = named.or_usage()?;
        return Ok(Request::Compliance { program: program.clone(), arguments: arguments.to_vec() });
    }
    let flags = flags(arguments).or_usage()?;
    for flag in &flags {
        match flag.name {
            "version" | "v" => return Ok(Request::Version),
            "help" | "h" => return Ok(Request::Help),
            "engines" => {
                let (registry, _) = registry().or_usage()?;
                return Ok(Request::Engines(registry.names().map(str::to_owned).collect()));
            }
            _ => {}
        }
    }
    if flags.is_empty() {
        return Ok(Request::Help);
    }
    let mut typed = Typed::new(dialect);
    for flag in &flags {
        typed.take(flag).or_usage()?;
    }
    typed.request()
}

fn first_and_rest(arguments: &[String]) -> Option<(&str, &[String])> {
    arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
}

/// The engines of Cute Chess: `engines.json` in this folder, else in its own.
fn registry() -> anyhow::Result<(Registry, Vec<LeftOutEngine>)> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = variable("XDG_CONFIG_HOME").or_else(|| Some(variable("HOME")?.join(".config")));
    let own = folder.map(|folder| folder.join("cutechess").join("engines.json"));
    let here = PathBuf::from("engines.json");
    let Some(path) = [Some(here), own].into_iter().flatten().find(|path| path.exists()) else {
        return Ok((Registry::default(), Vec::new()));
    };
    let text = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    Ok(Registry::parse_cutechess(&text, &path.display().to_string())?)
}

impl<'a> Typed<'a> {
    fn new(dialect: Dialect) -> Typed<'a> {
        let is_fastchess = dialect == Dialect::Fastchess;
        Typed {
            dialect,
            engines: Vec::new(),
            each: Vec::new(),
            run: RunFile {
                concurrency: Some(1),
                on_fault: Some(OnFault::StopOnCrash),
                strike_after: Some(0),
                bad_options: Some(BadOptions::Warn),
                seed: Some(seed_of_now()),
                ..RunFile::default()
            },
            openings: None,
            adjudication: AdjudicationFile {
                draw: Some(Switch::Off),
                resign: Some(Switch::Off),
                maxmoves: Some(0),
                ..AdjudicationFile::default()
            },
            sprt: None,
            tournament: Format::RoundRobin,
            is_quick: false,
            rounds: None,
            games: None,
            repeat: None,
            tables: rules::Tables::default(),
            timeouts: TimeoutsFile::default(),
            pgn: None,
            epd: None,
            log: None,
            config: Config::default(),
            result_format: None,
            shown: Shown {
                dialect,
                style: if is_fastchess { Style::Fastchess } else { Style::Cutechess },
                rating_interval: if is_fastchess { 10 } else { 0 },
                score_interval: 1,
                by_pairs: true,
                book: None,
                latency: false,
                checksum: false,
                pgn: None,
                emptied: Vec::new(),
                log: None,
            },
        }
    }

    /// Takes one flag.
    fn take(&mut self, flag: &Flag<'a>) -> anyhow::Result<()> {
        match flag.name {
            "engine" => self.engines.push(flag.clone()),
            "each" => self.each.extend(flag.words.iter().cloned()),
            "concurrency" => self.run.concurrency = Some(flag.number()?),
            "rounds" => self.rounds = Some(flag.number()?),
            "games" => self.games = Some(flag.number()?),
            "repeat" if flag.words.is_empty() => self.repeat = Some(2),
            "repeat" => self.repeat = Some(flag.number()?),
            "noswap" => {
                flag.alone()?;
                self.run.noswap = Some(true);
            }
            "reverse" => {
                flag.alone()?;
                self.run.reverse = Some(true);
            }
            "seeds" => self.run.seeds = Some(flag.number()?),
            "srand" => self.run.seed = Some(flag.number::<u64>()? & SEEDS),
            "recover" => {
                flag.alone()?;
                self.run.on_fault = Some(OnFault::Recover);
            }
            "event" => self.run.name = Some(flag.words.join(" ")),
            "site" => self.run.site = Some(flag.words.join(" ")),
            "tournament" => self.tournament = tournament(flag)?,
            "openings" => self.take_openings(flag)?,
            "quick" => self.take_quick(flag)?,
            "draw" => self.adjudication.draw = Some(Switch::On(rules::draw(flag)?)),
            "resign" => self.adjudication.resign = Some(Switch::On(rules::resign(flag)?)),
            "maxmoves" => self.adjudication.maxmoves = Some(flag.number()?),
            "tb" | "tbpieces" | "tbignore50" | "tbadjudicate" => self.tables.take(flag)?,
            "startup-ms" => self.timeouts.start = Some(seconds(flag)?),
            "ucinewgame-ms" | "ping-ms" => {
                // One time-out holds for both: the longer one.
                let asked = seconds(flag)?;
                self.timeouts.ping = Some(self.timeouts.ping.map_or(asked, |other| other.max(asked)));
            }
            "use-affinity" => self.run.affinity = Some(Text(affinity(flag)?)),
            "sprt" => self.sprt = Some(rules::sprt(flag, self.dialect)?),
            "pgnout" => self.pgn = Some(outputs::pgn(flag)?),
            "config" => self.config = outputs::config(flag)?,
            "log" => {
                let log = outputs::log(flag)?;
                self.shown.log = Some(log.log);
                self.log = log.engines;
            }
            "debug" => {
                flag.alone()?;
                self.log = Some(PathBuf::from("-"));
            }
            "wait" => self.run.wait = Some(flag.number()?),
            "epdout" => self.epd = Some(outputs::epd(flag)?),
            "variant" => self.run.variant = Some(variant(flag)?),
            "output" => self.shown.style = outputs::style(flag)?,
            "ratinginterval" => self.shown.rating_interval = flag.number()?,
            "resultformat" => self.result_format = Some(flag.word()?.to_owned()),
            "scoreinterval" => self.shown.score_interval = flag.number()?,
            "report" => self.shown.by_pairs = outputs::switch(flag, "penta")?,
            "crc32" => self.shown.checksum = outputs::switch(flag, "pgn")?,
            "show-latency" => {
                flag.alone()?;
                self.shown.latency = true;
            }
            _ => return other(flag),
        }
        Ok(())
    }

    fn take_openings(&mut self, flag: &Flag<'a>) -> anyhow::Result<()> {
        // Both take openings in the order of the file where nothing is said.
        let mut openings = OpeningsFile::default();
        for (key, value) in flag.pairs()? {
            match key {
                "file" => openings.file = Some(PathBuf::from(value)),
                "format" => {
                    let format = smalt_match::plan::parse_word(value);
                    openings.format = Some(format.map_err(|error| flag.refuse(key, value, &error))?);
                }
                "order" if value == "random" => openings.order = Some(Order::Random),
                "order" if value == "sequential" => openings.order = Some(Order::Sequential),
                "order" => return Err(flag.refuse(key, value, "the orders are random and sequential")),
                "plies" => openings.plies = Some(flag.value(key, value)?),
                "start" => openings.start = Some(flag.value(key, value)?),
                "policy" => openings.policy = Some(policy(flag, value)?),
                _ => return Err(flag.unknown(key, "file, format, order, plies, start and policy")),
            }
        }
        let Some(file) = &openings.file else { bail!("-openings needs file=") };
        // A Polyglot book has no order but chance.
        let is_polyglot = openings.format.or_else(|| BookFormat::of(file)) == Some(BookFormat::Polyglot);
        let usual = if is_polyglot { Order::Random } else { Order::Sequential };
        openings.order = openings.order.or(Some(usual));
        self.shown.book = file.file_name().map(|name| name.to_string_lossy().into_owned());
        self.openings = Some(openings);
        Ok(())
    }

    /// `-quick cmd= cmd= book=`: two engines and a book, with settings that fastchess chose for it.
    fn take_quick(&mut self, flag: &Flag<'a>) -> anyhow::Result<()> {
        let mut commands = 0;
        for (index, (key, value)) in flag.pairs()?.into_iter().enumerate() {
            match key {
                "cmd" => {
                    self.engines.push(Flag { name: "quick", words: &flag.words[index..=index] });
                    commands += 1;
                }
                "book" => {
                    let file = Some(PathBuf::from(value));
                    self.shown.book =
                        file.as_ref().and_then(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
                    self.openings =
                        Some(OpeningsFile { file, order: Some(Order::Random), ..OpeningsFile::default() });
                }
                _ => return Err(flag.unknown(key, "cmd, cmd and book")),
            }
        }
        if commands != 2 {
            bail!("-quick needs two engines: cmd= cmd=");
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.each.insert(0, "tc=10+0.1".to_owned());
        self.run.concurrency = Some(cores.saturating_sub(2).max(1));
        self.run.on_fault = Some(OnFault::Recover);
        self.is_quick = true;
        self.games = Some(2);
        self.adjudication.draw =
            Some(Switch::On(smalt_match::plan::DrawRule { movenumber: 30, movecount: 8, score: 8 }));
        self.shown.style = Style::Cutechess;
        Ok(())
    }

    fn request(mut self) -> Result<Request, Refusal> {
        self.shown.pgn = self.pgn.as_ref().map(|pgn| pgn.path.clone());
        let pgn = self.pgn.as_ref().filter(|pgn| pgn.after.is_none()).map(|pgn| &pgn.path);
        let epd = self.epd.as_ref().filter(|epd| epd.after.is_none()).map(|epd| &epd.path);
        self.shown.emptied = pgn.into_iter().chain(epd).cloned().collect();
        if let Some(store) = self.config.resume.take() {
            let concurrency = self.run.concurrency.filter(|&games| games > 1);
            return Ok(Request::Resume { store, concurrency, shown: self.shown });
        }
        if self.is_quick && self.rounds.is_none() {
            self.rounds = Some(QUICK_ROUNDS);
            tell(&format!(
                "-quick: {QUICK_ROUNDS} rounds of two games, as fastchess plays them; -rounds N asks for fewer"
            ));
        }
        let file = self.file().or_usage()?;
        let mut plan = Plan::check(&file, &Registry::default()).or_usage()?;
        make_absolute(&mut plan);
        Ok(Request::Play(Box::new(Translation { plan, shown: self.shown })))
    }

    /// The plan as a file of ours would say it.
    fn file(&self) -> anyhow::Result<PlanFile> {
        let (registry, left_out) = registry()?;
        let entrants: Vec<_> = self
            .engines
            .iter()
            .map(|flag| engine::engine(flag, &self.each, &registry, &left_out))
            .collect::<anyhow::Result<_>>()?;
        let is_duel = entrants.len() == 2;
        // Of two engines there is no table, so that nothing depends on its form.
        if let Some(format) = self.result_format.as_deref().filter(|format| *format != "default" && !is_duel)
        {
            bail!("-resultformat {format} cannot be honoured: the table of many engines has one form");
        }
        let is_knockout = self.tournament == Format::Knockout;
        let format = if is_duel && !is_knockout { Format::Match } else { self.tournament };
        let (games, rounds, repeat) = self.amount(is_duel && !is_knockout)?;
        let openings = match (&self.openings, engine::common_book(&self.engines, &self.each)?) {
            (Some(_), Some(_)) => {
                bail!("book= besides -openings is not supported: games begin from one of them")
            }
            (Some(openings), None) => openings.clone(),
            (None, Some(book)) => book,
            (None, None) => OpeningsFile {
                file: Some(PathBuf::from(START_POSITION)),
                order: Some(Order::Sequential),
                ..OpeningsFile::default()
            },
        };
        let policy = match self.dialect {
            Dialect::Fastchess => OpeningPolicy::Round,
            Dialect::Cutechess => OpeningPolicy::Pair,
        };
        // Every engine of a duel is on one side anyway.
        let seeds = self.run.seeds.filter(|_| !is_duel);
        Ok(PlanFile {
            run: RunFile {
                format: Some(format),
                games: Some(games),
                rounds: (!is_knockout).then_some(rounds),
                same_lead: repeat.then_some(true),
                seeds,
                ..self.run.clone()
            },
            clock: ClockFile::default(),
            openings: OpeningsFile {
                repeat: Some(repeat),
                policy: openings.policy.or(Some(policy)),
                ..openings
            },
            adjudication: AdjudicationFile {
                tablebases: Some(self.tables.rule()?),
                ..self.adjudication.clone()
            },
            timeouts: self.timeouts.clone(),
            sprt: self.sprt.clone(),
            fleet: FleetFile::default(),
            output: OutputFile {
                store: self.config.keep.clone(),
                pgn: self.pgn.as_ref().map(|pgn| pgn.path.clone()),
                pgn_after: self.pgn.as_ref().and_then(|pgn| pgn.after),
                pgn_comments: self.pgn.as_ref().map(|pgn| pgn.figures.clone()),
                pgn_form: self.pgn.as_ref().map(|pgn| pgn.form),
                pgn_notation: self.pgn.as_ref().map(|pgn| pgn.notation),
                epd: self.epd.as_ref().map(|epd| epd.path.clone()),
                epd_after: self.epd.as_ref().and_then(|epd| epd.after),
                log: self.log.clone(),
                ..OutputFile::default()
            },
            each: None,
            entrants,
        })
    }

    /// Games of an encounter, rounds, and whether two games share an opening.
    fn amount(&self, is_duel: bool) -> anyhow::Result<(u32, u32, bool)> {
        let (games, rounds, repeat) = match self.dialect {
            Dialect::Fastchess => {
                let games = self.games.or(self.repeat).unwrap_or(2);
                let usual = match (&self.sprt, games) {
                    (Some(_), _) => 500_000,
                    (None, 0..=2) => 2,
                    // As OpenBench asks for games.
                    (None, _) => 1,
                };
                (games, self.rounds.unwrap_or(usual), games > 1)
            }
            Dialect::Cutechess => {
                let repeat = match self.repeat {
                    None | Some(1) => false,
                    Some(2) => true,
                    Some(times) => bail!("-repeat {times}: an opening is played once or twice"),
                };
                (self.games.unwrap_or(1), self.rounds.unwrap_or(1), repeat)
            }
        };
        if !is_duel {
            return Ok((games, rounds, repeat));
        }
        let all = games.checked_mul(rounds).ok_or_else(|| anyhow!("-rounds {rounds}: too many games"))?;
        Ok((all, 1, repeat))
    }
}

/// How many rounds fastchess plays for `-quick`.
const QUICK_ROUNDS: u32 = 25_000;

/// Seeds of plans have 63 bits.
const SEEDS: u64 = i64::MAX as u64;

fn seed_of_now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    (now as u64) & SEEDS
}

fn seconds(flag: &Flag<'_>) -> anyhow::Result<f64> {
    Ok(flag.number::<u32>()? as f64 / 1000.0)
}

fn affinity(flag: &Flag<'_>) -> anyhow::Result<Affinity> {
    match flag.words {
        [] => Ok(Affinity::On),
        _ => flag.word()?.parse().map_err(|error: String| anyhow!("-use-affinity: {error}")),
    }
}

fn variant(flag: &Flag<'_>) -> anyhow::Result<Variant> {
    match flag.word()? {
        "standard" => Ok(Variant::Standard),
        "fischerandom" => Ok(Variant::Chess960),
        other => bail!("-variant {other}: the variants are standard and fischerandom"),
    }
}

fn tournament(flag: &Flag<'_>) -> anyhow::Result<Format> {
    Ok(match flag.word()? {
        "round-robin" | "roundrobin" => Format::RoundRobin,
        "gauntlet" => Format::Gauntlet,
        "knockout" => Format::Knockout,
        "pyramid" => Format::Pyramid,
        other => bail!("-tournament {other}: the types are roundrobin, gauntlet, knockout and pyramid"),
    })
}

fn policy(flag: &Flag<'_>, value: &str) -> anyhow::Result<OpeningPolicy> {
    match value {
        "round" => Ok(OpeningPolicy::Round),
        "encounter" => Ok(OpeningPolicy::Encounter),
        "default" => Ok(OpeningPolicy::Pair),
        _ => Err(flag.refuse("policy", value, "the policies are default, round and encounter")),
    }
}

/// Flags that ask for what is so anyway, and those that cannot be honoured.
fn other(flag: &Flag<'_>) -> anyhow::Result<()> {
    let cannot = |reason: &str| Err(anyhow!("-{} cannot be honoured: {reason}", flag.name));
    match flag.name {
        // Games at once are never limited but by what was asked; more than there are cores bring a warning.
        "force-concurrency" => flag.alone(),
        // Every game is kept at once.
        "autosaveinterval" => flag.number::<u32>().map(|_| ()),
        // No output depends on it.
        "testEnv" => flag.alone(),
        "outcomeinterval" => match flag.number()? {
            1 => Ok(()),
            _ => cannot("every game is told; give 1 or leave it out"),
        },
        "bookmode" => match flag.word()? {
            "ram" | "disk" => Ok(()),
            other => Err(anyhow!("-bookmode {other}: the modes are ram and disk")),
        },
        "compliance" => cannot("it examines one engine, and stands first: -compliance ENGINE [ARGS]"),
        "strict" => cannot("warnings of engines never stop a run; leave out -recover to stop at crashes"),
        _ => {
            let hint = smalt_driver::nearest::nearest(flag.name, KNOWN);
            let hint = hint.map(|hint| format!(" (did you mean -{hint}?)")).unwrap_or_default();
            Err(anyhow!("unknown flag -{}{hint}; -help lists them", flag.name))
        }
    }
}

/// All flags, for hints.
const KNOWN: [&str; 50] = [
    "engine",
    "each",
    "concurrency",
    "rounds",
    "games",
    "repeat",
    "noswap",
    "reverse",
    "seeds",
    "srand",
    "recover",
    "event",
    "site",
    "tournament",
    "openings",
    "quick",
    "draw",
    "resign",
    "maxmoves",
    "sprt",
    "pgnout",
    "config",
    "log",
    "output",
    "ratinginterval",
    "scoreinterval",
    "report",
    "crc32",
    "show-latency",
    "force-concurrency",
    "autosaveinterval",
    "testEnv",
    "outcomeinterval",
    "wait",
    "bookmode",
    "variant",
    "debug",
    "strict",
    "compliance",
    "epdout",
    "tb",
    "tbpieces",
    "tbignore50",
    "tbadjudicate",
    "use-affinity",
    "startup-ms",
    "ucinewgame-ms",
    "ping-ms",
    "resultformat",
    "version",
];
