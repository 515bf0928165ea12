//! Code shared by all programs: version with commit and date, shell completions, manual pages and colors from the clap
//! definition. Modules in reading order:
//!
//! - `reference`: the reference of a program's commands as Markdown;
//! - `processor`: the processor check;
//! - `faster_build`: the start of a faster build beside a portable one.

mod faster_build;
mod processor;
mod reference;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ColorChoice, Command, Parser, Subcommand, ValueEnum};
use clap_complete::CompleteEnv;
pub use clap_complete::engine::ArgValueCompleter;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
pub use faster_build::{BUILD, run_faster_build, run_faster_engine};

/// The version; builds between releases have commit and date in brackets, builds outside the repository `no git`.
pub const VERSION: &str = env!("SMALT_VERSION");

/// Environment variable by which a completion script requests candidates.
const COMPLETE: &str = "SMALT_COMPLETE";

/// Display order of the options that every command has: after its own, before `--help`.
const LAST: usize = 998;

/// The commands that every program has.
#[derive(Clone, Debug, Subcommand)]
pub enum AboutCommand {
    /// Print a completion script for a shell
    Completions {
        /// Shell: bash, zsh, fish, powershell or elvish
        #[arg(value_parser = ["bash", "zsh", "fish", "powershell", "elvish"])]
        shell: String,
    },
    /// Write the manual pages of all commands
    #[command(hide = true)]
    Man {
        /// Folder of the pages, created if missing
        #[arg(short, long, value_name = "FOLDER", default_value = "man")]
        output: PathBuf,
    },
    /// Print the reference of all commands as Markdown
    #[command(hide = true)]
    Reference,
}

impl AboutCommand {
    /// Runs the command for a program; writes text to `out`.
    ///
    /// # Errors
    /// If the pages or the text cannot be written.
    pub fn run(&self, program: Command, out: &mut dyn Write) -> io::Result<()> {
        let program = with_example(program);
        match self {
            AboutCommand::Completions { shell } => {
                let name = program.get_name().to_owned();
                match Shells::builtins().completer(shell) {
                    Some(completer) => {
                        completer.write_registration(COMPLETE, &name, &name, &name, out)?;
                        if shell == "zsh" { out.write_all(zsh_first_call(&name).as_bytes()) } else { Ok(()) }
                    }
                    None => Err(io::Error::other(format!("there is no completion for {shell}"))),
                }
            }
            AboutCommand::Man { output } => {
                std::fs::create_dir_all(output)?;
                clap_mangen::generate_to(for_manual(program), output)
            }
            AboutCommand::Reference => out.write_all(reference::markdown(program).as_bytes()),
        }
    }
}

/// Completes names and files, for values that are either.
pub fn names_or_files<N>(names: N) -> ArgValueCompleter
where
    N: Fn() -> Vec<String> + Send + Sync + 'static,
{
    ArgValueCompleter::new(move |current: &OsStr| {
        let typed = current.to_string_lossy();
        let names =
            names().into_iter().filter(|name| name.starts_with(&*typed)).map(CompletionCandidate::new);
        names.chain(PathCompleter::any().complete(current)).collect()
    })
}

/// The end of a script for zsh. A script that zsh finds in `$fpath` is loaded by the first completion, which it has to answer
/// itself; clap's only answers later ones.
fn zsh_first_call(program: &str) -> String {
    let function = program.replace('-', "_");
    format!("\n[[ $funcstack[1] != _{program} ]] || _clap_dynamic_completer_{function} \"$@\"\n")
}

/// The program with an example that names it in the help of `completions`.
fn with_example(program: Command) -> Command {
    let name = program.get_name().to_owned();
    let example = format!(
        "Example:\n  {name} completions bash > ~/.local/share/bash-completion/completions/{name}\n\n\
         The script asks the program itself for candidates, so that it fits every version."
    );
    program.mut_subcommand("completions", |command| command.after_help(example))
}

/// The program with the help of all arguments (clap_mangen prints no short help that `-h` hides), and with the version
/// in each command.
fn for_manual(program: Command) -> Command {
    program
        .version(VERSION)
        .mut_args(|argument| argument.hide_short_help(false))
        .mut_subcommands(|command| for_manual(command).disable_version_flag(true))
}

/// Colors of help and errors.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ColorFlag {
    /// Colors in help and errors: auto (on terminals, without NO_COLOR), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true, display_order = LAST)]
    pub color: ColorChoice,
}

