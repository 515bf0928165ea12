//! The command line: commands, flags, exit codes, displays. The only module that prints.

mod arguments;
mod bisect;
mod bisect_commits;
mod check;
mod compat;
mod continued_run;
mod ctl;
mod data;
mod datagen;
mod display;
mod elo;
mod emulation;
mod engines;
mod events;
mod exit;
mod export;
mod fleet;
mod games;
mod intent;
mod openings;
mod outcome;
mod output;
mod output_names;
mod output_style;
mod page_address;
mod planned_resume;
mod play;
mod play_page;
mod plot;
mod queue;
mod queued;
mod ratings;
mod registry;
mod report;
mod resume;
mod run_files;
mod run_flags;
mod schema;
mod serve;
mod session;
mod signals;
mod started_run;
mod status;
mod stored_run;
mod view;
mod webhook;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use clap::CommandFactory;
use smalt_driver::process::{
    adopt_orphans, catch_file_size_signal, end_orphans, raise_file_limit, run_reaper,
};
use smalt_stats::{Counts, Pentanomial, Wdl};

use arguments::{Command, TournamentArgs};
use compat::Dialect;
use elo::CountList;
use exit::{Exit, OrRefuse, Refusal};
use output_style::OutputStyle;
use run_flags::RunFlags;
use schema::SchemaName;
use smalt_match::estimate::estimate;
use smalt_match::plan::{Format, Plan};
use smalt_workbench::output_file::Existing;
use smalt_workbench::signals::exit_code;

/// Runs the program; `engine` is its behavior as the engine `builtin`.
pub fn main(engine: fn() -> ExitCode) -> ExitCode {
    let command = compat_command().unwrap_or_else(|| smalt_about::parse::<TournamentArgs>().command);
    if !matches!(command, Command::Engine | Command::Reaper | Command::About(_)) {
        prepare_for_engines();
    }
    let result = run(command, engine);
    end_orphans();
    match result {
        Ok(code) => code,
        Err(refusal) => {
            output::print_info(&format!("smalt-tournament: {refusal}"));
            exit_code(refusal.exit)
        }
    }
}

/// The command of a link or copy of this program with the name fastchess, cutechess-cli or c-chess-cli. Child processes of
/// this program keep their own command lines.
fn compat_command() -> Option<Command> {
    let mut arguments = std::env::args_os();
    let dialect = compat::dialect_of(Path::new(&arguments.next()?))?;
    let arguments: Vec<String> = arguments.map(OsString::into_string).collect::<Result<_, _>>().ok()?;
    if let Some("reaper" | "engine") = arguments.first().map(String::as_str) {
        return None;
    }
    Some(match dialect {
        Dialect::Fastchess => Command::Fastchess { arguments },
        Dialect::Cutechess => Command::Cutechess { arguments },
        Dialect::CChessCli => Command::CChessCli { arguments },
    })
}

/// Prepares the process for many engines, and for limits of the system.
fn prepare_for_engines() {
    catch_file_size_signal();
    raise_file_limit();
    if let Err(error) = adopt_orphans() {
        output::print_info(&format!("Warning: child processes of engines may survive them: {error}"));
    }
}

