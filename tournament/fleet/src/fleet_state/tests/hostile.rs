//! Workers that try to end, starve, flood or block a run.

use super::*;
use crate::wire::{FileMessage, FilePurpose};

fn notify(fleet_state: &mut FleetState, worker: &str, report: WorkerNotice) -> Vec<Effect> {
    ask(fleet_state, worker, WorkerRequest::Notify(report)).1
}

fn fault(words: &str) -> WorkerNotice {
    WorkerNotice::Fault {
        entrant: 0,
        name: "crashed".to_owned(),
        words: words.to_owned(),
        transcript: vec!["x".to_owned()],
    }
}

fn notices(effects: &[Effect]) -> Vec<&str> {
    let words = effects.iter().filter_map(|effect| match effect {
        Effect::Send(Event::Notice { words }) => Some(words.as_str()),
        _ => None,
    });
    words.collect()
}

fn other_engines(name: &str) -> MachineReport {
    let mut other = machine_report(name);
    other.engines.iter_mut().for_each(|engine| engine.sha256 = "b".repeat(64));
    other
}

fn is_welcome(fleet_state: &mut FleetState, worker: &str, machine_report: MachineReport) -> bool {
    join(fleet_state, worker, machine_report) == welcome()
}

#[test]
fn a_fault_outside_of_games_is_noted_and_ends_nothing() {
    let mut fleet_state = fleet_state();
    join(&mut fleet_state, "w1", machine_report("a"));
    let effects = notify(&mut fleet_state, "w1", fault("crashed"));
    assert!(
        matches!(&effects[..], [Effect::Send(Event::RemoteFault(fault))] if fault.transcript == ["x"]),
        "{effects:?}"
    );
}

#[test]
fn a_game_is_announced_as_started_once_by_the_worker_that_holds_it() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    for worker in ["w1", "w2"] {
        join(&mut fleet_state, worker, machine_report(worker));
    }
    let mut started =
        |worker: &str| notify(&mut fleet_state, worker, WorkerNotice::Started { game: 1 }).len();
    assert_eq!((started("w1"), started("w2")), (0, 0), "nobody has taken it");
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    let mut started =
        |worker: &str| notify(&mut fleet_state, worker, WorkerNotice::Started { game: 1 }).len();
    assert_eq!((started("w2"), started("w1")), (0, 1));
    assert_eq!((0..10_000).map(|_| started("w1")).sum::<usize>(), 0);
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    assert!(
        notify(&mut fleet_state, "w1", WorkerNotice::Started { game: 1 }).is_empty(),
        "to take it again is nothing new"
    );
}

#[test]
fn an_engine_that_starts_nowhere_stays_in_the_run_which_waits_for_others() {
    let mut fleet_state = fleet_state();
    for worker in ["w1", "w2"] {
        join(&mut fleet_state, worker, machine_report(worker));
    }
    for worker in ["w1", "w2"] {
        let report = WorkerNotice::Unable { entrant: 1, times: 3, words: "exited".to_owned() };
        let effects = notify(&mut fleet_state, worker, report);
        assert_eq!(
            notices(&effects),
            [format!("{worker} leaves: second failed to start 3 times running (it exited)")]
        );
        assert_eq!(effects.len(), 1, "the word of a worker ends nothing: {effects:?}");
    }
    assert!(fleet_state.is_alone());
    assert!(is_welcome(&mut fleet_state, "w3", machine_report("c")) && !fleet_state.is_alone());
}

#[test]
fn an_unfit_worker_is_reported_without_joining() {
    let mut fleet_state = fleet_state();
    let report = WorkerNotice::Unfit { name: "a".to_owned(), words: "no engine is called x".to_owned() };
    assert_eq!(notices(&notify(&mut fleet_state, "w1", report)), ["a cannot play: no engine is called x"]);
}

#[test]
fn an_idle_worker_binds_no_engine() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    fleet_state.submit(work(1));
    assert!(is_welcome(&mut fleet_state, "w1", other_engines("idle")));
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    assert!(is_welcome(&mut fleet_state, "w2", machine_report("honest")));
    assert_eq!(send(&mut fleet_state, "w2", 2, "").0, ReplyTime::WhenStored(2));
    assert!(!is_welcome(&mut fleet_state, "w3", other_engines("late")), "games were played with others");
    // It joined with other engines before any game was played: its first game is rejected.
    let (reply, effects) = send(&mut fleet_state, "w1", 0, "");
    assert!(matches!(reply, ReplyTime::Now(answer) if matches!(*answer, Response::Refused { .. })));
    assert!(notices(&effects)[0].contains("idle was removed: its first is another file"), "{effects:?}");
    assert_eq!(published(&effects), [0], "others get what it held");
}

#[test]
fn a_program_that_the_run_sends_is_bound_before_any_game() {
    let mut sent = fleet_state().config;
    sent.files = vec![FileMessage {
        purpose: FilePurpose::Program { entrant: 0, platform: "x86_64-linux".to_owned(), bench: None },
        sha256: "a".repeat(64),
        bytes: 1,
    }];
    let mut fleet_state = fleet_state();
    fleet_state.engines = Engines::of(vec!["first".to_owned(), "second".to_owned()], false, &[], &sent.files);
    let answer = join(&mut fleet_state, "w1", other_engines("liar"));
    assert!(
        matches!(&answer, Response::Refused { words } if words.contains("than the one that the run sends (aaaaaaaaaaaa…)")),
        "{answer:?}"
    );
    assert!(is_welcome(&mut fleet_state, "w2", machine_report("honest")));
}

