//! `run PLAN --resume` with an existing store: what it changes, and what it refuses.

#[cfg(unix)]
use crate::git_engines::{BUILD, commit, repository};
use crate::support::{Place, duel, finish, scripted, signal};
use smalt_match::store::Store;

const RUN: [&str; 4] = ["run", "plan.toml", "--resume", "--quiet"];

/// A plan whose run of four games is finished.
fn finished(more: &str) -> Place {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2"));
    let words = format!("--games 4 --nodes 50 --maxmoves 6 --store run.db {more}");
    let flags = duel(&first, &second, &words);
    let (plan, _) = place.check(&[&["plan", "--format"], flags.as_slice()].concat(), 0);
    place.write("plan.toml", &plan);
    place.check(&RUN, 0);
    place
}

fn games(place: &Place) -> usize {
    place.read("run.pgn").matches("[Event ").count()
}

/// Checks that the plan with these flags is refused in words with these parts, and that nothing is played.
fn check_refused(place: &Place, flags: &[&str], parts: &[&str]) {
    let (_, err) = place.check(&[&RUN[..], flags].concat(), 2);
    let advice = "give another --store to start a run of this plan, or resume the run as it is with: smalt-tournament resume run.db";
    for part in parts.iter().chain([&advice]) {
        assert!(err.contains(part), "{part}: {err}");
    }
    assert_eq!(games(place), 4);
}

#[test]
fn a_plan_that_differs_from_the_run_of_its_store_is_refused() {
    let place = finished("--concurrency 1");
    check_refused(&place, &["--nodes", "77"], &["clock.nodes: 77 in the plan, 50 in the run; give"]);
    check_refused(&place, &["--games", "2"], &["run.games: 2 in the plan, 4 in the run"]);
    check_refused(&place, &["--pgn", "other.pgn"], &["output.pgn: ", "other.pgn", "run.pgn"]);
    let plan = place.read("plan.toml");
    place.write("plan.toml", &plan.replace("name = \"second\"", "name = \"third\""));
    check_refused(&place, &[], &["engine second: name: \"third\" in the plan, \"second\" in the run"]);
    place.write("plan.toml", &plan.replace("seed = 1\n", "seed = 9\n"));
    let many = ["--variant", "chess960", "--random-plies", "2", "--site", "here"];
    check_refused(&place, &many, &["9 in the plan, 1 in the run", "; and 1 more; "]);
    place.write("plan.toml", &plan);
    place.check(&RUN, 0);
    assert_eq!(games(&place), 4);
}

#[test]
fn settings_that_resume_may_change_are_changed() {
    let place = finished("--concurrency 1");
    let flags = ["--json", "run.json", "--concurrency", "2", "--on-fault", "stop", "--exit-on-verdict"];
    place.check(&[&RUN[..], &flags].concat(), 0);
    assert!(place.read("run.json").contains("\"games_finished\": 4"));
    let plan = place.read("plan.toml");
    place.write("plan.toml", &plan.replace("games = 4\n", "games = 6\n"));
    place.check(&RUN, 0);
    assert_eq!(games(&place), 6, "the run is extended to the games of the plan");
    place.check(&[&RUN[..], &["--games", "8"]].concat(), 0);
    assert_eq!(games(&place), 8);
    place.write("plan.toml", &plan);
    place.check(&RUN, 0);
    assert_eq!(games(&place), 8, "the plan of the first games is still that of the run");
}

#[test]
fn an_engine_of_an_old_run_may_have_a_name_with_hidden_characters() {
    let place = finished("--concurrency 1");
    let renamed = |plan: &str| plan.replace("name = \"second\"", "name = \"a\\u200B\"");
    let mut run = Store::read(&place.path("run.db")).unwrap().run().unwrap();
    run.plan = renamed(&run.plan);
    std::fs::remove_file(place.path("run.db")).unwrap();
    std::fs::remove_file(place.path("run.pgn")).unwrap();
    Store::create(&place.path("run.db"), &run).unwrap().close();
    place.write("plan.toml", &renamed(&place.read("plan.toml")));
    place.check(&RUN, 0);
    assert_eq!(games(&place), 4);
    let (_, err) = place.check(&["run", "plan.toml", "--store", "new.db"], 2);
    assert!(err.contains("hidden characters"), "{err}");
}

#[test]
fn a_test_is_not_extended() {
    let place = finished("--elo1 50");
    check_refused(&place, &["--games", "8"], &["run.games: 8 in the plan, 4 in the run"]);
}

#[test]
fn a_run_whose_game_file_has_another_name_is_one_of_its_plan() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", "--seed 2 --fault crash@3"));
    let words = "--games 4 --nodes 50 --maxmoves 6 --store run.db --pgn games.pgn --on-fault stop";
    let flags = duel(&first, &second, words);
    let (plan, _) = place.check(&[&["plan", "--format"], flags.as_slice()].concat(), 0);
    place.write("plan.toml", &plan);
    place.run(&RUN);
    place.write("games.pgn", "[Event \"of another program\"]\n\n*\n\n");
    place.check(&[&RUN[..], &["--recover"]].concat(), 0);
    place.check(&RUN, 0);
    assert!(place.read("games-2.pgn").contains("[Event "));
}

#[test]
#[cfg_attr(windows, ignore = "Windows has no such signals")]
fn a_run_to_which_an_engine_was_added_is_one_of_its_plan() {
    let place = Place::new();
    let (first, second) = (scripted("first", "--think 5"), scripted("second", "--think 5"));
    let flags = duel(&first, &second, "--games 400 --nodes 50 --concurrency 1 --store run.db");
    let (plan, _) = place.check(&[&["plan", "--format"], flags.as_slice()].concat(), 0);
    place.write("plan.toml", &plan);
    let stop_at = |games: u64| {
        let child = place.start(&RUN);
        place.await_games("run.db", games);
        if games == 1 {
            place.check(&["ctl", "run.db", "add", &scripted("third", "--think 5")], 0);
        }
        signal(child.id(), "-TERM");
        finish(child, 143);
    };
    stop_at(1);
    assert_eq!(place.results("run.db")["entrants"].as_array().unwrap().len(), 3);
    let played = place.results("run.db")["games_finished"].as_u64().unwrap();
    stop_at(played + 1);
}

#[test]
#[cfg(unix)]
fn a_run_goes_on_with_its_commits_when_their_branch_has_moved() {
    let place = Place::new();
    repository(&place);
    let engine =
        |revision: &str| format!("[[entrant]]\nrepo = \"mine\"\nref = \"{revision}\"\nbuild = \"{BUILD}\"\n");
    place.write("plan.toml", &format!("[run]\nformat = \"match\"\n{}{}", engine("main"), engine("main~1")));
    let flags = ["--games", "4", "--depth", "1", "--maxmoves", "6", "--store", "run.db"];
    let run = [&RUN[..], &flags].concat();
    place.check(&run, 0);
    commit(&place, "third", "Third version");
    let (_, err) = place.check(&run, 0);
    assert!(
        err.contains("the revision of the plan is commit ") && err.contains("the run goes on with "),
        "{err}"
    );
    assert_eq!(games(&place), 4);
}
