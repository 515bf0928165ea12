//! Flags of the commands that play or resume a run.

use std::path::PathBuf;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, FromArgMatches};
use smalt_about::names_or_files;
use smalt_match::plan::{Flags, Settings, settings_of_flags};
use smalt_workbench::entrant::Registry;
use smalt_workbench::flags::RegistryFlag;

/// Flags of all commands that play.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct RunFlags {
    /// Engine (in a gauntlet: a challenger), e.g. ./new; may be repeated
    #[arg(long, alias = "candidate", value_name = "ENGINE", help_heading = "Engines", add = names_or_files(Registry::names_to_complete))]
    pub engine: Vec<String>,
    /// Opponent of the challengers, e.g. stockfish; may be repeated
    #[arg(long, alias = "base", value_name = "ENGINE", help_heading = "Engines", add = names_or_files(Registry::names_to_complete))]
    pub opponent: Vec<String>,
    /// Default settings of every engine, as key=value words, e.g. 'tc=10+0.1 option.Hash=64'
    #[arg(long, value_name = "WORDS", help_heading = "Engines")]
    pub each: Option<String>,
    /// Two revisions of a git repository to test, NEW against BASE, built by --build, e.g. main..HEAD
    #[arg(long, value_name = "BASE..NEW", help_heading = "Engines", requires = "build", conflicts_with_all = ["engine", "opponent"])]
    pub git: Option<String>,
    /// Shell command that builds the program {exe} of engines with repo= or --git, e.g. 'make EXE={exe}'
    #[arg(long, value_name = "COMMAND", help_heading = "Engines")]
    pub build: Option<String>,
    #[command(flatten, next_help_heading = "Engines")]
    pub engines: RegistryFlag,
    /// All settings of a plan.
    #[command(flatten)]
    pub settings: Flags<Settings>,
    /// Recovery after faults: short for --on-fault recover
    #[arg(long, conflicts_with = "on_fault", hide = true)]
    pub recover: bool,
    /// All timeouts at once: 'start=10 ping=10 stop=5 write=5 quit=5'
    #[arg(id = "timeout_words", long = "timeouts", value_name = "WORDS", hide = true)]
    pub timeouts: Option<String>,
    /// Append to the files of --pgn and --epd; other runs may append to them at the same time
    #[arg(long, requires = "pgn", help_heading = "Output")]
    pub append: bool,
    /// Print only the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Whether engines given as commits are built.
    #[arg(skip)]
    pub commits: Commits,
}

/// What happens with engines that are given as commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Commits {
    #[default]
    Build,
    /// Find the commit and the path of its program, which may not be built yet.
    Locate,
}

/// Flags of `resume`. All other settings stay as they were.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct ResumeFlags {
    /// Store of the run
    #[arg(id = "resumed", value_name = "RUN.db")]
    pub store: PathBuf,
    /// The settings that may be changed.
    #[command(flatten)]
    pub settings: ResumableFlags,
    /// Recovery after faults: short for --on-fault recover
    #[arg(long, conflicts_with = "on_fault", hide = true)]
    pub recover: bool,
    /// Print only the result and errors
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// The flags of the settings that `resume` may change.
#[derive(Clone, Debug, Default)]
pub(super) struct ResumableFlags(pub Flags<Settings>);

impl ResumableFlags {
    const IDS: [&str; 25] = [
        "games", "concurrency", "on_fault", "disqualify_after", "json", "events", "epd", "log", "serve",
        "token_file", "serve_after", "rating_interval", "webhook", "exit_on_verdict", "nats", "user",
        "password_file", "creds", "nkey", "ca", "cert", "key", "lease", "allow_mixed", "send_files",
    ];

    /// Another number of concurrent games.
    pub(super) fn set_concurrency(&mut self, games: Option<std::num::NonZeroUsize>) {
        let games = games.and_then(|games| i64::try_from(games.get()).ok());
        let run = games.map(|games| toml::Table::from_iter([("concurrency".to_owned(), games.into())]));
        self.0.given.extend(run.map(|run| ("run".to_owned(), toml::Value::Table(run))));
    }

    /// Another folder for the output of engines.
    pub(super) fn set_log(&mut self, folder: Option<&std::path::Path>) {
        let folder = folder.and_then(std::path::Path::to_str);
        let output = folder.map(|folder| toml::Table::from_iter([("log".to_owned(), folder.into())]));
        self.0.given.extend(output.map(|output| ("output".to_owned(), toml::Value::Table(output))));
    }

    /// The settings of a layer that `resume` may change.
    pub(super) fn part_of(layer: toml::Table) -> toml::Table {
        settings_of_flags(layer, &ResumableFlags::IDS)
    }

    /// The flags of all other settings.
    fn fixed() -> impl Iterator<Item = Arg> {
        let all = Flags::<Settings>::augment_args(clap::Command::new("settings"));
        let fixed = |arg: &&Arg| !ResumableFlags::IDS.contains(&arg.get_id().as_str());
        all.get_arguments().filter(fixed).cloned().collect::<Vec<_>>().into_iter()
    }
}

impl Args for ResumableFlags {
    fn augment_args(command: clap::Command) -> clap::Command {
        let command = Flags::<Settings>::augment_args(command);
        Self::fixed().fold(command, |command, arg| command.mut_arg(arg.get_id(), |arg| arg.hide(true)))
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ResumableFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let is_given =
            |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        match Self::fixed().find(is_given) {
            Some(arg) => {
                let flag = arg.get_long().unwrap_or_default();
                let message = format!("--{flag} cannot be changed on resume\n");
                Err(clap::Error::raw(clap::error::ErrorKind::ArgumentConflict, message))
            }
            None => Flags::<Settings>::from_arg_matches(matches).map(Self),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_resumable_setting_has_a_flag() {
        let all = Flags::<Settings>::augment_args(clap::Command::new("settings"));
        let exists = |id: &&str| all.get_arguments().any(|arg| arg.get_id() == *id);
        let missing: Vec<_> = ResumableFlags::IDS.into_iter().filter(|id| !exists(id)).collect();
        assert_eq!(missing, [""; 0]);
    }

    #[test]
    fn the_queue_knows_which_flags_of_resume_have_no_value() {
        let resume = ResumeFlags::augment_args(clap::Command::new("resume"));
        let has_no_value = |arg: &&Arg| !arg.is_positional() && !arg.get_action().takes_values();
        let is_resumable = |arg: &&Arg| {
            let id = arg.get_id().as_str();
            ResumableFlags::IDS.contains(&id) || ["recover", "quiet"].contains(&id)
        };
        let mut flags: Vec<String> = Vec::new();
        for arg in resume.get_arguments().filter(has_no_value).filter(is_resumable) {
            flags.extend(arg.get_long().map(|long| format!("--{long}")));
            flags.extend(arg.get_short().map(|short| format!("-{short}")));
        }
        flags.sort();
        let mut known = smalt_queue::job::RESUME_SWITCHES;
        known.sort_unstable();
        assert_eq!(flags, known);
    }
}
