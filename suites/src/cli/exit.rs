//! Exit codes of the program.

pub(super) use smalt_workbench::exit::{Exit, OrRefuse, Refusal};

/// The table, for `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0    success (also when engines missed positions)
  1    failed while running
  2    wrong usage or input file
  3    finished, but something was skipped: lines that could not be read,
       positions without a valid answer because an engine failed
  130  interrupted by Ctrl-C; results up to then were written
  143  ended by SIGTERM; results likewise";
