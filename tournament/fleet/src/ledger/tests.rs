//! The ledger as workers meet it: honest, late, doubled, hostile.

use smalt_workbench::entrant::Registry;

use super::super::terms;
use super::super::wire::tests::work;
use super::*;
use smalt_chess::Outcome;
use smalt_match::game::{GameRecord, Termination, moves};
use smalt_match::plan::Settings;

mod hostile;

const PLAN: &str = "
    [run]
    format = \"match\"
    [clock]
    tc = \"1\"
    scale = 1000
    [[entrant]]
    name = \"first\"
    cmd = \"first\"
    [[entrant]]
    name = \"second\"
    cmd = \"second\"
    ";

fn ledger_with(allow_mixed: bool, known: &[MachineReport]) -> Ledger {
    let mut layer = Settings::parse_layer(PLAN, "p.toml").unwrap();
    let fleet = format!("nats = \"host\"\nallow-mixed = {allow_mixed}").parse().unwrap();
    layer.insert("fleet".to_owned(), toml::Value::Table(fleet));
    let plan = Plan::of_layers(layer, &Registry::default()).unwrap();
    let message = terms::message(&plan, None, 1000);
    Ledger::new(&plan, Rules::of(&plan, None), message, known)
}

fn ledger() -> Ledger {
    ledger_with(false, &[])
}

fn introduction(name: &str) -> Introduction {
    let engine = |name: &str| EngineIdentity {
        name: name.to_owned(),
        author: "me".to_owned(),
        sha256: "a".repeat(64),
    };
    Introduction {
        name: name.to_owned(),
        program: "p".to_owned(),
        cpu: "c".to_owned(),
        cores: 4,
        slots: 3,
        speed: 500,
        engines: vec![engine("First 1.0"), engine("Second 2.0")],
    }
}

fn ask(ledger: &mut Ledger, worker: &str, question: Question) -> (Reply, Vec<Effect>) {
    ledger.ask(worker, question, Instant::now(), SystemTime::now())
}

fn join(ledger: &mut Ledger, worker: &str, introduction: Introduction) -> Answer {
    match ask(ledger, worker, Question::Join(Box::new(introduction))).0 {
        Reply::Now(answer) => *answer,
        other => panic!("{other:?}"),
    }
}

/// White gives up after these moves behind the opening.
fn message(text: &str) -> RecordMessage {
    RecordMessage::from(&GameRecord {
        game: work(0).games[0].game,
        fen: None,
        plies: moves::parse(&format!("e2e4 e7e5 {text}")).unwrap(),
        outcome: Outcome::Win(smalt_chess::Color::Black),
        termination: Termination::Resignation,
        started: SystemTime::UNIX_EPOCH,
        duration: Duration::from_secs(5),
        fault: None,
        peak_memory: [None; 2],
        machine: None,
    })
}

/// Takes the pair, if that is possible, and sends a result.
fn send(ledger: &mut Ledger, worker: &str, game: u32, text: &str) -> (Reply, Vec<Effect>) {
    ask(ledger, worker, Question::Take { pair: game / 2 });
    let record = Box::new(message(text));
    ask(ledger, worker, Question::Result { pair: game / 2, game, record })
}

fn finished(effects: &[Effect]) -> Vec<u32> {
    let numbers = effects.iter().filter_map(|effect| match effect {
        Effect::Tell(Event::GameFinished(record)) => Some(record.game.number),
        _ => None,
    });
    numbers.collect()
}

fn published(effects: &[Effect]) -> Vec<u32> {
    let pairs = effects.iter().filter_map(|effect| match effect {
        Effect::Publish(pair, _) => Some(*pair),
        _ => None,
    });
    pairs.collect()
}

fn is_done(effects: &[Effect], expected: u32) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Tell(Event::WorkDone { pair, .. }) if *pair == expected))
}

#[test]
fn a_pair_is_done_when_both_games_are_stored_and_not_before() {
    let mut ledger = ledger();
    assert_eq!(published(&[ledger.submit(work(0))]), [0]);
    assert_eq!(join(&mut ledger, "w1", introduction("a")), Answer::Welcome);
    let (reply, effects) = send(&mut ledger, "w1", 0, "");
    assert_eq!((reply, finished(&effects)), (Reply::WhenStored(0), vec![0]));
    assert!(ledger.stored(0).is_empty() && ledger.is_out(0));
    let (_, effects) = send(&mut ledger, "w1", 1, "");
    assert_eq!(finished(&effects), [1]);
    assert!(is_done(&ledger.stored(1), 0) && !ledger.is_out(0));
}

