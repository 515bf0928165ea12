//! The table of exit codes.

pub(super) use smalt_workbench::exit::{Exit, OrRefuse, Refusal};

/// The table, for `--help`.
pub(super) const HELP: &str = "\
Exit codes:
  0    success: everything was played and stored
  1    failed while running (stored games stay, and the run can be resumed); check: the engine failed
  2    wrong usage, plan or input file
  3    finished, but games were skipped because an engine could not be started
  10   --exit-on-verdict: the SPRT accepted H0 (0: H1)
  11   --exit-on-verdict: the SPRT is undecided
  130  interrupted by Ctrl-C; resume with: smalt-tournament resume RUN.db
  143  ended by SIGTERM; resume likewise
serve, play and queue run end with 0 at Ctrl-C and SIGTERM, which is how to stop them.";
