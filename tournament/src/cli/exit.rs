//! The exit codes as this program means them, one table.

pub(super) use smalt_workbench::exit::{Exit, OrRefuse, Refusal};

/// The table, for `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0    all that was asked was done and stored
  1    failed while running (what was stored stays, and can be resumed); of check: the engine is not fit
  2    wrong usage, plan or input file
  3    finished, but games were left out since an engine could not be started
  130  interrupted; go on with: smalt-tournament resume RUN.db";