#[test]
fn what_comes_twice_is_told_once_and_answered_twice() {
    let mut ledger = ledger();
    ledger.submit(work(0));
    for worker in ["w1", "w2"] {
        join(&mut ledger, worker, introduction(worker));
    }
    send(&mut ledger, "w1", 0, "");
    let (reply, effects) = send(&mut ledger, "w2", 0, "");
    assert_eq!((reply, finished(&effects)), (Reply::WhenStored(0), vec![]));
    ledger.stored(0);
    let (reply, effects) = send(&mut ledger, "w2", 0, "");
    assert_eq!((reply, finished(&effects)), (Reply::now(Answer::Stored), vec![]));
    let games = |games| Reply::now(Answer::Games { games });
    assert_eq!(ask(&mut ledger, "w2", Question::Take { pair: 0 }).0, games(vec![1]));
    send(&mut ledger, "w1", 1, "");
    assert_eq!(ask(&mut ledger, "w2", Question::Take { pair: 0 }).0, games(vec![]));
    ledger.stored(1);
    assert_eq!(send(&mut ledger, "w2", 1, "").0, Reply::now(Answer::Unneeded));
    assert_eq!(ask(&mut ledger, "w2", Question::Take { pair: 0 }).0, games(vec![]));
}

#[test]
fn what_a_resumed_coordinator_has_not_given_out_yet_waits() {
    let mut ledger = ledger();
    ledger.submit(work(0));
    assert_eq!(send(&mut ledger, "w1", 10, "").0, Reply::now(Answer::Unknown));
    join(&mut ledger, "w1", introduction("a"));
    assert_eq!(send(&mut ledger, "w1", 10, "").0, Reply::now(Answer::Later));
    assert_eq!(ask(&mut ledger, "w1", Question::Take { pair: 5 }).0, Reply::now(Answer::Later));
    ledger.submit(work(5));
    assert_eq!(send(&mut ledger, "w1", 10, "").0, Reply::WhenStored(10));
}

#[test]
fn a_worker_with_an_impossible_game_is_disqualified_and_its_work_given_to_others() {
    let mut ledger = ledger();
    for pair in 0..3 {
        ledger.submit(work(pair));
    }
    join(&mut ledger, "w1", introduction("a"));
    join(&mut ledger, "w2", introduction("b"));
    ask(&mut ledger, "w1", Question::Take { pair: 0 });
    ask(&mut ledger, "w1", Question::Take { pair: 1 });
    ask(&mut ledger, "w2", Question::Take { pair: 2 });
    let (reply, effects) = send(&mut ledger, "w1", 0, "g1g5////1/");
    let Reply::Now(answer) = reply else { panic!("{reply:?}") };
    assert!(matches!(*answer, Answer::Refused { words } if words.contains("g1g5, which is illegal")));
    assert_eq!((finished(&effects), published(&effects)), (vec![], vec![0, 1]));
    assert!(matches!(join(&mut ledger, "w1", introduction("a")), Answer::Refused { .. }));
    assert_eq!(send(&mut ledger, "w2", 0, "").0, Reply::WhenStored(0));
}

#[test]
fn what_a_machine_says_of_itself_counts_when_it_has_played() {
    let mut ledger = ledger();
    ledger.submit(work(0));
    let mut liar = introduction("liar");
    liar.engines[0].sha256 = "b".repeat(64);
    join(&mut ledger, "w1", liar);
    let proves = |effects: &[Effect]| {
        effects.iter().any(|effect| matches!(effect, Effect::Tell(Event::MachineVerified(_))))
    };
    assert!(!proves(&send(&mut ledger, "w1", 0, "a1a8////1/").1));
    assert_eq!(join(&mut ledger, "w2", introduction("honest")), Answer::Welcome);
    assert!(proves(&send(&mut ledger, "w2", 0, "").1) && !proves(&send(&mut ledger, "w2", 1, "").1));
}

#[test]
fn a_game_of_another_pair_disqualifies() {
    let mut ledger = ledger();
    ledger.submit(work(0));
    ledger.submit(work(1));
    join(&mut ledger, "w1", introduction("a"));
    ask(&mut ledger, "w1", Question::Take { pair: 0 });
    let record = Box::new(message(""));
    let (reply, _) = ask(&mut ledger, "w1", Question::Result { pair: 0, game: 3, record });
    assert!(matches!(reply, Reply::Now(answer) if matches!(*answer, Answer::Refused { .. })));
}

#[test]
fn clocks_are_those_of_the_machine() {
    // Half the speed of the reference: a clock of one second is one of two there, and of one on a machine that is as fast.
    let mut ledger = ledger();
    ledger.submit(work(0));
    join(&mut ledger, "w1", introduction("slow"));
    join(&mut ledger, "w2", Introduction { speed: 1000, ..introduction("fast") });
    let text = "g1f3////1500000/ g8f6////1/";
    let (reply, effects) = send(&mut ledger, "w1", 0, text);
    assert_eq!(reply, Reply::WhenStored(0));
    let Some(Effect::Tell(Event::GameFinished(record))) = effects.last() else { panic!("{effects:?}") };
    let machine = record.machine.as_ref().unwrap();
    assert_eq!((machine.name.as_str(), machine.speed.get()), ("slow", 500));
    let (reply, _) = send(&mut ledger, "w2", 1, text);
    assert!(matches!(reply, Reply::Now(answer) if matches!(*answer, Answer::Refused { .. })));
}

