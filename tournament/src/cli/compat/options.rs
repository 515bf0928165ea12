//! Translates the flags of fastchess and cutechess-cli to a plan and an output style. Every flag is supported or
//! refused.

mod loaded_config;

use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use smalt_workbench::entrant::{Registry, SkippedEngine};
use smalt_workbench::input::read_text;
use toml::Table;

use self::loaded_config::{LoadedConfig, check_store_changes};
use super::c_chess_cli::CChessCli;
use super::config::ConfigFile;
use super::files::{self, Config, EpdOut, PgnOut};
use super::flag::{Flag, flags};
use super::output_options::{OutputOptions, Style};
use super::result_format::ResultFormat;
use super::values::{
    QUICK_ROUNDS, SEEDS, SPRT_ROUNDS, affinity, concurrency, other, policy, seconds, seed_of_now, tournament,
    usual_settings, variant,
};
use super::{Dialect, HELP, Request, adjudication, engine};
use crate::cli::exit::{OrRefuse, Refusal};
use crate::cli::intent::make_absolute;
use crate::cli::output::{bytes_of, print_info};
use smalt_match::plan::{
    BookFormat, DrawRule, Figure, Format, OnFault, OnOff, OpeningPolicy, OpeningsSettings, Order, PgnStyle,
    Plan, PriorResults, START_POSITION, Settings,
};
use smalt_workbench::concurrency::cores;
use smalt_workbench::cutechess_config_folder;

/// A plan and its output style.
pub(in crate::cli) struct Translation {
    pub(in crate::cli) plan: Plan,
    pub(in crate::cli) shown: OutputOptions,
}

struct Typed<'a> {
    dialect: Dialect,
    engines: Vec<Flag<'a>>,
    each: Vec<String>,
    settings: Settings,
    openings: Option<OpeningsSettings>,
    tournament: Format,
    is_quick: bool,
    rounds: Option<u32>,
    games: Option<NonZeroU32>,
    /// Number of games per opening (cutechess).
    repeat: Option<NonZeroU32>,
    pgn: Option<PgnOut>,
    epd: Option<EpdOut>,
    config: Config,
    /// `-concurrency`, if given.
    concurrency: Option<NonZeroUsize>,
    /// The same if computed from the number of cores.
    adjusted_concurrency: Option<NonZeroUsize>,
    /// Results of the match to continue.
    prior: Option<PriorResults>,
    /// Whether the store is kept after the last game, as requested when the run started.
    keeps_store: bool,
    /// Seed of the random order of openings.
    srand: u64,
    shown: OutputOptions,
}

/// Numbers of games and rounds.
struct Amount {
    /// Per pairing.
    games: u32,
    rounds: u32,
    games_per_opening: u32,
}

/// Parses a command line.
pub(in crate::cli) fn request(dialect: Dialect, arguments: &[String]) -> Result<Request, Refusal> {
    if let Some(("-compliance" | "--compliance", words)) = first_and_rest(arguments) {
        // Words after the engine are its own arguments, even with dashes.
        let named = words.split_first().ok_or_else(|| anyhow!("-compliance needs an engine"));
        let (program, arguments) = named.or_usage()?;
        return Ok(Request::Compliance { program: program.clone(), arguments: arguments.to_vec() });
    }
    if dialect == Dialect::CChessCli {
        return c_chess_cli(arguments);
    }
    let flags = flags(arguments).or_usage()?;
    for flag in &flags {
        match flag.name {
            "version" | "v" => return Ok(Request::Version),
            "help" | "h" => return Ok(Request::Help(HELP.to_owned())),
            "resultformat" if flag.words == ["help"] => return Ok(Request::Help(ResultFormat::help())),
            "engines" => {
                let (registry, _) = registry().or_usage()?;
                return Ok(Request::Engines(registry.names().map(str::to_owned).collect()));
            }
            _ => {}
        }
    }
    if flags.is_empty() {
        return Ok(Request::Help(HELP.to_owned()));
    }
    if let Some(loaded) = LoadedConfig::of(&flags).or_usage()? {
        return loaded.request(dialect);
    }
    let typed = Typed::read(dialect, &flags)?;
    if let Some(store) = &typed.config.resume {
        check_store_changes(&flags, store)?;
    }
    typed.request()
}

