//! Requests of honest, late, duplicated and hostile workers.

use smalt_workbench::entrant::Registry;

use super::super::run_config;
use super::super::wire::tests::work;
use super::*;
use smalt_chess::Outcome;
use smalt_match::game::{BinaryReport, GameRecord, Termination, moves};
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

fn state_with(allow_mixed: bool, known: &[MachineReport]) -> FleetState {
    let mut layer = Settings::parse_layer(PLAN, "p.toml").unwrap();
    let fleet = format!("nats = \"host\"\nallow-mixed = {allow_mixed}").parse().unwrap();
    layer.insert("fleet".to_owned(), toml::Value::Table(fleet));
    let plan = Plan::of_layers(layer, &Registry::default()).unwrap();
    let message = run_config::message(&plan, None, 1000);
    let mut fleet_state = FleetState::new(&plan, GameVerifier::of(&plan, None), message, known);
    fleet_state.begin_session("s1");
    fleet_state
}

fn fleet_state() -> FleetState {
    state_with(false, &[])
}

pub(crate) fn machine_report(name: &str) -> MachineReport {
    let engine =
        |name: &str| BinaryReport { name: name.to_owned(), author: "me".to_owned(), sha256: "a".repeat(64) };
    MachineReport {
        name: name.to_owned(),
        program: "p".to_owned(),
        cpu: "c".to_owned(),
        cores: 4,
        slots: 3,
        speed: 500,
        engines: vec![engine("First 1.0"), engine("Second 2.0")],
    }
}

fn ask(fleet_state: &mut FleetState, worker: &str, question: WorkerRequest) -> (ReplyTime, Vec<Effect>) {
    fleet_state.ask(worker, question, Instant::now(), SystemTime::now())
}

fn join_request(fleet_state: &FleetState, machine: MachineReport) -> WorkerRequest {
    WorkerRequest::Join { config: fleet_state.digest.clone(), machine: Box::new(machine) }
}

fn welcome() -> Response {
    Response::Welcome { session: "s1".to_owned() }
}

fn join(fleet_state: &mut FleetState, worker: &str, machine_report: MachineReport) -> Response {
    let question = join_request(fleet_state, machine_report);
    match ask(fleet_state, worker, question).0 {
        ReplyTime::Now(answer) => *answer,
        other => panic!("{other:?}"),
    }
}

/// White resigns after these moves following the opening.
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

/// Leases the pair if possible, and sends a result.
fn send(fleet_state: &mut FleetState, worker: &str, game: u32, text: &str) -> (ReplyTime, Vec<Effect>) {
    ask(fleet_state, worker, WorkerRequest::Take { pair: game / 2 });
    let record = Box::new(message(text));
    ask(fleet_state, worker, WorkerRequest::Result { pair: game / 2, game, record })
}