#[test]
fn engines_must_be_those_with_which_games_were_played() {
    let check = |allow_mixed: bool, change: &dyn Fn(&mut Introduction), refusal: Option<&str>| {
        let mut ledger = ledger_with(allow_mixed, &[]);
        ledger.submit(work(0));
        assert_eq!(join(&mut ledger, "w1", introduction("a")), Answer::Welcome);
        send(&mut ledger, "w1", 0, "");
        let mut other = introduction("b");
        change(&mut other);
        match (join(&mut ledger, "w2", other), refusal) {
            (Answer::Welcome, None) => {}
            (Answer::Refused { words }, Some(expected)) => assert!(words.contains(expected), "{words}"),
            (answer, _) => panic!("{answer:?}"),
        }
    };
    let binary = |other: &mut Introduction| other.engines[1].sha256 = "b".repeat(64);
    let name = |other: &mut Introduction| other.engines[0].name = "Another".to_owned();
    let missing = |other: &mut Introduction| drop(other.engines.pop());
    check(false, &|_| {}, None);
    check(
        false,
        &binary,
        Some("its second is another file (SHA-256 bbbbbbbbbbbb…) than that of a (aaaaaaaaaaaa…)"),
    );
    check(true, &binary, None);
    check(true, &name, Some("its first calls itself \"Another\", and that of a \"First 1.0\""));
    check(true, &missing, Some("it does not tell of every entrant"));
}

#[test]
fn engines_must_be_those_of_earlier_sessions() {
    let known = machine_report(introduction("old"));
    let mut ledger = ledger_with(false, &[known]);
    let mut other = introduction("a");
    other.engines[0].sha256 = "b".repeat(64);
    assert!(
        matches!(join(&mut ledger, "w1", other), Answer::Refused { words } if words.contains("that of old"))
    );
    assert_eq!(join(&mut ledger, "w2", introduction("b")), Answer::Welcome);
}

#[test]
fn two_pairs_are_wanted_for_each_game_at_once() {
    let mut ledger = ledger();
    let some = ledger.wanted();
    assert!(some > 0);
    for worker in ["w1", "w2", "w3"] {
        join(&mut ledger, worker, introduction("host"));
    }
    assert_eq!(ledger.wanted(), 18);
    let later = Instant::now() + Duration::from_secs(10);
    assert_eq!(ledger.tick(later).len(), 3, "each is told of once");
    assert!(ledger.tick(later).is_empty() && ledger.wanted() == some);
    let alive = Question::Tell(Report::Alive);
    ledger.ask("w1", alive, later, SystemTime::now());
    assert!(ledger.tick(later).is_empty() && ledger.wanted() == some.max(6));
}

#[test]
fn workers_of_one_name_are_told_apart() {
    let mut ledger = ledger();
    let mut name = |worker: &str| {
        let question = Question::Join(Box::new(introduction("host")));
        match ask(&mut ledger, worker, question).1.into_iter().next() {
            Some(Effect::Tell(Event::MachineJoined(machine))) => Some(machine.name),
            _ => None,
        }
    };
    assert_eq!(name("w1").as_deref(), Some("host"));
    assert_eq!(name("w2").as_deref(), Some("host-2"));
    assert_eq!(name("w1"), None, "it has joined before");
}

#[test]
fn games_of_one_that_is_out_are_given_up() {
    let mut ledger = ledger();
    ledger.submit(work(0));
    ledger.submit(work(1));
    join(&mut ledger, "w1", introduction("a"));
    send(&mut ledger, "w1", 0, "");
    let effects = ledger.cancel_entrant(1);
    let given_up: Vec<u32> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Tell(Event::GameAbandoned(game)) => Some(game.number),
            _ => None,
        })
        .collect();
    assert_eq!(given_up, [1, 2, 3]);
    assert!(is_done(&effects, 1) && !is_done(&effects, 0), "a game of pair 0 is on its way to the store");
    assert!(is_done(&ledger.stored(0), 0));
}

#[test]
fn warnings_reach_the_user_until_they_are_a_flood() {
    let mut ledger = ledger();
    let begun = Instant::now();
    join(&mut ledger, "w1", introduction("w1"));
    let mut warn = |number: u32| {
        let report = Report::Warning { entrant: 1, words: format!("is odd in way {number}") };
        ledger.ask("w1", Question::Tell(report), begun, SystemTime::now()).1
    };
    let effects = warn(0);
    let [Effect::Tell(Event::EngineWarning { entrant: 1, words })] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(words, "is odd in way 0");
    let passed: usize = (1..10_000).map(|number| warn(number).len()).sum();
    assert!((100..300).contains(&passed), "{passed}");
}
