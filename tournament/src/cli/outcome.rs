//! Messages and exit code at the end of a run.

use std::path::Path;

use super::exit::Exit;
use super::output::print_info;
use smalt_match::plan::Plan;
use smalt_match::run::{Disqualification, RunOutcome};
use smalt_match::schedule::{CandidateRounds, Selection};
use smalt_match::standings::Standings;
use smalt_stats::bisection::BisectionVerdict;
use smalt_stats::sprt::Verdict;

/// Prints where the results are and how to continue.
pub(super) fn report_outcome(
    plan: &Plan,
    store: Option<&Path>,
    conclusion: &RunOutcome,
    standings: &Standings,
) -> Exit {
    if let Some(store) = store {
        print_info(&format!("Store: {}", store.display()));
    }
    if let Some(pgn) = &plan.settings.output.pgn {
        print_info(&format!("Games: {}", pgn.display()));
    }
    let store = store.map(|store| store.display().to_string()).unwrap_or_default();
    let resume = format!("resume with: smalt-tournament resume {store}");
    match conclusion {
        RunOutcome::Complete | RunOutcome::Decided if plan.settings.output.exit_on_verdict => {
            verdict(standings)
        }
        RunOutcome::Complete | RunOutcome::Decided => Exit::Done,
        RunOutcome::Incomplete { games, disqualified } | RunOutcome::Walkovers { games, disqualified } => {
            for (entrant, disqualification) in disqualified {
                print_info(&format!("{} {disqualification}", plan.entrants[*entrant].name));
            }
            print_info(&match conclusion {
                RunOutcome::Walkovers { .. } => {
                    format!("{games} games were lost as walkovers by disqualified entrants")
                }
                _ if disqualified.values().all(|reason| *reason == Disqualification::Withdrawn) => {
                    format!("{games} games were skipped; {resume}")
                }
                _ => format!("{games} games were skipped. Fix the cause, and {resume}"),
            });
            Exit::Skipped
        }
        RunOutcome::Interrupted => {
            print_info(&format!("Interrupted; {resume}"));
            Exit::Interrupted
        }
        RunOutcome::Stopped(words) => {
            print_info(&format!("Stopped after a fault ({words}); {resume}"));
            Exit::Failed
        }
    }
}

/// Exit code by the verdict of a sequential test or a bisection; success without one.
fn verdict(standings: &Standings) -> Exit {
    let selection = standings.schedule().candidates().map(CandidateRounds::selection);
    if let Some(Selection::Bisection(bisection)) = selection {
        return match bisection.verdict() {
            BisectionVerdict::Found(_) => Exit::Done,
            BisectionVerdict::NoChange => Exit::H0Accepted,
            BisectionVerdict::Undecided => Exit::Undecided,
        };
    }
    match standings.test().map(|test| test.verdict) {
        None | Some(Verdict::AcceptH1) => Exit::Done,
        Some(Verdict::AcceptH0) => Exit::H0Accepted,
        Some(Verdict::Continue) => Exit::Undecided,
    }
}