fn run(command: Command, engine: fn() -> ExitCode) -> Result<ExitCode, Refusal> {
    let exit = match command {
        Command::Engine => return Ok(engine()),
        Command::About(about) => {
            output::print_with(|out| about.run(TournamentArgs::command(), out))?;
            Exit::Done
        }
        Command::Reaper => {
            run_reaper(std::io::stdin().lock());
            Exit::Done
        }
        Command::Gauntlet(flags) => play(Format::Gauntlet, &flags)?,
        Command::RoundRobin(flags) => play(Format::RoundRobin, &flags)?,
        Command::Match(flags) => play(Format::Match, &flags)?,
        Command::Knockout(flags) => play(Format::Knockout, &flags)?,
        Command::Pyramid(flags) => play(Format::Pyramid, &flags)?,
        Command::Swiss(flags) => play(Format::Swiss, &flags)?,
        Command::Race(flags) => play(Format::Race, &flags)?,
        Command::Datagen(flags) => datagen::datagen(&flags)?,
        Command::Sprt(flags) => play::play(intent::plan_of_test(&flags)?, OutputStyle::native(flags.quiet))?,
        Command::Bisect(flags) => bisect::bisect(&flags)?,
        Command::Queue(flags) => queue::queue(&flags, queued::checked)?,
        Command::Run { plan, resume, flags } => {
            let (plan, layer) = intent::plan_and_layer_of_file(&plan, &flags)?;
            let style = OutputStyle::native(flags.quiet);
            match plan.settings.output.store.clone() {
                None if resume => {
                    let words =
                        "--resume needs the name of the store: give --store RUN.db, or store in [output]";
                    return Err(anyhow!(words)).or_usage();
                }
                Some(store) if resume && store.exists() => {
                    planned_resume::resume_plan(plan, layer, &store, style)?
                }
                _ => play::play(plan, style)?,
            }
        }
        Command::Plan { shipped: true, .. } => {
            output::print(smalt_data::GAUNTLET.text)?;
            Exit::Done
        }
        Command::Plan { schema: true, .. } => {
            schema::schema(SchemaName::Plan)?;
            Exit::Done
        }
        Command::Plan { from: Some(path), flags, drawn_pairs, .. } => {
            print_plan(&intent::plan_of_file(&path, &flags)?, drawn_pairs)?;
            Exit::Done
        }
        Command::Plan { format, flags, drawn_pairs, .. } => {
            let format = format.unwrap_or(if flags.settings.given.contains_key("sprt") {
                Format::Match
            } else {
                Format::Gauntlet
            });
            print_plan(&intent::plan_of_flags(format, &flags)?, drawn_pairs)?;
            Exit::Done
        }
        Command::Resume(flags) => resume::resume(&flags, OutputStyle::native(flags.quiet))?,
        Command::Ctl(flags) => ctl::ctl(&flags)?,
        Command::Status(flags) => status::status(&flags)?,
        Command::Serve(flags) => serve::serve(&flags)?,
        Command::Play(flags) => play_page::play(&flags)?,
        Command::Standings { store, json, table } => view::standings(&store, json.as_deref(), table)?,
        Command::Fastchess { arguments } => emulation::run(Dialect::Fastchess, &arguments)?,
        Command::Cutechess { arguments } => emulation::run(Dialect::Cutechess, &arguments)?,
        Command::CChessCli { arguments } => emulation::run(Dialect::CChessCli, &arguments)?,
        Command::Engines(flags) => engines::engines(&flags)?,
        Command::Check(flags) => check::check(&flags)?,
        Command::Ratings(flags) => ratings::ratings(&flags)?,
        Command::Export(flags) => export::export(&flags)?,
        Command::Plot(flags) => plot::plot(&flags)?,
        Command::Report(flags) => report::report(&flags)?,
        Command::Elo { wdl, penta, test, json, force } => {
            let pairs = penta.map(|pairs| Counts::Pairs(Pentanomial(pairs.0)));
            let games =
                wdl.map(|CountList([wins, draws, losses])| Counts::Games(Wdl::new(wins, draws, losses)));
            let counts = pairs
                .or(games)
                .context(
                    "there is nothing to compute: give --wdl W,D,L (games) or --penta LL,LD,DD,WD,WW (pairs)",
                )
                .or_usage()?;
            elo::elo(counts, &test, json.as_deref(), Existing::with_force(force))?
        }
        Command::Schema { name } => {
            schema::schema(name)?;
            Exit::Done
        }
        Command::Openings(flags) => openings::openings(&flags)?,
        #[cfg(feature = "nats")]
        Command::Worker(flags) => fleet::worker(&flags)?,
    };
    Ok(exit_code(exit))
}

/// Prints the plan as a file, with the schema of the shipped plan and the estimate as comments.
fn print_plan(plan: &Plan, drawn_pairs: Option<f64>) -> Result<(), Refusal> {
    let estimate: String = estimate(plan, drawn_pairs).lines().map(|line| format!("# {line}\n")).collect();
    let schema = smalt_data::GAUNTLET.text.lines().next().unwrap_or_default();
    output::print(&format!(
        "{schema}\n# The schema of the first line, with which editors check a plan: smalt-tournament schema plan > plan.schema.json\n\
         {estimate}\n{}",
        plan.settings.to_toml()
    ))
}

fn play(format: Format, flags: &RunFlags) -> Result<Exit, Refusal> {
    play::play(intent::plan_of_flags(format, flags)?, OutputStyle::native(flags.quiet))
}
