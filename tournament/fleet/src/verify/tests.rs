//! Possible and impossible claims.

use smalt_workbench::entrant::Registry;

use super::super::wire::tests::work;
use super::*;
use smalt_match::game::moves;
use smalt_match::plan::Settings;

const PLAN: &str = "
    run.format = \"match\"
    adjudication.draw = \"off\"
    adjudication.resign = \"movecount=1 score=500 sides=both\"
    adjudication.maxmoves = 0
    [[entrant]]
    name = \"first\"
    cmd = \"first\"
    [[entrant]]
    name = \"second\"
    cmd = \"second\"
    ";

/// The plan's rules and clocks, with this clock for both.
fn plan(clock: &str) -> Plan {
    let text = format!(
        "[clock]\n{clock}\n{}",
        PLAN.replace("run.format", "[run]\nformat")
            .replace("adjudication.draw", "[adjudication]\ndraw")
            .replace("adjudication.", "")
    );
    let layer = Settings::parse_layer(&text, "p.toml").unwrap();
    Plan::of_layers(layer, &Registry::default()).unwrap()
}

/// A game after the opening 1 e4 e5, with these moves.
fn report(text: &str, outcome: &str, termination: &str, loser: Option<Color>) -> GameReport {
    let text = text.strip_prefix('=').map_or_else(|| format!("e2e4 e7e5 {text}"), str::to_owned);
    GameReport {
        plies: moves::parse(&text).unwrap(),
        outcome: Outcome::parse(outcome).unwrap(),
        termination: termination.parse().unwrap(),
        duration: Duration::from_secs(100),
        fault: loser.map(|color| FaultReport {
            color,
            name: "fault".to_owned(),
            words: "did wrong".to_owned(),
            transcript: Vec::new(),
            illegal_move: None,
            overrun: None,
        }),
        peak_memory: [None; 2],
    }
}

fn verify(clock: &str, report: GameReport) -> Result<GameRecord, InvalidGame> {
    verify_plan(&plan(clock), report)
}

fn verify_plan(plan: &Plan, report: GameReport) -> Result<GameRecord, InvalidGame> {
    let rules = GameVerifier::of(plan, None);
    let clocks = [&plan.entrants[0].clock, &plan.entrants[1].clock];
    rules.verify(&work(3).games[0], clocks, report, SystemTime::now())
}

/// Checks whether a claim is accepted; if not, how the refusal begins.
fn check(report: GameReport, refusal: Option<&str>) {
    let found = verify("nodes = 100", report.clone()).map(|_| ()).map_err(|error| error.to_string());
    match (found, refusal) {
        (Ok(()), None) => {}
        (Err(words), Some(expected)) => assert!(words.contains(expected), "{words}\n{report:?}"),
        (found, _) => panic!("{found:?}\n{report:?}"),
    }
}

const MATE: &str = "d1h5////1/ b8c6////1/ f1c4////1/ g8f6////1/ h5f7////1/";
const FOUR: &str = "g1f3////1/ b8c6////1/ f1c4////1/ g8f6////1/";

#[test]
fn games_that_were_played_are_taken() {
    check(report(MATE, "1-0", "checkmate", None), None);
    check(report(FOUR, "0-1", "resignation", None), None);
    for ending in [
        "disconnect", "stall", "illegal move", "missing move", "malformed move", "endless line",
        "false claim",
    ] {
        check(report(FOUR, "0-1", ending, Some(Color::White)), None);
    }
    check(report("", "0-1", "disconnect", Some(Color::White)), None);
    let back = "g1f3////1/ g8f6////1/ f3g1////1/ f6g8////1/";
    check(report(&format!("{back} {back}"), "1/2-1/2", "repetition", None), None);
    check(report("g1f3/500///1/ g8f6/-500///1/", "1-0", "win adjudication", None), None);
}

#[test]
fn a_false_claim_comes_with_a_move_or_without() {
    check(report(FOUR, "1-0", "false claim", Some(Color::Black)), None);
    check(report("g1f3/500///1/ g8f6/-500///1/", "1-0", "false claim", Some(Color::Black)), None);
    check(report(MATE, "0-1", "false claim", Some(Color::White)), Some("does not follow"));
}

#[test]
fn results_that_do_not_follow_are_refused() {
    let refused = Some("does not follow from its last position");
    check(report(MATE, "0-1", "checkmate", None), refused);
    check(report(MATE, "1-0", "resignation", None), refused);
    check(report(FOUR, "1-0", "checkmate", None), refused);
    check(report(FOUR, "1/2-1/2", "repetition", None), refused);
    check(report(FOUR, "1/2-1/2", "draw adjudication", None), refused);
    check(report(FOUR, "1-0", "win adjudication", None), refused);
    check(report(FOUR, "1-0", "tablebase win", None), refused);
    check(report(FOUR, "1-0", "resignation", None), refused);
    check(report(FOUR, "1-0", "disconnect", Some(Color::Black)), refused);
    check(report("g1f3/500///1/ g8f6/-500///1/", "1-0", "resignation", None), refused);
}