fn finished(effects: &[Effect]) -> Vec<u32> {
    let numbers = effects.iter().filter_map(|effect| match effect {
        Effect::Send(Event::GameFinished(record)) => Some(record.game.number),
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
        .any(|effect| matches!(effect, Effect::Send(Event::WorkDone { pair, .. }) if *pair == expected))
}

#[test]
fn a_pair_is_done_when_both_games_are_stored_and_not_before() {
    let mut fleet_state = fleet_state();
    assert_eq!(published(&[fleet_state.submit(work(0))]), [0]);
    assert_eq!(join(&mut fleet_state, "w1", machine_report("a")), welcome());
    let (reply, effects) = send(&mut fleet_state, "w1", 0, "");
    assert_eq!((reply, finished(&effects)), (ReplyTime::WhenStored(0), vec![0]));
    assert!(fleet_state.stored(0).is_empty() && fleet_state.out.contains_key(&0));
    let (_, effects) = send(&mut fleet_state, "w1", 1, "");
    assert_eq!(finished(&effects), [1]);
    assert!(is_done(&fleet_state.stored(1), 0) && !fleet_state.out.contains_key(&0));
}

#[test]
fn a_repeated_result_is_stored_once_and_answered_twice() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    for worker in ["w1", "w2"] {
        join(&mut fleet_state, worker, machine_report(worker));
    }
    send(&mut fleet_state, "w1", 0, "");
    let (reply, effects) = send(&mut fleet_state, "w2", 0, "");
    assert_eq!((reply, finished(&effects)), (ReplyTime::WhenStored(0), vec![]));
    fleet_state.stored(0);
    let (reply, effects) = send(&mut fleet_state, "w2", 0, "");
    assert_eq!((reply, finished(&effects)), (ReplyTime::now(Response::Stored), vec![]));
    let games = |games| ReplyTime::now(Response::Games { games });
    assert_eq!(ask(&mut fleet_state, "w2", WorkerRequest::Take { pair: 0 }).0, games(vec![1]));
    send(&mut fleet_state, "w1", 1, "");
    assert_eq!(ask(&mut fleet_state, "w2", WorkerRequest::Take { pair: 0 }).0, games(vec![]));
    fleet_state.stored(1);
    assert_eq!(send(&mut fleet_state, "w2", 1, "").0, ReplyTime::now(Response::Unneeded));
    assert_eq!(ask(&mut fleet_state, "w2", WorkerRequest::Take { pair: 0 }).0, games(vec![]));
}

#[test]
fn what_a_resumed_coordinator_has_not_given_out_yet_waits() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    assert_eq!(send(&mut fleet_state, "w1", 10, "").0, ReplyTime::now(Response::Unknown));
    join(&mut fleet_state, "w1", machine_report("a"));
    assert_eq!(send(&mut fleet_state, "w1", 10, "").0, ReplyTime::now(Response::Later));
    assert_eq!(
        ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 5 }).0,
        ReplyTime::now(Response::Later)
    );
    fleet_state.submit(work(5));
    assert_eq!(send(&mut fleet_state, "w1", 10, "").0, ReplyTime::WhenStored(10));
}

#[test]
fn a_worker_with_an_impossible_game_is_disqualified_and_its_work_given_to_others() {
    let mut fleet_state = fleet_state();
    for pair in 0..3 {
        fleet_state.submit(work(pair));
    }
    join(&mut fleet_state, "w1", machine_report("a"));
    join(&mut fleet_state, "w2", machine_report("b"));
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 1 });
    ask(&mut fleet_state, "w2", WorkerRequest::Take { pair: 2 });
    let (reply, effects) = send(&mut fleet_state, "w1", 0, "g1g5////1/");
    let ReplyTime::Now(answer) = reply else { panic!("{reply:?}") };
    assert!(matches!(*answer, Response::Refused { words } if words.contains("g1g5, which is illegal")));
    assert_eq!((finished(&effects), published(&effects)), (vec![], vec![0, 1]));
    assert!(matches!(join(&mut fleet_state, "w1", machine_report("a")), Response::Refused { .. }));
    assert_eq!(send(&mut fleet_state, "w2", 0, "").0, ReplyTime::WhenStored(0));
}

#[test]
fn a_game_from_another_opening_does_not_count_and_its_worker_may_join_again() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    join(&mut fleet_state, "w1", machine_report("a"));
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    let text = serde_json::to_string(&message("")).unwrap().replace("e2e4 e7e5", "d2d4 d7d5");
    let record = serde_json::from_str(&text).unwrap();
    let result = WorkerRequest::Result { pair: 0, game: 0, record: Box::new(record) };
    let (reply, effects) = ask(&mut fleet_state, "w1", result);
    let ReplyTime::Now(answer) = reply else { panic!("{reply:?}") };
    assert!(
        matches!(&*answer, Response::Refused { words } if words.contains("does not begin with the moves of its opening")),
        "{answer:?}"
    );
    assert_eq!((finished(&effects), published(&effects)), (vec![], vec![0]), "the queue gets the right pair");
    assert_eq!(join(&mut fleet_state, "w1", machine_report("a")), welcome());
    assert_eq!(send(&mut fleet_state, "w1", 0, "").0, ReplyTime::WhenStored(0));
}

