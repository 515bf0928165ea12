//! From what was typed to a plan: flags become a plan file, defaults are filled in, and both are checked as one.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use smalt_workbench::entrant::{Registry, WordsError, parse_entrant, parse_keys, split_words};

use super::arguments::{RunFlags, SprtFlags};
use super::exit::{OrRefuse, Refusal};
use super::output::{bytes_of, tell};
use smalt_match::plan::{
    AdjudicationFile, CHESS960_OPENINGS, ClockFile, EMBEDDED_OPENINGS, EntrantFile, FleetPlan, Format,
    OnFault, OpeningsFile, OutputFile, Plan, PlanFile, Program, Role, RunFile, START_POSITION, ServerAddress,
    SprtFile, Switch, TablebaseRule, Text,
};

/// The plan that flags mean.
pub(super) fn plan_of_flags(format: Format, flags: &RunFlags) -> Result<Plan, Refusal> {
    plan_of(format, file_of_flags(flags).or_usage()?, flags)
}

/// A match under a sequential test, whatever was said of that.
pub(super) fn plan_of_test(flags: &RunFlags) -> Result<Plan, Refusal> {
    let mut file = file_of_flags(flags).or_usage()?;
    file.sprt.get_or_insert_default();
    plan_of(Format::Match, file, flags)
}

fn plan_of(format: Format, mut file: PlanFile, flags: &RunFlags) -> Result<Plan, Refusal> {
    file.run.format = Some(format);
    let base = if file.entrants.is_empty() && format == Format::Gauntlet {
        PlanFile::shipped()
    } else {
        add_missing_side(&mut file, format);
        PlanFile { run: RunFile { name: None, ..PlanFile::defaults().run }, ..PlanFile::defaults() }
    };
    check(completed(file, base), flags)
}

/// How many games a sequential test may take where nobody says: more than bounds worth testing need.
const GAMES_OF_A_TEST: u32 = 1_000_000;

/// A plan with what it does not say taken from another. A test ends by its verdict, not by a number of games that was
/// meant for gauntlets.
fn completed(mut file: PlanFile, base: PlanFile) -> PlanFile {
    let goes_by_results = matches!(file.run.format, Some(Format::Knockout | Format::Swiss));
    if file.sprt.is_some() && !goes_by_results {
        file.run.games.get_or_insert(GAMES_OF_A_TEST);
    }
    file.or(base)
}

/// The plan of a file, changed by flags.
pub(super) fn plan_of_file(path: &Path, flags: &RunFlags) -> Result<Plan, Refusal> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("read {}", path.display())).or_usage()?;
    let file = PlanFile::parse(&text, &path.display().to_string()).or_usage()?;
    let base = PlanFile { run: RunFile { name: None, ..PlanFile::defaults().run }, ..PlanFile::defaults() };
    check(completed(file_of_flags(flags).or_usage()?.or(file), base), flags)
}

fn check(file: PlanFile, flags: &RunFlags) -> Result<Plan, Refusal> {
    let registry = registry(flags.engines.as_deref())?;
    let mut plan = Plan::check(&file, &registry).or_usage()?;
    refuse_slots(flags.concurrency, plan.fleet.is_some())?;
    make_absolute(&mut plan);
    Ok(plan)
}

/// How many games are played at once is for each worker to say, where there are any. A plan may say so for both ways.
pub(super) fn refuse_slots(typed: Option<usize>, is_elsewhere: bool) -> Result<(), Refusal> {
    match typed {
        Some(_) if is_elsewhere => {
            Err(anyhow!("--concurrency: leave it out with --nats, and give it to each worker")).or_usage()
        }
        _ => Ok(()),
    }
}

/// In a gauntlet the side of which nothing was said is Smalt: whole as challenger, weakened as opponents.
fn add_missing_side(file: &mut PlanFile, format: Format) {
    if format != Format::Gauntlet || file.run.seeds.is_some() {
        return;
    }
    let has = |role: Role| file.entrants.iter().any(|entrant| entrant.role == Some(role));
    let missing = match (has(Role::Challenger), has(Role::Opponent)) {
        (false, _) => Role::Challenger,
        (true, false) => Role::Opponent,
        (true, true) => return,
    };
    let wanted =
        |entrant: &EntrantFile| (entrant.role == Some(Role::Challenger)) == (missing == Role::Challenger);
    let mut entrants: Vec<_> = PlanFile::shipped().entrants.into_iter().filter(wanted).collect();
    match missing {
        Role::Challenger => file.entrants.splice(0..0, entrants.drain(..)).for_each(drop),
        Role::Opponent => file.entrants.append(&mut entrants),
    }
}

/// The registry of this file (or of the configuration folder), and the shipped one behind it.
pub(super) fn registry(path: Option<&Path>) -> Result<Registry, Refusal> {
    let own = match path {
        Some(path) => Some(path.to_owned()),
        None => Registry::user_file().filter(|path| path.exists()),
    };
    let Some(path) = own else { return Ok(Registry::shipped()) };
    let text =
        std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display())).or_usage()?;
    let name = path.display().to_string();
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(Registry::parse(&text, &name).or_usage()?.or(Registry::shipped()));
    }
    let (registry, left_out) = Registry::parse_cutechess(&text, &name).or_usage()?;
    for engine in left_out {
        tell(&format!("{name}: {:?} cannot be used: {}", engine.name, engine.reason));
    }
    Ok(registry.or(Registry::shipped()))
}