#[test]
fn who_bound_an_engine_is_named_with_the_way_out() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    join(&mut fleet_state, "w1", other_engines("first here"));
    send(&mut fleet_state, "w1", 0, "");
    let join = join_request(&fleet_state, machine_report("honest"));
    let effects = ask(&mut fleet_state, "w2", join).1;
    let words = notices(&effects).concat();
    for part in ["honest was refused", "that of first here", "--allow-mixed", "first here played first"] {
        assert!(words.contains(part), "{words}");
    }
}

#[test]
fn an_impossible_game_binds_no_engine() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    join(&mut fleet_state, "w1", other_engines("liar"));
    send(&mut fleet_state, "w1", 0, "a1a8////1/");
    assert!(is_welcome(&mut fleet_state, "w2", machine_report("honest")));
}

#[test]
fn a_flood_of_workers_is_rate_limited_and_locks_nobody_out() {
    let mut fleet_state = fleet_state();
    let mut lines = 0;
    for number in 0..20_000 {
        let worker = format!("u{number}");
        let join = join_request(&fleet_state, machine_report("u"));
        lines += ask(&mut fleet_state, &worker, join).1.len();
        let unable = WorkerNotice::Unable { entrant: 0, times: 1, words: "w".to_owned() };
        lines += notify(&mut fleet_state, &worker, unable).len();
    }
    assert!(lines < 600, "{lines} lines");
    assert!(is_welcome(&mut fleet_state, "w1", machine_report("honest")));
    let later = fleet_state.tick(Instant::now() + Duration::from_secs(3600));
    assert!(notices(&later).iter().any(|words| words.contains("more notices")), "{later:?}");
}

#[test]
fn results_of_pairs_that_were_never_taken_are_not() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    for worker in ["w1", "w2"] {
        join(&mut fleet_state, worker, machine_report(worker));
    }
    ask(&mut fleet_state, "w1", WorkerRequest::Take { pair: 0 });
    let result = || WorkerRequest::Result { pair: 0, game: 0, record: Box::new(message("")) };
    assert_eq!(ask(&mut fleet_state, "w2", result()).0, ReplyTime::now(Response::Unknown));
    ask(&mut fleet_state, "w2", WorkerRequest::Take { pair: 0 });
    assert_eq!(
        ask(&mut fleet_state, "w1", result()).0,
        ReplyTime::WhenStored(0),
        "late, but it was its pair"
    );
}

#[test]
fn a_worker_holds_no_more_than_its_games_can_need() {
    let mut fleet_state = fleet_state();
    for pair in 0..1000 {
        fleet_state.submit(work(pair));
    }
    join(&mut fleet_state, "w1", MachineReport { slots: 1, ..machine_report("a") });
    let mut taken = 0;
    let mut take = |fleet_state: &mut FleetState, pair: u32| {
        let reply = ask(fleet_state, "w1", WorkerRequest::Take { pair }).0;
        taken += u32::from(reply != ReplyTime::now(Response::Later));
    };
    (0..1000).for_each(|pair| take(&mut fleet_state, pair));
    send(&mut fleet_state, "w1", 0, "");
    send(&mut fleet_state, "w1", 1, "");
    take(&mut fleet_state, 999);
    assert_eq!(taken, 13, "four for the slot, eight, and one more when a pair is done");
}

#[test]
fn no_more_pairs_are_out_than_a_fleet_can_need() {
    let mut fleet_state = fleet_state();
    join(&mut fleet_state, "w1", MachineReport { slots: 1024, ..machine_report("a") });
    assert_eq!(fleet_state.wanted(), 2048);
    for number in 0..1000 {
        join(&mut fleet_state, &format!("u{number}"), MachineReport { slots: 1024, ..machine_report("a") });
    }
    assert_eq!(fleet_state.wanted(), 20_000);
}

#[test]
fn a_pair_of_which_nothing_comes_is_given_to_others_and_more_and_more_rarely() {
    let mut fleet_state = fleet_state();
    fleet_state.submit(work(0));
    join(&mut fleet_state, "w1", machine_report("a"));
    let begun = Instant::now();
    let at = |fleet_state: &mut FleetState, worker: &str, seconds: u64, question: WorkerRequest| {
        fleet_state.ask(worker, question, begun + Duration::from_secs(seconds), SystemTime::now()).0
    };
    at(&mut fleet_state, "w1", 0, WorkerRequest::Take { pair: 0 });
    let mut lapses = Vec::new();
    for second in 0..1000 {
        // It sends heartbeats, and leases the pair again whenever it can.
        at(&mut fleet_state, "w1", second, WorkerRequest::Take { pair: 0 });
        let effects = fleet_state.tick(begun + Duration::from_secs(second));
        if published(&effects) == [0] {
            assert_eq!(notices(&effects), ["No results of pair 1 from a; it goes to other workers as well"]);
            lapses.push(second);
        }
    }
    let gaps: Vec<u64> = lapses.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(lapses[0] > 60 && lapses.len() >= 3, "{lapses:?}");
    assert!(gaps.windows(2).all(|pair| pair[1] > pair[0] * 3 / 2), "{lapses:?}");
}
