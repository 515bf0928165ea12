//! Command lines of new jobs: checked as their program will read them, and their revisions replaced by hashes.

use std::path::Path;

use anyhow::{Context, anyhow};
use clap::Parser;
use smalt_match::plan::{Format, Plan};
use smalt_workbench::entrant::{Registry, to_words};
use smalt_workbench::source::{self, BuildError, Built, Source};
use toml::{Table, Value};

use super::arguments::{Command, TournamentArgs};
use super::exit::{OrRefuse, Refusal};
use super::run_flags::{Commits, RunFlags};
use super::{bisect, datagen, intent, registry};

/// Flags whose values are engines.
const ENGINE_FLAGS: [&str; 4] = ["--engine", "--candidate", "--opponent", "--base"];

/// Checks the command line of a job, and replaces the revisions in it by hashes, so that the job plays the commits of today
/// whatever is checked out when it starts. `notify` gets a line for each revision. The flags of other programs are not checked.
pub(super) fn checked(words: &[String], notify: &mut dyn FnMut(&str)) -> Result<Vec<String>, Refusal> {
    let first = words.first().map(String::as_str).unwrap_or_default();
    match first {
        "spsa" | "clop" => return Pinning::new(&RunFlags::default(), notify)?.apply(words.to_vec()),
        "score" => return Ok(words.to_vec()),
        _ => {}
    }
    let typed = ["smalt-tournament"].into_iter().chain(words.iter().map(String::as_str));
    let parsed = TournamentArgs::try_parse_from(typed);
    let mut command = parsed.map_err(|error| anyhow!(reason(&error))).or_usage()?.command;
    if let Some(flags) = run_flags(&mut command) {
        flags.commits = Commits::Locate;
    }
    let Some(plan) = plan_of(&command) else { return Ok(words.to_vec()) };
    plan?;
    let mut words = words.to_vec();
    if let Command::Run { plan, .. } = &command {
        move_to_front(&mut words, plan);
    }
    if let Command::Bisect(flags) = &command
        && !intent::given(&flags.run.settings.given, "run", "name")
        && let Some(range) = &flags.run.git
    {
        words.push(format!("--name=Bisection of {range}"));
    }
    match run_flags(&mut command) {
        Some(flags) => Pinning::new(flags, notify)?.apply(words),
        None => Ok(words),
    }
}

/// The message of a parser error without its prefix and usage.
fn reason(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let text = text.split("\n\nUsage:").next().unwrap_or_default();
    text.strip_prefix("error: ").unwrap_or(text).trim_end().to_owned()
}

/// The plan of a command that plays; `None` for others.
fn plan_of(command: &Command) -> Option<Result<Plan, Refusal>> {
    let (format, flags) = match command {
        Command::Gauntlet(flags) => (Format::Gauntlet, flags),
        Command::RoundRobin(flags) => (Format::RoundRobin, flags),
        Command::Match(flags) => (Format::Match, flags),
        Command::Knockout(flags) => (Format::Knockout, flags),
        Command::Pyramid(flags) => (Format::Pyramid, flags),
        Command::Swiss(flags) => (Format::Swiss, flags),
        Command::Race(flags) => (Format::Race, flags),
        Command::Sprt(flags) => return Some(intent::plan_of_test(flags)),
        Command::Datagen(flags) => return Some(datagen::plan(flags)),
        Command::Bisect(flags) => return Some(bisect::plan(flags)),
        Command::Run { plan, flags, .. } => return Some(intent::plan_of_file(plan, flags)),
        _ => return None,
    };
    Some(intent::plan_of_flags(format, flags))
}

fn run_flags(command: &mut Command) -> Option<&mut RunFlags> {
    match command {
        Command::Gauntlet(flags)
        | Command::RoundRobin(flags)
        | Command::Match(flags)
        | Command::Knockout(flags)
        | Command::Pyramid(flags)
        | Command::Swiss(flags)
        | Command::Race(flags)
        | Command::Sprt(flags)
        | Command::Run { flags, .. } => Some(flags),
        Command::Datagen(flags) => Some(&mut flags.run),
        Command::Bisect(flags) => Some(&mut flags.run),
        _ => None,
    }
}

/// Moves the plan file behind `run`, where the queue looks for it.
fn move_to_front(words: &mut Vec<String>, plan: &Path) {
    if let Some(at) = words.iter().skip(1).position(|word| Path::new(word) == plan) {
        let plan = words.remove(1 + at);
        words.insert(1, plan);
    }
}