#[test]
fn a_worker_of_another_configuration_does_not_join_and_its_games_do_not_count() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    let machine = || Box::new(machine_report("a"));
    let mut other = fleet_state.config.clone();
    other.plan.push_str("\n[clock]\nnodes = 5\n");
    let stale = WorkerRequest::Join { config: other.digest(), machine: machine() };
    assert_eq!(ask(&mut fleet_state, "w1", stale).0, ReplyTime::now(Response::Changed));
    let (reply, effects) = send(&mut fleet_state, "w1", 0, "");
    assert_eq!((reply, finished(&effects)), (ReplyTime::now(Response::Unknown), vec![]));
    let (reply, effects) = ask(&mut fleet_state, "w1", WorkerRequest::OldJoin(machine()));
    let ReplyTime::Now(answer) = reply else { panic!("{reply:?}") };
    assert!(
        matches!(*answer, Response::Refused { words } if words.contains("use the same version everywhere"))
    );
    assert!(
        matches!(&effects[..], [Effect::Send(Event::Notice { words })] if words.starts_with("a was refused"))
    );
    assert_eq!(join(&mut fleet_state, "w1", machine_report("a")), welcome());
}

#[test]
fn what_a_machine_says_of_itself_counts_when_it_has_played() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    let mut liar = machine_report("liar");
    liar.engines[0].sha256 = "b".repeat(64);
    join(&mut fleet_state, "w1", liar);
    let proves = |effects: &[Effect]| {
        effects.iter().any(|effect| matches!(effect, Effect::Send(Event::MachineVerified(_))))
    };
    assert!(!proves(&send(&mut fleet_state, "w1", 0, "a1a8////1/").1));
    assert_eq!(join(&mut fleet_state, "w2", machine_report("honest")), welcome());
    assert!(
        proves(&send(&mut fleet_state, "w2", 0, "").1) && !proves(&send(&mut fleet_state, "w2", 1, "").1)
    );
}

#[test]
fn a_game_of_another_pair_disqualifies() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    fleet_state.submit(work(1));
    join(&mut fleet_state, "w1", machine_report("a"));
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    let record = Box::new(message(""));
    let (reply, _) = ask(&mut fleet_state, "w1", WorkerRequest::Result { pair: 0, game: 3, record });
    assert!(matches!(reply, ReplyTime::Now(answer) if matches!(*answer, Response::Refused { .. })));
}

#[test]
fn clocks_are_those_of_the_machine() {
    // At half the reference speed a clock of one second becomes two; at the reference speed it stays one.
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    join(&mut fleet_state, "w1", machine_report("slow"));
    join(&mut fleet_state, "w2", MachineReport { speed: 1000, ..machine_report("fast") });
    let text = "g1f3////1500000/ g8f6////1/";
    let (reply, effects) = send(&mut fleet_state, "w1", 0, text);
    assert_eq!(reply, ReplyTime::WhenStored(0));
    let Some(Effect::Send(Event::GameFinished(record))) = effects.last() else { panic!("{effects:?}") };
    let machine = record.machine.as_ref().unwrap();
    assert_eq!((machine.name.as_str(), machine.speed.get()), ("slow", 500));
    let (reply, _) = send(&mut fleet_state, "w2", 1, text);
    assert!(matches!(reply, ReplyTime::Now(answer) if matches!(*answer, Response::Refused { .. })));
}

#[test]
fn engines_must_be_those_with_which_games_were_played() {
    let check = |allow_mixed: bool, change: &dyn Fn(&mut MachineReport), refusal: Option<&str>| {
        let mut fleet_state = state_with(allow_mixed, &[]);
        fleet_state.submit(work(0));
        assert_eq!(join(&mut fleet_state, "w1", machine_report("a")), welcome());
        send(&mut fleet_state, "w1", 0, "");
        let mut other = machine_report("b");
        change(&mut other);
        match (join(&mut fleet_state, "w2", other), refusal) {
            (Response::Welcome { .. }, None) => {}
            (Response::Refused { words }, Some(expected)) => assert!(words.contains(expected), "{words}"),
            (answer, _) => panic!("{answer:?}"),
        }
    };
    let binary = |other: &mut MachineReport| other.engines[1].sha256 = "b".repeat(64);
    let name = |other: &mut MachineReport| other.engines[0].name = "Another".to_owned();
    let missing = |other: &mut MachineReport| drop(other.engines.pop());
    check(false, &|_| {}, None);
    check(
        false,
        &binary,
        Some("its second is another file (SHA-256 bbbbbbbbbbbb…) than that of a (aaaaaaaaaaaa…)"),
    );
    check(true, &binary, None);
    check(true, &name, Some("its first reports the name \"Another\", and that of a \"First 1.0\""));
    check(true, &missing, Some("it lacks the engine of an entrant"));
}