#[test]
fn reports_of_faults_fit_the_end() {
    let refused = Some("its report of a fault does not fit");
    check(report(MATE, "1-0", "checkmate", Some(Color::Black)), refused);
    check(report(FOUR, "0-1", "resignation", Some(Color::White)), refused);
    check(report(FOUR, "0-1", "disconnect", None), refused);
    check(report(FOUR, "0-1", "disconnect", Some(Color::Black)), refused);
}

#[test]
fn moves_are_legal_and_none_is_behind_the_end() {
    check(report("g1g3////1/", "0-1", "resignation", None), Some("its ply 3 is g1g3, which is illegal in"));
    check(
        report(&format!("{MATE} a7a6////1/"), "1-0", "resignation", None),
        Some("it continues after ply 7"),
    );
    let on = "g1f3/500///1/ g8f6/-500///1/ b1c3////1/";
    check(
        report(on, "1-0", "resignation", None),
        Some("continues after ply 4, where it ended by win adjudication"),
    );
}

#[test]
fn games_begin_with_their_opening() {
    let refused = Some("does not begin with the moves of its opening");
    for text in ["=", "=e2e4", "=d2d4 e7e5", "=e2e4////1/ e7e5", "=e2e4 e7e6"] {
        check(report(text, "0-1", "resignation", None), refused);
    }
    check(report("g1f3 b8c6////1/", "0-1", "resignation", None), Some("the search data of its ply 3"));
}

#[test]
fn only_an_engine_with_a_book_plays_book_moves() {
    let mut plan = plan("nodes = 100");
    plan.entrants[0].engine.book = Some("book.bin".into());
    let verified = |text: &str| {
        let report = report(text, "0-1", "resignation", None);
        verify_plan(&plan, report).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(verified("g1f3 b8c6////1/ f1c4 g8f6////1/"), Ok(()));
    assert_eq!(verified("g1f3////1/ b8c6////1/ f1c4 g8f6////1/"), Ok(()));
    assert!(
        verified("g1f3 b8c6 f1c4////1/ g8f6////1/").unwrap_err().contains("the search data of its ply 4")
    );
    assert!(verified("g1g3 b8c6////1/").unwrap_err().contains("its ply 3 is g1g3, which is illegal"));
}

#[test]
fn figures_that_cannot_be_are_refused() {
    let refused = Some("the search data of its ply 3 is impossible");
    for word in ["g1f3///99999999999999/1/", "g1f3//99999//1/", "g1f3////9999999999999999/"] {
        check(report(&format!("{word} b8c6////1/"), "0-1", "resignation", None), refused);
    }
    let short = GameReport {
        duration: Duration::from_millis(1),
        ..report("g1f3////900000/", "1-0", "resignation", None)
    };
    check(short, Some("its duration is impossible"));
}

#[test]
fn clocks_run_again() {
    let late = report("g1f3////900000/ b8c6////1/ f1c4////300000/", "1-0", "resignation", None);
    assert!(verify("tc = \"2\"", late.clone()).is_ok());
    assert_eq!(verify("tc = \"1\"", late), Err(InvalidGame::Late { ply: 5 }));
    let each = report("g1f3////900000/", "1-0", "resignation", None);
    assert!(verify("movetime = 1000", each.clone()).is_ok());
    assert_eq!(verify("movetime = 100", each), Err(InvalidGame::Late { ply: 3 }));
    let overstepped = report(FOUR, "0-1", "time forfeit", Some(Color::White));
    assert!(verify("tc = \"1\"", overstepped.clone()).is_ok());
    assert!(verify("nodes = 100", overstepped).is_err(), "without a clock nobody oversteps");
}

#[test]
fn what_is_known_here_is_not_taken_from_a_claim() {
    let claimed = report("g1f3////400000////999/", "1-0", "resignation", None);
    let record = verify("tc = \"1\"", claimed).unwrap();
    let search = record.plies[2].search.as_ref().unwrap();
    assert_eq!(search.left, Some(Duration::from_millis(600)));
    assert_eq!((record.game.number, record.fen.as_ref()), (6, None));
    let endless = GameReport { duration: Duration::MAX, ..report(FOUR, "0-1", "resignation", None) };
    check(endless, Some("its duration is impossible"));
}
