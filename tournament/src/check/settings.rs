//! Declared options, and the exit.

use smalt_driver::process::Exit;
use smalt_driver::{Engine, ExitOutcome, WaitContext};
use smalt_protocol::option::OptionKind;

use super::{Notes, StepError};

/// Defaults must be within their ranges, and setting each default must work.
pub(super) fn options(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let declared = engine.options().to_vec();
    notes.take_transcript(engine);
    for option in &declared {
        let name = &option.name;
        match &option.kind {
            OptionKind::Spin { default, min, max } if min > max => {
                let words = "its minimum is above its maximum";
                notes.warn_of(name, format!("option {name:?}: {words}: {min} to {max}, default {default}"));
            }
            OptionKind::Spin { default, min, max } if default < min || default > max => {
                let words = format!("option {name:?}: its default {default} is outside of {min} to {max}");
                notes.warn_of(name, words);
            }
            OptionKind::Combo { default, choices } if !choices.contains(default) => {
                let choices = choices.join(", ");
                notes.warn_of(
                    name,
                    format!("option {name:?}: its default {default:?} is not among {choices}"),
                );
            }
            _ => {}
        }
    }
    let context = &mut WaitContext::none();
    let mut set = 0;
    for option in &declared {
        // Text options are mostly file names, and some engines crash on their own empty default.
        if matches!(option.kind, OptionKind::Text { .. }) {
            continue;
        }
        let Some(value) = option.default_value() else { continue };
        if option.parse_value(&value.to_string()).is_ok() {
            engine.set_option(&option.name, &value.to_string(), context)?;
            set += 1;
        }
    }
    engine.ping(context)?;
    notes.ok(format!("declares {} options, and accepts {set} defaults", declared.len()));
    Ok(())
}

/// The engine must exit on quit.
pub(super) fn quit(engine: &mut dyn Engine, notes: &mut Notes) -> Result<(), StepError> {
    let farewell = engine.quit();
    notes.take_transcript(engine);
    match farewell {
        ExitOutcome::Quit(Exit::Code(0)) => notes.ok("exits on quit"),
        ExitOutcome::Quit(exit) => notes.warn(format!("exits on quit, but {exit}")),
        ExitOutcome::Terminated(_) => notes.warn("does not exit on quit, only after SIGTERM"),
        ExitOutcome::Killed => notes.warn("does not exit on quit, and had to be killed"),
        ExitOutcome::Gone => notes.fail("had exited before quit"),
    }
    Ok(())
}
