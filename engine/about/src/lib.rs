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
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ColorChoice, Command, Parser, Subcommand, ValueEnum};
use clap_complete::CompleteEnv;
pub use clap_complete::engine::ArgValueCompleter;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;
pub use faster_build::{BUILD, mark_of_faster_build, run_faster_build, run_faster_engine};

/// The version; builds between releases have commit and date in brackets, builds outside the repository `no git`.
pub const VERSION: &str = env!("SMALT_VERSION");

/// Environment variable by which a completion script requests candidates.
const COMPLETE: &str = "SMALT_COMPLETE";

/// First line of the table of exit codes in the help of a program.
const EXIT_CODES: &str = "Exit codes:\n";

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
                let mut program = for_manual(program).disable_help_subcommand(true);
                program.build();
                let help = program.get_after_help().map(ToString::to_string).unwrap_or_default();
                let codes = help.split_once(EXIT_CODES).map(|(_, codes)| codes.to_owned());
                write_manual(program, codes.as_deref(), output)
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

/// Writes the pages of a command and of those below it. `codes` is the table of exit codes at the end of the program's help.
fn write_manual(mut command: Command, codes: Option<&str>, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_manual(below.clone(), codes, folder)?;
    }
    let usage = command.render_usage().to_string();
    // The page of the program has the table at its end.
    let has_codes = command.get_after_help().is_some_and(|help| help.to_string().contains(EXIT_CODES));
    let command = command.override_usage(usage.trim_start_matches("Usage: ").to_owned());
    let page = clap_mangen::Man::new(command).generate_to(folder)?;
    if let Some(codes) = codes.filter(|_| !has_codes) {
        let lines: String =
            codes.lines().map(|line| format!("{}\n.br\n", line.trim_end().replace('-', "\\-"))).collect();
        File::options()
            .append(true)
            .open(page)?
            .write_all(format!(".SH \"EXIT STATUS\"\n{lines}").as_bytes())?;
    }
    Ok(())
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
        AboutCommand::augment_subcommands(Command::new("runner").subcommand(play))
            .about("Plays")
            .after_help("Example:\n  runner play\n\nExit codes:\n  0  success of --games\n  1  failure")
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
        assert!(page.contains("\n\\fBrunner play\\fR [OPTIONS]\n"), "{page}");
        let codes = ".SH \"EXIT STATUS\"\n  0  success of \\-\\-games\n.br\n  1  failure\n.br\n";
        assert!(page.ends_with(codes), "{page}");
    }

    #[test]
    fn the_reference_has_options_with_defaults() {
        let text = run(&["runner", "reference"]);
        assert!(text.starts_with("# runner\n\nPlays\n"), "{text}");
        assert!(text.contains("| `--games <N>` | Number of games \\| pairs | `8` |"), "{text}");
        assert!(!text.contains("runner man"), "{text}");
    }
}
