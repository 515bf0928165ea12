//! The exit codes as this program means them, one table.

pub(super) use smalt_workbench::exit::{Exit, OrRefuse, Refusal};

/// The table, for `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0    all that was asked was done (whatever the engines missed)
  1    failed while running
  2    wrong usage or input file
  3    finished, but something was left out: lines that could not be read,
       positions without a valid answer since an engine failed
  130  interrupted; what was done until then was written";