/// Replaces revisions by hashes.
struct Pinning<'a> {
    registry: Registry,
    /// Settings of every engine.
    each: Table,
    build: String,
    notify: &'a mut dyn FnMut(&str),
}

impl<'a> Pinning<'a> {
    fn new(flags: &RunFlags, notify: &'a mut dyn FnMut(&str)) -> Result<Pinning<'a>, Refusal> {
        let registry = registry::registry(flags.engines.path.as_deref())?;
        let each = intent::each_of(&intent::layer_of_flags(flags, &registry)?);
        Ok(Pinning { registry, each, build: flags.build.clone().unwrap_or_default(), notify })
    }

    fn apply(&mut self, words: Vec<String>) -> Result<Vec<String>, Refusal> {
        let mut pinned: Vec<String> = Vec::new();
        for word in words {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, value),
                _ => (pinned.last().map(String::as_str).unwrap_or_default(), word.as_str()),
            };
            let prefix = word[..word.len() - value.len()].to_owned();
            let value = match flag {
                "--git" => self.range(value)?,
                flag if ENGINE_FLAGS.contains(&flag) => self.engine(value)?,
                _ => value.to_owned(),
            };
            pinned.push(prefix + &value);
        }
        Ok(pinned)
    }

    /// A range of the repository in the current folder.
    fn range(&mut self, range: &str) -> Result<String, Refusal> {
        let (base, new) = intent::ends_of_range(range).or_usage()?;
        let mut hash = |revision: &str| {
            let (repo, build) = (".".to_owned(), self.build.clone());
            let source = Source { repo, revision: revision.to_owned(), build, is_published: false };
            locate(&source, self.notify).map(|found| found.commit).or_usage()
        };
        Ok(format!("{}..{}", hash(base)?, hash(new)?))
    }

    /// An engine, which may be a commit.
    fn engine(&mut self, text: &str) -> Result<String, Refusal> {
        let typed = self.registry.parse_engine(text).with_context(|| format!("{text:?}")).or_usage()?;
        let (mut resolved, mut hash) = (typed.clone(), None);
        let mut program_of = |source: &Source| {
            let found = locate(source, self.notify)?;
            hash = Some(found.commit.clone());
            Ok(found)
        };
        source::resolve_entrants([&mut resolved], &self.each, &self.registry, &mut program_of).or_usage()?;
        let Some(hash) = hash else { return Ok(text.to_owned()) };
        let mut pinned = typed;
        pinned.insert("ref".to_owned(), Value::from(hash));
        Ok(to_words(&pinned))
    }
}

/// The commit of a revision.
fn locate(source: &Source, notify: &mut dyn FnMut(&str)) -> Result<Built, BuildError> {
    let found = source::locate(source, &source::cache_folder())?;
    if found.commit != source.revision {
        notify(&format!("{} is {}", source.revision, found.title));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use smalt_queue::NewJob;

    use super::*;

    #[test]
    fn every_command_that_plays_can_be_queued_and_is_checked() {
        for command in TournamentArgs::command().get_subcommands() {
            let name = command.get_name();
            let plays = name != "plan" && command.get_arguments().any(|arg| arg.get_id() == "git");
            let words = [name, "file"].map(str::to_owned);
            assert_eq!(NewJob::new(&words, ".".into()).is_ok(), plays || name == "resume", "{name}");
            if plays {
                let typed = ["smalt-tournament", name, "file"];
                let typed = if name == "run" { &typed[..] } else { &typed[..2] };
                let mut parsed = TournamentArgs::try_parse_from(typed).unwrap().command;
                assert!(plan_of(&parsed).is_some() && run_flags(&mut parsed).is_some(), "{name}");
            }
        }
    }

    #[test]
    fn the_revisions_of_all_engine_flags_are_replaced() {
        let command = TournamentArgs::command();
        let gauntlet = command.find_subcommand("gauntlet").unwrap();
        let mut flags: Vec<String> = Vec::new();
        let is_engine = |arg: &&clap::Arg| {
            arg.get_value_names().is_some_and(|names| names.iter().any(|name| name == "ENGINE"))
        };
        for arg in gauntlet.get_arguments().filter(is_engine) {
            let aliases = arg.get_all_aliases().unwrap_or_default();
            flags.extend(arg.get_long().into_iter().chain(aliases).map(|name| format!("--{name}")));
        }
        flags.sort();
        let mut known = ENGINE_FLAGS;
        known.sort_unstable();
        assert_eq!(flags, known);
    }
}