#[test]
fn engines_must_be_those_of_earlier_sessions() {
    let known = machine_report("old");
    let mut fleet_state = state_with(false, &[known]);
    let mut other = machine_report("a");
    other.engines[0].sha256 = "b".repeat(64);
    assert!(
        matches!(join(&mut fleet_state, "w1", other), Response::Refused { words } if words.contains("that of old"))
    );
    assert_eq!(join(&mut fleet_state, "w2", machine_report("b")), welcome());
}

#[test]
fn two_pairs_are_wanted_for_each_game_at_once() {
    let mut fleet_state = fleet_state();
    let some = fleet_state.wanted();
    assert!(some > 0);
    for worker in ["w1", "w2", "w3"] {
        join(&mut fleet_state, worker, machine_report("host"));
    }
    assert_eq!(fleet_state.wanted(), 18);
    let later = Instant::now() + Duration::from_secs(10);
    assert_eq!(fleet_state.tick(later).len(), 3, "each is reported once");
    assert!(fleet_state.tick(later).is_empty() && fleet_state.wanted() == some);
    let alive = WorkerRequest::Notify(WorkerNotice::Alive);
    fleet_state.ask("w1", alive, later, SystemTime::now());
    assert!(fleet_state.tick(later).is_empty() && fleet_state.wanted() == some.max(6));
}

#[test]
fn workers_with_equal_names_get_numbers() {
    let mut fleet_state = fleet_state();
    let mut name = |worker: &str| {
        let question = join_request(&fleet_state, machine_report("host"));
        match ask(&mut fleet_state, worker, question).1.into_iter().next() {
            Some(Effect::Send(Event::MachineJoined(machine))) => Some(machine.name),
            _ => None,
        }
    };
    assert_eq!(name("w1").as_deref(), Some("host"));
    assert_eq!(name("w2").as_deref(), Some("host-2"));
    assert_eq!(name("w1"), None, "it has joined before");
}

#[test]
fn games_of_a_disqualified_entrant_are_abandoned() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    fleet_state.submit(work(1));
    join(&mut fleet_state, "w1", machine_report("a"));
    send(&mut fleet_state, "w1", 0, "");
    let effects = fleet_state.cancel_entrant(1);
    let given_up: Vec<u32> = effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Send(Event::GameAbandoned(game)) => Some(game.number),
            _ => None,
        })
        .collect();
    assert_eq!(given_up, [1, 2, 3]);
    assert!(is_done(&effects, 1) && !is_done(&effects, 0), "a game of pair 0 is on its way to the store");
    assert!(is_done(&fleet_state.stored(0), 0));
}

#[test]
fn warnings_reach_the_user_until_they_are_a_flood() {
    let mut fleet_state = fleet_state();
    let begun = Instant::now();
    join(&mut fleet_state, "w1", machine_report("w1"));
    let mut warn = |number: u32| {
        let report = WorkerNotice::Warning { entrant: 1, words: format!("is odd in way {number}") };
        fleet_state.ask("w1", WorkerRequest::Notify(report), begun, SystemTime::now()).1
    };
    let effects = warn(0);
    let [Effect::Send(Event::EngineWarning { entrant: 1, words })] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(words, "is odd in way 0");
    let passed: usize = (1..10_000).map(|number| warn(number).len()).sum();
    assert!((100..300).contains(&passed), "{passed}");
}