/// Parses the command line of a program, or answers a completion script. Exits the process after a completion, help,
/// version or usage error.
pub fn parse<T: Parser>() -> T {
    parse_from(std::env::args_os().collect())
}

/// The same for given arguments, starting with the program's name.
pub fn parse_from<T: Parser>(arguments: Vec<OsString>) -> T {
    let folder = std::env::current_dir().ok();
    let completion = CompleteEnv::with_factory(T::command).var(COMPLETE);
    match completion.try_complete(arguments.iter().cloned(), folder.as_deref()) {
        Ok(true) => std::process::exit(0),
        Ok(false) => {}
        Err(error) => error.exit(),
    }
    let command = with_example(T::command()).color(color(&arguments));
    let parsed =
        command.try_get_matches_from(arguments).and_then(|mut found| T::from_arg_matches_mut(&mut found));
    parsed.unwrap_or_else(|error| error.exit())
}

/// The value of `--color`, which also applies to usage errors.
fn color(arguments: &[OsString]) -> ColorChoice {
    let words = || arguments.iter().filter_map(|word| word.to_str());
    let joined = words().find_map(|word| word.strip_prefix("--color="));
    let apart = words().skip_while(|word| *word != "--color").nth(1);
    joined.or(apart).and_then(|word| ColorChoice::from_str(word, true).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, FromArgMatches};

    fn program() -> Command {
        let play = Command::new("play").about("Play games").args([
            Arg::new("games")
                .long("games")
                .value_name("N")
                .default_value("8")
                .help("Number of games | pairs"),
            Arg::new("seed").long("seed").value_name("N").help("Random seed").hide_short_help(true),
        ]);
        AboutCommand::augment_subcommands(Command::new("runner").subcommand(play)).about("Plays")
    }

    fn run(words: &[&str]) -> String {
        let matches = program().try_get_matches_from(words).unwrap();
        let mut out = Vec::new();
        AboutCommand::from_arg_matches(&matches).unwrap().run(program(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_shell_has_a_script_that_asks_the_program() {
        for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
            let script = run(&["runner", "completions", shell]);
            assert!(script.contains("runner") && script.contains(COMPLETE), "{shell}: {script}");
        }
    }

    #[test]
    fn the_choice_of_colors_is_found_before_parsing() {
        let choice = |words: &[&str]| color(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(choice(&["x", "--color", "never"]), ColorChoice::Never);
        assert_eq!(choice(&["x", "play", "--color=always"]), ColorChoice::Always);
        assert_eq!(choice(&["x", "--color", "pink"]), ColorChoice::Auto);
        assert_eq!(choice(&["x"]), ColorChoice::Auto);
    }

    #[test]
    fn the_example_of_completions_names_the_program() {
        let text =
            with_example(program()).find_subcommand_mut("completions").unwrap().render_help().to_string();
        assert!(text.contains("runner completions bash"), "{text}");
    }

    #[test]
    fn each_visible_command_has_a_manual_page() {
        let folder = tempfile::tempdir().unwrap();
        run(&["runner", "man", "--output", folder.path().to_str().unwrap()]);
        let mut pages: Vec<_> = folder
            .path()
            .read_dir()
            .unwrap()
            .map(|page| page.unwrap().file_name().into_string().unwrap())
            .collect();
        pages.sort();
        assert_eq!(pages, ["runner-completions.1", "runner-play.1", "runner.1"]);
        let page = std::fs::read_to_string(folder.path().join("runner-play.1")).unwrap();
        assert!(page.contains(&format!("\"play {VERSION}\"")), "{page}");
        let lines: Vec<_> = page.lines().collect();
        // A paragraph with a tag: the flag, then its description.
        let options = || lines.split(|line| *line == ".TP").skip(1);
        assert_eq!(options().count(), 3, "{page}");
        for option in options() {
            assert!(option.len() > 1 && !option[1].is_empty() && !option[1].starts_with('.'), "{option:?}");
        }
        assert!(!page.contains("\\-\\-version"), "{page}");
    }

    #[test]
    fn the_reference_has_options_with_defaults() {
        let text = run(&["runner", "reference"]);
        assert!(text.starts_with("# runner\n\nPlays\n"), "{text}");
        assert!(text.contains("| `--games <N>` | Number of games \\| pairs | `8` |"), "{text}");
        assert!(!text.contains("runner man"), "{text}");
    }
}