/// Paths mean the same from every folder, so that a run can be resumed from another one.
pub(super) fn make_absolute(plan: &mut Plan) {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    if ![EMBEDDED_OPENINGS, CHESS960_OPENINGS, START_POSITION]
        .iter()
        .any(|name| plan.openings.file == Path::new(name))
    {
        plan.openings.file = absolute(&plan.openings.file);
    }
    if let Some(rule) = &mut plan.tablebases {
        let folders = std::env::split_paths(&rule.path).map(|folder| absolute(&folder));
        // Folders that cannot be joined again had no colon in them to part them.
        rule.path = std::env::join_paths(folders).map_or_else(|_| rule.path.clone(), PathBuf::from);
    }
    if let Some(FleetPlan { server, .. }) = &mut plan.fleet {
        let ServerAddress { password_file, creds, nkey, ca, cert, key, .. } = server;
        for path in [password_file, creds, nkey, ca, cert, key].into_iter().flatten() {
            *path = absolute(path);
        }
    }
    for entrant in &mut plan.entrants {
        entrant.stderr = entrant.stderr.as_ref().map(absolute);
        entrant.directory = entrant.directory.as_ref().map(absolute);
        if let Program::Command(path) = &mut entrant.program
            && path.components().count() > 1
            && path.exists()
            && !entrant.directory.as_ref().is_some_and(|directory| directory.join(&*path).exists())
        {
            *path = absolute(path);
        }
    }
}

fn file_of_flags(flags: &RunFlags) -> Result<PlanFile, WordsError> {
    let entrant = |text: &String, role: Option<Role>| {
        parse_entrant(text).map(|entrant| EntrantFile { role, ..EntrantFile::from(entrant) })
    };
    // Those who say how many challenge name everybody in one list.
    let engine_role = flags.seeds.is_none().then_some(Role::Challenger);
    let engines = flags.engine.iter().map(|text| entrant(text, engine_role));
    // Where a file ends to which is to be appended.
    let end_of = |file: &Option<PathBuf>| file.as_deref().filter(|_| flags.append).map(bytes_of);
    let opponents = flags.opponent.iter().map(|text| entrant(text, Some(Role::Opponent)));
    Ok(PlanFile {
        run: RunFile {
            name: flags.name.clone(),
            site: flags.site.clone(),
            format: None,
            games: flags.games,
            rounds: flags.rounds,
            seeds: flags.seeds,
            noswap: flags.noswap.then_some(true),
            same_lead: flags.same_lead.then_some(true),
            reverse: flags.reverse.then_some(true),
            shuffle: flags.shuffle.then_some(true),
            tiebreak_pairs: flags.tiebreak_pairs,
            seed: flags.seed,
            concurrency: flags.concurrency,
            on_fault: flags.on_fault.or(flags.recover.then_some(OnFault::Recover)),
            strike_after: flags.strike_after,
            bad_options: flags.bad_options,
            wait: flags.wait,
            variant: flags.variant,
            affinity: flags.affinity.clone().map(Text),
        },
        clock: ClockFile {
            tc: flags.tc.clone().map(Text),
            movetime: flags.movetime,
            nodes: flags.nodes,
            depth: flags.depth,
            timemargin: flags.timemargin,
            longest_move: flags.longest_move,
            hourglass: flags.hourglass.then_some(true),
            scale: flags.scale_clock,
            measured: None,
        },
        timeouts: flags.timeouts.clone().unwrap_or_default(),
        openings: OpeningsFile {
            file: flags.openings.clone(),
            order: flags.order,
            start: flags.start,
            plies: flags.plies,
            format: flags.book_format,
            book_depth: flags.book_depth,
            repeat: flags.no_repeat.then_some(false),
            policy: flags.opening_policy,
        },
        adjudication: AdjudicationFile {
            draw: flags.draw.clone(),
            resign: flags.resign.clone(),
            mate: flags.mate.clone(),
            tablebases: flags.tb.clone().map(|path| {
                Switch::On(TablebaseRule {
                    path,
                    pieces: flags.tb_pieces.unwrap_or(0),
                    adjudicate: flags.tb_adjudicate.unwrap_or_default(),
                    fifty: flags.tb_fifty.unwrap_or_default(),
                })
            }),
            maxmoves: flags.maxmoves,
        },
        sprt: flags.test.ask().then(|| sprt_file(&flags.test)),
        fleet: flags.fleet.file(),
        output: OutputFile {
            store: flags.store.clone(),
            pgn: flags.pgn.clone(),
            pgn_comments: (!flags.pgn_comments.is_empty()).then(|| flags.pgn_comments.clone()),
            pgn_form: flags.pgn_form,
            pgn_notation: flags.pgn_notation,
            pgn_times: flags.pgn_times,
            pgn_after: flags.pgn_after.or(end_of(&flags.pgn)),
            json: flags.show.json.clone(),
            events: flags.show.events.clone(),
            epd: flags.show.epd.clone(),
            epd_after: flags.epd_after.or(end_of(&flags.show.epd)),
            log: flags.show.log.clone(),
            serve: flags.show.serve,
            serve_token: flags.show.serve_token.clone(),
            serve_after: flags.show.serve_after.then_some(true),
            rating_interval: flags.show.rating_interval,
        },
        each: flags.each.as_deref().map(parse_each).transpose()?,
        entrants: engines.chain(opponents).collect::<Result<_, _>>()?,
    })
}

/// What holds for each entrant: only `key=value` words.
fn parse_each(text: &str) -> Result<EntrantFile, WordsError> {
    parse_keys(&split_words(text)?).map(EntrantFile::from)
}

fn sprt_file(flags: &SprtFlags) -> SprtFile {
    SprtFile {
        elo0: flags.elo0,
        elo1: flags.elo1,
        alpha: flags.alpha,
        beta: flags.beta,
        model: flags.model.map(Text),
    }
}