fn c_chess_cli(arguments: &[String]) -> Result<Request, Refusal> {
    let CChessCli { arguments, sample } = CChessCli::parse(arguments).or_usage()?;
    let flags = flags(&arguments).or_usage()?;
    let asks = |name: &str| flags.iter().any(|flag| flag.name == name);
    if asks("version") {
        return Ok(Request::Version);
    }
    if asks("help") || flags.is_empty() {
        return Ok(Request::Help(HELP.to_owned()));
    }
    let mut typed = Typed::read(Dialect::CChessCli, &flags)?;
    typed.shown.sample = sample;
    typed.request()
}

fn first_and_rest(arguments: &[String]) -> Option<(&str, &[String])> {
    arguments.split_first().map(|(first, rest)| (first.as_str(), rest))
}

/// Cute Chess's engines: `engines.json` in this folder, otherwise in its configuration folder.
fn registry() -> anyhow::Result<(Registry, Vec<SkippedEngine>)> {
    let own = cutechess_config_folder().map(|folder| folder.join("cutechess").join("engines.json"));
    let here = PathBuf::from("engines.json");
    let Some(path) = [Some(here), own].into_iter().flatten().find(|path| path.exists()) else {
        return Ok((Registry::default(), Vec::new()));
    };
    let text = read_text(&path).with_context(|| format!("read {}", path.display()))?;
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
            rounds: None,
            games: None,
            repeat: None,
            pgn: None,
            epd: None,
            config: Config::default(),
            concurrency: None,
            adjusted_concurrency: None,
            prior: None,
            keeps_store: false,
            srand: seed_of_now(),
            shown: OutputOptions {
                dialect,
                style: if is_fastchess { Style::Fastchess } else { Style::Cutechess },
                rating_interval: if is_fastchess { 10 } else { 0 },
                score_interval: 1,
                outcome_interval: 0,
                by_pairs: true,
                result_format: ResultFormat::default(),
                book: None,
                latency: false,
                test_environment: false,
                checksum: false,
                pgn: None,
                keeps_store: false,
                config: None,
                autosave_interval: 20,
                emptied: Vec::new(),
                log: None,
                sample: None,
                notes: String::new(),
                late_notes: String::new(),
            },
        }
    }

    fn read(dialect: Dialect, flags: &[Flag<'a>]) -> Result<Typed<'a>, Refusal> {
        let mut typed = Typed::new(dialect);
        for flag in flags {
            typed.take(flag).or_usage()?;
        }
        Ok(typed)
    }

    fn take(&mut self, flag: &Flag<'a>) -> anyhow::Result<()> {
        let Settings { run, adjudication, timeouts, .. } = &mut self.settings;
        // fastchess joins the words of a name without spaces.
        let space = if self.dialect == Dialect::Fastchess { "" } else { " " };
        match flag.name {
            "engine" => self.engines.push(flag.clone()),
            "each" => self.each.extend(flag.words.iter().cloned()),
            "concurrency" => {
                let (games, is_adjusted) = concurrency(flag)?;
                run.concurrency = Some(games);
                self.concurrency = run.concurrency;
                self.adjusted_concurrency = run.concurrency.filter(|_| is_adjusted);
            }
            "rounds" => self.rounds = Some(flag.number()?),
            "games" => self.games = Some(flag.number()?),
            "repeat" => {
                let games =
                    if flag.words.is_empty() { NonZeroU32::MIN.saturating_add(1) } else { flag.number()? };
                match self.dialect {
                    Dialect::Fastchess => self.games = Some(games),
                    Dialect::Cutechess | Dialect::CChessCli => self.repeat = Some(games),
                }
            }
            "noswap" => {
                flag.alone()?;
                run.noswap = true;
            }
            "reverse" => {
                flag.alone()?;
                run.reverse = true;
            }
            "seeds" => run.seeds = Some(flag.number()?),
            "srand" => {
                self.srand = flag.number()?;
                run.seed = self.srand & SEEDS;
            }
            "recover" => {
                flag.alone()?;
                run.on_fault = OnFault::Recover;
            }
            "event" => run.name = Some(flag.words.join(space)),
            "site" => run.site = Some(flag.words.join(space)),
            "tournament" => self.tournament = tournament(flag)?,
            "openings" => self.take_openings(flag)?,
            "quick" => self.take_quick(flag)?,
            "draw" => adjudication.draw = OnOff::On(adjudication::draw(flag)?),
            "resign" => adjudication.resign = OnOff::On(adjudication::resign(flag)?),
            "maxmoves" => adjudication.maxmoves = flag.number()?,
            "tb" | "tbpieces" | "tbignore50" | "tbadjudicate" => {
                adjudication::take_tables(&mut adjudication.tablebases, flag)?;
            }
            "startup-ms" => timeouts.start = seconds(flag)?,
            "ucinewgame-ms" => timeouts.newgame = Some(seconds(flag)?),
            "ping-ms" => timeouts.ping = seconds(flag)?,
            "use-affinity" => run.affinity = affinity(flag)?,
            "sprt" => self.settings.sprt = Some(adjudication::sprt(flag, self.dialect)?),
            "pgnout" => self.pgn = Some(files::pgn(flag)?),
            "config" => {
                self.config = files::config(flag)?;
                self.keeps_store = self.config.resume.is_some();
            }
            "log" => {
                if let Some(log) = files::log(flag)? {
                    self.shown.log = Some(log.log);
                    self.settings.output.log = log.engines;
                }
            }
            "debug" => {
                if flag.words == ["all"] {
                    self.each.push("debug".to_owned());
                } else {
                    flag.alone()?;
                }
                self.settings.output.log = Some(PathBuf::from("-"));
            }
            "wait" => run.wait = flag.number()?,
            "epdout" => self.epd = Some(files::epd(flag)?),
            "variant" => run.variant = variant(flag)?,
            "output" => self.shown.style = files::style(flag)?,
            "ratinginterval" => self.shown.rating_interval = flag.number()?,
            "autosaveinterval" => self.shown.autosave_interval = flag.number()?,
            "resultformat" => self.shown.result_format = ResultFormat::parse(flag.word()?)?,
            "outcomeinterval" => self.shown.outcome_interval = flag.number()?,
            "scoreinterval" => self.shown.score_interval = flag.number()?,
            "report" => self.shown.by_pairs = files::switch(flag, "penta")?,
            "crc32" => self.shown.checksum = files::switch(flag, "pgn")?,
            "testEnv" => {
                flag.alone()?;
                self.shown.test_environment = true;
            }
            "check-mate-pvs" => {
                flag.alone()?;
                run.check_mate_pvs = true;
            }
            "strict" => {
                flag.alone()?;
                run.strict = true;
            }
            "show-latency" => {
                flag.alone()?;
                self.shown.latency = true;
            }
            _ => return other(flag),
        }
        Ok(())
    }

    fn take_openings(&mut self, flag: &Flag<'a>) -> anyhow::Result<()> {
        // By default both use openings in file order.
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
                // All plies if negative.
                "plies" => openings.plies = u32::try_from(flag.value::<i32>(key, value)?).ok(),
                "start" => openings.start = flag.value(key, value)?,
                "policy" => given_policy = Some(policy(flag, value)?),
                _ => return Err(flag.unknown(key, "file, format, order, plies, start and policy")),
            }
        }
        let Some(file) = file else { bail!("-openings needs file=") };
        // A Polyglot book has only a random order.
        let is_polyglot = openings.format.or_else(|| BookFormat::of(&file)) == Some(BookFormat::Polyglot);
        let usual = if is_polyglot { Order::Random } else { Order::Sequential };
        openings.order = order.unwrap_or(usual);
        openings.policy = given_policy.unwrap_or(self.usual_policy());
        self.shown.book = file.file_name().map(|name| name.to_string_lossy().into_owned());
        openings.file = file;
        self.openings = Some(openings);
        Ok(())
    }

    /// `-quick cmd= cmd= book=`: two engines and a book, with fastchess's settings for it.
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
        self.each.insert(0, "tc=10+0.1".to_owned());
        self.settings.run.concurrency = NonZeroUsize::new(cores().saturating_sub(2).max(1));
        self.settings.run.on_fault = OnFault::Recover;
        self.is_quick = true;
        self.games = NonZeroU32::new(2);
        self.settings.adjudication.draw = OnOff::On(DrawRule { movenumber: 30, movecount: 8, score: 8 });
        self.shown.style = Style::Cutechess;
        Ok(())
    }

    fn request(mut self) -> Result<Request, Refusal> {
        if self.dialect == Dialect::Fastchess {
            let notes = self.notes();
            self.shown.notes.push_str(&notes);
        }
        // As in fastchess, pairs are reported only with two games per round, and not in cutechess's style.
        let (games, _) = self.games_and_rounds();
        self.shown.by_pairs &= games > 1 && self.shown.style == Style::Fastchess;
        self.shown.pgn = self.pgn.as_ref().map(|pgn| pgn.path.clone());
        self.shown.keeps_store = self.keeps_store || self.config.keep.is_some();
        self.choose_config().or_usage()?;
        self.check_files().or_usage()?;
        let pgn = self.pgn.as_ref().filter(|pgn| pgn.after.is_none()).map(|pgn| &pgn.path);
        let epd = self.epd.as_ref().filter(|epd| epd.after.is_none()).map(|epd| &epd.path);
        self.shown.emptied = pgn.into_iter().chain(epd).cloned().collect();
        if let Some(store) = self.config.resume.take() {
            let recovers = self.settings.run.on_fault == OnFault::Recover;
            let (concurrency, log) = (self.concurrency, self.settings.output.log);
            return Ok(Request::Resume { store, concurrency, recovers, log, shown: Box::new(self.shown) });
        }
        if self.is_quick && self.rounds.is_none() {
            self.rounds = Some(QUICK_ROUNDS);
            print_info(&format!(
                "-quick: {QUICK_ROUNDS} rounds of two games, as fastchess plays them; -rounds N asks for fewer"
            ));
        }
        adjudication::warn_without_tables(&self.settings.adjudication.tablebases);
        if self.rounds_left() == Some(0) {
            return Ok(Request::Help("Finished match\n".to_owned()));
        }
        let mut settings = self.plan().or_usage()?.settings;
        make_absolute(&mut settings);
        let plan = Plan::new(settings).or_usage()?;
        Ok(Request::Play(Box::new(Translation { plan, shown: self.shown })))
    }

    /// fastchess's remarks on the settings before the first game.
    fn notes(&self) -> String {
        let mut notes = String::new();
        if let Some(games) = self.adjusted_concurrency {
            notes.push_str(&format!(
                "Info: Adjusted concurrency to {games} based on number of available hardware threads.\n"
            ));
        }
        if self.openings.is_none() && self.config.resume.is_none() {
            notes.push_str(
                "Warning: No opening book specified! Consider using one, otherwise all games will be played from the \
                 starting position.\n\
                 Warning: Unknown opening format, 2. All games will be played from the starting position.\n",
            );
        }
        notes
    }

    /// Appends to all files of a continued match: `append=false` is ignored then, as in fastchess.
    fn append_to_files(&mut self, played: u64) {
        let pgn = self.pgn.as_mut().map(|pgn| ("pgnout", &pgn.path, &mut pgn.after));
        let epd = self.epd.as_mut().map(|epd| ("epdout", &epd.path, &mut epd.after));
        for (flag, path, after) in pgn.into_iter().chain(epd).filter(|(_, _, after)| after.is_none()) {
            *after = Some(bytes_of(path));
            let note = format!("Resuming from {played} games, ignoring -{flag} append=false.\n");
            self.shown.late_notes.push_str(&note);
        }
    }

    /// Checks that no two flags write the same file.
    fn check_files(&self) -> anyhow::Result<()> {
        let games = [
            ("-pgnout", self.pgn.as_ref().map(|pgn| pgn.path.as_path())),
            ("-epdout", self.epd.as_ref().map(|epd| epd.path.as_path())),
        ];
        let games = games.into_iter().filter_map(|(flag, path)| Some((flag, path?)));
        files::check_apart(self.shown.files().into_iter().chain(games))
    }

    /// The configuration file to write: as requested, otherwise that of the loaded configuration or fastchess's
    /// `config.json`, unless it holds something else or an unfinished match.
    fn choose_config(&mut self) -> anyhow::Result<()> {
        let usual = || (self.dialect == Dialect::Fastchess).then(|| PathBuf::from("config.json"));
        let Config { outname, saved_name, .. } = &self.config;
        let is_named = outname.is_some();
        let Some(path) = outname.clone().or_else(|| saved_name.clone()).or_else(usual) else { return Ok(()) };
        match ConfigFile::reason_to_keep(&path, is_named) {
            Some(words) if is_named => bail!("-config outname={}: the file {words}", path.display()),
            Some(words) => print_info(&format!("Warning: {} {words}, and stays as it is", path.display())),
            None => self.shown.config = Some(path),
        }
        Ok(())
    }

    /// Games per round, and rounds. fastchess swaps them if there are more than two games.
    fn games_and_rounds(&self) -> (u32, u32) {
        let is_fastchess = self.dialect == Dialect::Fastchess;
        let usual = if is_fastchess { 2 } else { 1 };
        let games = self.games.map_or(usual, NonZeroU32::get);
        let rounds = match self.rounds {
            Some(0) if is_fastchess && self.settings.sprt.is_some() => SPRT_ROUNDS,
            rounds => rounds.unwrap_or(usual),
        };
        if is_fastchess && games > 2 { (rounds, games) } else { (games, rounds) }
    }

    /// Remaining rounds of a continued match.
    fn rounds_left(&self) -> Option<u32> {
        let played = self.prior?.games().games();
        let (games, rounds) = self.games_and_rounds();
        let played = played / u64::from(games.max(1));
        Some(rounds.saturating_sub(u32::try_from(played).unwrap_or(u32::MAX)))
    }

    /// The plan of the flags.
    fn plan(&self) -> anyhow::Result<Plan> {
        let (registry, skipped) = registry()?;
        let mut engines: Vec<_> = self
            .engines
            .iter()
            .map(|flag| engine::engine(flag, &self.each, &registry, &skipped))
            .collect::<anyhow::Result<_>>()?;
        engine::set_names(&self.engines, &mut engines, self.dialect);
        engine::find_here(&mut engines, self.dialect);
        let is_duel = engines.len() == 2;
        let is_knockout = self.tournament == Format::Knockout;
        let format = if is_duel && !is_knockout { Format::Match } else { self.tournament };
        let Amount { games, rounds, games_per_opening } = self.amount(is_duel && !is_knockout)?;
        let openings = self.openings.clone().unwrap_or_else(|| OpeningsSettings {
            file: PathBuf::from(START_POSITION),
            order: Order::Sequential,
            policy: self.usual_policy(),
            ..OpeningsSettings::default()
        });
        let mut settings = self.settings.clone();
        settings.prior = self.prior;
        settings.openings = OpeningsSettings {
            repeat: games_per_opening > 1,
            games_per_opening: NonZeroU32::new(games_per_opening).filter(|games| games.get() > 2),
            ..openings
        };
        if self.dialect == Dialect::Fastchess {
            settings.openings.srand = (settings.openings.order == Order::Random).then_some(self.srand);
            // With more than two engines, fastchess's round is a pair.
            if settings.openings.policy == OpeningPolicy::Round && !is_duel {
                settings.openings.policy = OpeningPolicy::Cycle;
            }
        }
        if let Some(prior) = self.prior {
            let played = prior.games().games() / u64::from(games_per_opening);
            let start = settings.openings.start.saturating_add(usize::try_from(played).unwrap_or(usize::MAX));
            settings.openings.start = start;
        }
        let run = &mut settings.run;
        if self.dialect == Dialect::Fastchess {
            run.name.get_or_insert_with(|| "Fastchess Tournament".to_owned());
        }
        run.format = format;
        run.games = NonZeroU32::new(games).context("-games: expected a number above zero")?;
        run.rounds = NonZeroU32::new(rounds).filter(|_| !is_knockout);
        run.same_lead = games_per_opening.is_multiple_of(2);
        if run.strict {
            run.on_fault = OnFault::Stop;
        }
        // In a duel every engine is on one side anyway.
        run.seeds = run.seeds.filter(|_| !is_duel);
        let output = &mut settings.output;
        output.store.clone_from(&self.config.keep);
        if let Some(pgn) = &self.pgn {
            output.pgn = Some(pgn.path.clone());
            output.pgn_after = pgn.after;
            output.pgn_comments.clone_from(&pgn.figures);
            output.pgn_match_lines.clone_from(&pgn.match_lines);
            if self.dialect == Dialect::Fastchess {
                output.pgn_style = PgnStyle::Fastchess;
            }
            (output.pgn_form, output.pgn_notation) = (pgn.form, pgn.notation);
        }
        // PVs are stored only if written.
        if self.shown.sample.as_ref().is_some_and(|sample| sample.resolves) {
            output.pgn_comments.push(Figure::Pv);
        }
        if let Some(epd) = &self.epd {
            output.epd = Some(epd.path.clone());
            output.epd_after = epd.after;
        }
        Ok(Plan::of_engines(settings, &engines, &Table::new(), &Registry::default())?)
    }

    /// Default sharing of openings between pairings.
    fn usual_policy(&self) -> OpeningPolicy {
        match self.dialect {
            Dialect::Fastchess => OpeningPolicy::Round,
            Dialect::Cutechess | Dialect::CChessCli => OpeningPolicy::Pair,
        }
    }

    /// Games and rounds by `-games`, `-rounds` and `-repeat`.
    fn amount(&self, is_duel: bool) -> anyhow::Result<Amount> {
        let (games, rounds) = self.games_and_rounds();
        if games == 0 || rounds == 0 {
            bail!(
                "-rounds 0: expected a number above zero (0 is {SPRT_ROUNDS} rounds for -sprt of fastchess)"
            );
        }
        let games_per_opening = match self.dialect {
            // Swapped back to the given order.
            Dialect::Fastchess if games > 2 => {
                bail!("-rounds {games} -games {rounds}: a round has one or two games")
            }
            Dialect::Fastchess => games,
            Dialect::Cutechess | Dialect::CChessCli => self.repeat.map_or(1, NonZeroU32::get),
        };
        let rounds = self.rounds_left().unwrap_or(rounds);
        if !is_duel {
            return Ok(Amount { games, rounds, games_per_opening });
        }
        let all = games.checked_mul(rounds).ok_or_else(|| anyhow!("-rounds {rounds}: too many games"))?;
        Ok(Amount { games: all, rounds: 1, games_per_opening })
    }
}
