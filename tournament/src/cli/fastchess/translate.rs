//! From foreign flags to a plan and to how it is shown. Every flag is either honoured or refused.

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, anyhow, bail};
use smalt_workbench::entrant::{Registry, SkippedEngine};
use toml::Table;

use super::lines::{Shown, Style};
use super::outputs::{self, Config, EpdOut, PgnOut};
use super::words::{Flag, flags};
use super::{Dialect, Request, engine, rules};
use crate::cli::exit::{OrRefuse, Refusal};
use crate::cli::intent::make_absolute;
use crate::cli::output::tell;
use smalt_match::plan::{
    Affinity, BadOptions, BookFormat, DrawRule, Format, OnFault, OnOff, OpeningPolicy, OpeningsSettings,
    Order, Plan, START_POSITION, SecondsSetting, Settings, Variant,
};

/// A plan, and how it is shown.
pub(super) struct Translation {
    pub(super) plan: Plan,
    pub(super) shown: Shown,
}

struct Typed<'a> {
    dialect: Dialect,
    engines: Vec<Flag<'a>>,
    each: Vec<String>,
    settings: Settings,
    openings: Option<OpeningsSettings>,
    tournament: Format,
    is_quick: bool,
    ping: Option<SecondsSetting>,
    rounds: Option<NonZeroU32>,
    games: Option<NonZeroU32>,
    repeat: Option<u32>,
    pgn: Option<PgnOut>,
    epd: Option<EpdOut>,
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
fn registry() -> anyhow::Result<(Registry, Vec<SkippedEngine>)> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // Cute Chess has it there on macOS as well.
    let usual = || if cfg!(windows) { variable("APPDATA") } else { Some(variable("HOME")?.join(".config")) };
    let folder = variable("XDG_CONFIG_HOME").or_else(usual);
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
            settings: usual_settings(),
            openings: None,
            tournament: Format::RoundRobin,
            is_quick: false,
            ping: None,
            rounds: None,
            games: None,
            repeat: None,
            pgn: None,
            epd: None,
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
                keeps_store: false,
                emptied: Vec::new(),
                log: None,
            },
        }
    }

    fn take(&mut self, flag: &Flag<'a>) -> anyhow::Result<()> {
        let Settings { run, adjudication, timeouts, .. } = &mut self.settings;
        match flag.name {
            "engine" => self.engines.push(flag.clone()),
            "each" => self.each.extend(flag.words.iter().cloned()),
            "concurrency" => run.concurrency = Some(flag.number()?),
            "rounds" => self.rounds = Some(flag.number()?),
            "games" => self.games = Some(flag.number()?),
            "repeat" if flag.words.is_empty() => self.repeat = Some(2),
            "repeat" => self.repeat = Some(flag.number()?),
            "noswap" => {
                flag.alone()?;
                run.noswap = true;
            }
            "reverse" => {
                flag.alone()?;
                run.reverse = true;
            }
            "seeds" => run.seeds = Some(flag.number()?),
            "srand" => run.seed = flag.number::<u64>()? & SEEDS,
            "recover" => {
                flag.alone()?;
                run.on_fault = OnFault::Recover;
            }
            "event" => run.name = Some(flag.words.join(" ")),
            "site" => run.site = Some(flag.words.join(" ")),
            "tournament" => self.tournament = tournament(flag)?,
            "openings" => self.take_openings(flag)?,
            "quick" => self.take_quick(flag)?,
            "draw" => adjudication.draw = OnOff::On(rules::draw(flag)?),
            "resign" => adjudication.resign = OnOff::On(rules::resign(flag)?),
            "maxmoves" => adjudication.maxmoves = flag.number()?,
            "tb" | "tbpieces" | "tbignore50" | "tbadjudicate" => {
                rules::take_tables(&mut adjudication.tablebases, flag)?;
            }
            "startup-ms" => timeouts.start = seconds(flag)?,
            "ucinewgame-ms" | "ping-ms" => {
                // One time-out holds for both: the longer one.
                let asked = seconds(flag)?;
                let known = self.ping.filter(|known| *known > asked).unwrap_or(asked);
                self.ping = Some(known);
                timeouts.ping = known;
            }
            "use-affinity" => run.affinity = affinity(flag)?,
            "sprt" => self.settings.sprt = Some(rules::sprt(flag, self.dialect)?),
            "pgnout" => self.pgn = Some(outputs::pgn(flag)?),
            "config" => self.config = outputs::config(flag)?,
            "log" => {
                let log = outputs::log(flag)?;
                self.shown.log = Some(log.log);
                self.settings.output.log = log.engines;
            }
            "debug" => {
                flag.alone()?;
                self.settings.output.log = Some(PathBuf::from("-"));
            }
            "wait" => run.wait = flag.number()?,
            "epdout" => self.epd = Some(outputs::epd(flag)?),
            "variant" => run.variant = variant(flag)?,
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
        let mut openings = OpeningsSettings::default();
        let (mut file, mut order, mut given_policy) = (None, None, None);
        for (key, value) in flag.pairs()? {
            match key {
                "file" => file = Some(PathBuf::from(value)),
                "format" => {
                    let format = smalt_match::plan::parse_word(value);
                    openings.format = Some(format.map_err(|error| flag.refuse(key, value, &error))?);
                }
                "order" if value == "random" => order = Some(Order::Random),
                "order" if value == "sequential" => order = Some(Order::Sequential),
                "order" => return Err(flag.refuse(key, value, "the orders are random and sequential")),
                "plies" => openings.plies = Some(flag.value(key, value)?),
                "start" => openings.start = flag.value(key, value)?,
                "policy" => given_policy = Some(policy(flag, value)?),
                _ => return Err(flag.unknown(key, "file, format, order, plies, start and policy")),
            }
        }
        let Some(file) = file else { bail!("-openings needs file=") };
        // A Polyglot book has no order but chance.
        let is_polyglot = openings.format.or_else(|| BookFormat::of(&file)) == Some(BookFormat::Polyglot);
        let usual = if is_polyglot { Order::Random } else { Order::Sequential };
        openings.order = order.unwrap_or(usual);
        openings.policy = given_policy.unwrap_or(self.usual_policy());
        self.shown.book = file.file_name().map(|name| name.to_string_lossy().into_owned());
        openings.file = file;
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
                    let file = PathBuf::from(value);
                    self.shown.book = file.file_name().map(|name| name.to_string_lossy().into_owned());
                    let policy = self.usual_policy();
                    self.openings = Some(OpeningsSettings {
                        file,
                        order: Order::Random,
                        policy,
                        ..OpeningsSettings::default()
                    });
                }
                _ => return Err(flag.unknown(key, "cmd, cmd and book")),
            }
        }
        if commands != 2 {
            bail!("-quick needs two engines: cmd= cmd=");
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.each.insert(0, "tc=10+0.1".to_owned());
        self.settings.run.concurrency = NonZeroUsize::new(cores.saturating_sub(2).max(1));
        self.settings.run.on_fault = OnFault::Recover;
        self.is_quick = true;
        self.games = NonZeroU32::new(2);
        self.settings.adjudication.draw = OnOff::On(DrawRule { movenumber: 30, movecount: 8, score: 8 });
        self.shown.style = Style::Cutechess;
        Ok(())
    }

    fn request(mut self) -> Result<Request, Refusal> {
        self.shown.pgn = self.pgn.as_ref().map(|pgn| pgn.path.clone());
        self.shown.keeps_store = self.config.keep.is_some() || self.config.resume.is_some();
        let pgn = self.pgn.as_ref().filter(|pgn| pgn.after.is_none()).map(|pgn| &pgn.path);
        let epd = self.epd.as_ref().filter(|epd| epd.after.is_none()).map(|epd| &epd.path);
        self.shown.emptied = pgn.into_iter().chain(epd).cloned().collect();
        if let Some(store) = self.config.resume.take() {
            let concurrency = self.settings.run.concurrency.filter(|games| games.get() > 1);
            return Ok(Request::Resume { store, concurrency, shown: self.shown });
        }
        if self.is_quick && self.rounds.is_none() {
            self.rounds = NonZeroU32::new(QUICK_ROUNDS);
            tell(&format!(
                "-quick: {QUICK_ROUNDS} rounds of two games, as fastchess plays them; -rounds N asks for fewer"
            ));
        }
        let mut settings = self.plan().or_usage()?.settings;
        make_absolute(&mut settings);
        let plan = Plan::new(settings).or_usage()?;
        Ok(Request::Play(Box::new(Translation { plan, shown: self.shown })))
    }

    /// The plan that the flags mean.
    fn plan(&self) -> anyhow::Result<Plan> {
        let (registry, left_out) = registry()?;
        let engines: Vec<_> = self
            .engines
            .iter()
            .map(|flag| engine::engine(flag, &self.each, &registry, &left_out))
            .collect::<anyhow::Result<_>>()?;
        let is_duel = engines.len() == 2;
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
            (None, None) => OpeningsSettings {
                file: PathBuf::from(START_POSITION),
                order: Order::Sequential,
                policy: self.usual_policy(),
                ..OpeningsSettings::default()
            },
        };
        let mut settings = self.settings.clone();
        rules::check_tables(&settings.adjudication.tablebases)?;
        settings.openings = OpeningsSettings { repeat, ..openings };
        let run = &mut settings.run;
        run.format = format;
        run.games = NonZeroU32::new(games).context("-games: expected a number above zero")?;
        run.rounds = NonZeroU32::new(rounds).filter(|_| !is_knockout);
        run.same_lead = repeat;
        // Every engine of a duel is on one side anyway.
        run.seeds = run.seeds.filter(|_| !is_duel);
        let output = &mut settings.output;
        output.store.clone_from(&self.config.keep);
        if let Some(pgn) = &self.pgn {
            output.pgn = Some(pgn.path.clone());
            output.pgn_after = pgn.after;
            output.pgn_comments.clone_from(&pgn.figures);
            (output.pgn_form, output.pgn_notation) = (pgn.form, pgn.notation);
        }
        if let Some(epd) = &self.epd {
            output.epd = Some(epd.path.clone());
            output.epd_after = epd.after;
        }
        Ok(Plan::of_engines(settings, &engines, &Table::new(), &Registry::default())?)
    }

    /// Which encounters share openings where nothing is said.
    fn usual_policy(&self) -> OpeningPolicy {
        match self.dialect {
            Dialect::Fastchess => OpeningPolicy::Round,
            Dialect::Cutechess => OpeningPolicy::Pair,
        }
    }

    /// Games of an encounter, rounds, and whether two games share an opening.
    fn amount(&self, is_duel: bool) -> anyhow::Result<(u32, u32, bool)> {
        let (games, rounds, repeat) = match self.dialect {
            Dialect::Fastchess => {
                let games = self.games.map(NonZeroU32::get).or(self.repeat).unwrap_or(2);
                let usual = match (&self.settings.sprt, games) {
                    (Some(_), _) => 500_000,
                    (None, 0..=2) => 2,
                    // As OpenBench asks for games.
                    (None, _) => 1,
                };
                (games, self.rounds.map_or(usual, NonZeroU32::get), games > 1)
            }
            Dialect::Cutechess => {
                let repeat = match self.repeat {
                    None | Some(1) => false,
                    Some(2) => true,
                    Some(times) => bail!("-repeat {times}: an opening is played once or twice"),
                };
                (self.games.map_or(1, NonZeroU32::get), self.rounds.map_or(1, NonZeroU32::get), repeat)
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

fn seconds(flag: &Flag<'_>) -> anyhow::Result<SecondsSetting> {
    let seconds = f64::from(flag.number::<u32>()?) / 1000.0;
    seconds.to_string().parse().map_err(|error| anyhow!("-{}: {error}", flag.name))
}

/// What both programs do where nothing is said.
fn usual_settings() -> Settings {
    let mut settings = Settings::default();
    settings.run.concurrency = Some(NonZeroUsize::MIN);
    settings.run.on_fault = OnFault::StopOnCrash;
    settings.run.bad_options = BadOptions::Warn;
    settings.run.seed = seed_of_now();
    settings.clock.tc = None;
    settings.clock.timemargin = 0;
    settings.adjudication.draw = OnOff::Off;
    settings.adjudication.resign = OnOff::Off;
    settings.adjudication.maxmoves = 0;
    settings
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
            _ => cannot("every game is reported; give 1 or leave it out"),
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
