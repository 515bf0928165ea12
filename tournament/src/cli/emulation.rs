//! Runs the command lines of fastchess, cutechess-cli and c-chess-cli.

use super::compat::{self, Dialect, Request};
use super::exit::{Exit, Refusal};
use super::output::print;
use super::output_style::OutputStyle;
use super::run_flags::ResumeFlags;
use super::{check, play, resume};

/// Runs a command line of the dialect.
pub(super) fn run(dialect: Dialect, arguments: &[String]) -> Result<Exit, Refusal> {
    let exit = carry_out(dialect, arguments)?;
    // fastchess returns 1 after a signal.
    let fails = exit == Exit::Interrupted && dialect == Dialect::Fastchess;
    Ok(if fails { Exit::Failed } else { exit })
}

fn carry_out(dialect: Dialect, arguments: &[String]) -> Result<Exit, Refusal> {
    match compat::request(dialect, arguments)? {
        Request::Play(translation) => {
            let compat::Translation { plan, shown } = *translation;
            play::play(plan, OutputStyle::Compat(Box::new(shown)))
        }
        Request::Resume { store, concurrency, recovers, log, shown } => {
            let mut flags = ResumeFlags { store, recover: recovers, ..ResumeFlags::default() };
            flags.settings.set_concurrency(concurrency);
            flags.settings.set_log(log.as_deref());
            resume::resume(&flags, OutputStyle::Compat(shown))
        }
        Request::Version => {
            print(&compat::version_text(dialect))?;
            Ok(Exit::Done)
        }
        Request::Help(text) => {
            print(&text)?;
            Ok(Exit::Done)
        }
        Request::Compliance { program, arguments } => check::compliance(&program, &arguments),
        Request::Engines(names) => {
            print(&names.iter().map(|name| format!("{name}\n")).collect::<String>())?;
            Ok(Exit::Done)
        }
    }
}
