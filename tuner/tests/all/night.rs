//! `night` through the whole program, with a stand-in for the program that plays.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::sync::LazyLock;

use smalt::evaluation::Parameters;
use smalt::evaluation::parameters::EVALUATION_TOML;
use smalt_workbench::decompress::DecompressReader;

use crate::json::check_schema;
use crate::programs::{check, games, json, path, run};
use crate::rescoring::counting_engine;
use crate::spsa::engine_with;

/// Plays nothing: a run is a file, with its results at once. A candidate is accepted in the first generation and rejected
/// later. Where a folder `kills` lies beside it, it kills the program that started it with SIGKILL, once at each point of each
/// run.
const TOURNAMENT: &str = r#"#!/bin/sh
place=$(dirname "$0"); words="$*"; command=$1; store=$2
while [ $# -gt 0 ]; do
  case "$1" in --store) store=$2;; --json) json=$2;; --output) output=$2;; esac; shift
done
die() {
  mark="$place/kills/$(echo "$command-$store-$1" | tr / _)"
  if [ -e "$place/kills" ] && [ ! -e "$mark" ]; then touch "$mark"; kill -KILL $PPID; exec sleep 60; fi
}
[ -e "$place/fail" ] && { echo 'no engine today' >&2; exit 1; }
case "$command" in
  export) die before; cp "$place/games.pgn" "$output"; die after; exit;;
  match) echo "$words" >> "$place/matches"; echo '{"entrants": [{"name": "first", "wins": 9, "draws": 4, "losses": 3}]}' > "$json"; exit;;
  datagen|sprt) die before; [ -e "$store" ] && exit 2; touch "$store"; echo "$words" >> "$place/begun";;
  resume) [ -e "$store" ] || exit 2; echo "$words" >> "$place/resumed";;
  status) echo '{"games_finished": 40, "games_planned": 50}' > "$json"; exit;;
  *) exit 2;;
esac
die begun
case "$store" in *generation-001*) verdict=H1;; *) verdict=H0;; esac
echo '{"games_finished": 40, "entrants": [{"name": "tuned", "wins": 30, "draws": 50, "losses": 20, "elo": 34.9, "elo_error": 20}],
  "sprt": {"llr": 2.95, "lower": -2.94, "upper": 2.94, "verdict": "'$verdict'", "sprt_elo": 30, "sprt_elo_low": 5, "sprt_elo_high": 52}}' > "$json"
die played
"#;

/// The stand-in and its games, in a folder; returns its path.
fn stand_in(folder: &tempfile::TempDir) -> String {
    let mut text = String::new();
    DecompressReader::open(&games()).unwrap().take(400_000).read_to_string(&mut text).unwrap();
    text.truncate(text.rfind("[Event ").unwrap());
    fs::write(folder.path().join("games.pgn"), text).unwrap();
    let program = path(folder, "tournament");
    smalt_testing::process::write_script(&program, TOURNAMENT);
    program
}

/// The table at the start of a night: pawns have a large negative value in it, so that each fit improves it.
static START: LazyLock<String> = LazyLock::new(|| {
    let path = format!("{}/start-{}.toml", env!("CARGO_TARGET_TMPDIR"), std::process::id());
    let pawn = EVALUATION_TOML.lines().find(|line| line.starts_with("pawn = [")).unwrap();
    fs::write(&path, EVALUATION_TOML.replacen(pawn, "pawn = [-300, -300]", 1)).unwrap();
    path
});

/// Flags of a night of this length, with few passes of each fit.
fn night<'a>(night: &'a str, tournament: &'a str, generations: &'a str) -> Vec<&'a str> {
    let flags = [
        "night",
        night,
        "--tournament",
        tournament,
        "--generations",
        generations,
        "--chess960-share",
        "0.1",
        "--parameters",
        START.as_str(),
    ];
    [&flags[..], &["--texel", "--epochs 2 --only material.*", "--json", "-"]].concat()
}

fn lines(folder: &tempfile::TempDir, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// The results of all steps, without what differs between two folders.
fn results(report: &str, folder: &tempfile::TempDir) -> String {
    let mut steps = json(report)["steps"].clone();
    for step in steps.as_array_mut().unwrap() {
        step.as_object_mut().unwrap().remove("seconds");
    }
    steps.to_string().replace(&folder.path().display().to_string(), "")
}

#[test]
fn a_night_killed_at_any_point_continues_where_it_was() {
    let [killed, whole] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let [tournament, other] = [&killed, &whole].map(stand_in);
    let [folder, other_folder] = [&killed, &whole].map(|place| path(place, "night"));
    fs::create_dir(killed.path().join("kills")).unwrap();
    let flags = night(&folder, &tournament, "2");
    let (mut kills, mut plans) = (0, String::new());
    let report = loop {
        let output = run(&flags);
        match output.status.code() {
            None => {
                kills += 1;
                plans += &check(&["night", &folder, "--tournament", &tournament, "--dry-run"], 0).0;
            }
            Some(0) => break String::from_utf8(output.stdout).unwrap(),
            Some(code) => panic!("{code}: {}", String::from_utf8_lossy(&output.stderr)),
        }
        assert!(kills < 100);
    };
    // Three points of two runs and two of the export, in each generation, and again on resume.
    assert_eq!(kills, fs::read_dir(killed.path().join("kills")).unwrap().count());
    assert!(kills >= 16, "{kills}");
    for words in ["next     generation 1, games: 40 of 50", "next     generation 2, proof: 40 of at most 50"]
    {
        assert!(plans.contains(words), "{words}: {plans}");
    }
    let begun = lines(&killed, "begun");
    let commands: Vec<&str> = begun.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(commands, ["datagen", "sprt", "datagen", "sprt"], "{begun:?}");
    let (uninterrupted, _) = check(&night(&other_folder, &other, "2"), 0);
    assert_eq!(results(&report, &killed), results(&uninterrupted, &whole));
    // Nothing is left to do, and it is not done again.
    check(&flags, 0);
    assert_eq!(lines(&killed, "begun"), begun);
}

#[test]
fn an_accepted_table_is_played_next_and_has_its_origin() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, folder) = (stand_in(&place), path(&place, "night"));
    let data = path(&place, "data.bin");
    check(&["extract", &path(&place, "games.pgn"), "--output", &data], 0);
    let (report, progress) = check(&[&night(&folder, &tournament, "2")[..], &["--data", &data]].concat(), 0);
    for words in
        ["generation 1    games       40 games", "proof       accepted: Elo +30", "proof       rejected: Elo"]
    {
        assert!(progress.contains(words), "{words}: {progress}");
    }
    let report = json(&report);
    assert_eq!(
        (&report["accepted"][0]["generation"], &report["accepted"][1]),
        (&1.into(), &serde_json::Value::Null)
    );
    assert_eq!((&report["elo"], &report["games"]), (&30.0.into(), &280.into()));
    // Games of the newest generation alone are held out.
    let fit = report["steps"][6]["command"].as_str().unwrap();
    for words in [
        "data.bin,validation=0 ",
        "generation-001/positions.bin,validation=0 ",
        "generation-002/positions.bin ",
    ] {
        assert!(fit.contains(words), "{words}: {fit}");
    }
    let begun = lines(&place, "begun");
    let table = |generation: u32| format!("generation-{generation:03}/evaluation.toml");
    for (line, words) in [
        (0, vec!["--games 20000 --nodes 5000 --seed 1 ", "--chess960-share 0.1 ", &table(0), "games.viri"]),
        (
            1,
            vec![
                "--nodes 10000 --elo0 0 --elo1 5 --games 20000 --seed 1 ",
                &table(1),
                "name=tuned",
                &table(0),
            ],
        ),
        (2, vec!["--seed 2 ", &table(1)]),
        (3, vec![&table(2), &table(1)]),
    ] {
        assert!(words.iter().all(|word| begun[line].contains(*word)), "{words:?}: {}", begun[line]);
    }
    let read = |name: &str| fs::read_to_string(Path::new(&folder).join(name)).unwrap();
    let numbers = |name: &str| Parameters::parse_toml(&read(name)).unwrap();
    assert_eq!(numbers("current/evaluation.toml"), numbers(&table(1)));
    let current: toml::Table = read("current/evaluation.toml").parse().unwrap();
    let origin = |key: &str| current["origin"][key].as_str().unwrap().to_owned();
    assert!(origin("proof").starts_with("accepted: Elo +30") && origin("games").contains(" datagen "));
    assert_eq!(origin("data_hash"), report["steps"][2]["data_hash"].as_str().unwrap());
    for name in ["report.md", "report.html"] {
        assert!(
            read(name).contains("1 of 2 candidates accepted") && read(name).contains("material"),
            "{name}"
        );
    }
}

#[test]
fn a_night_keeps_its_settings_and_tries_a_failed_step_again() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, folder) = (stand_in(&place), path(&place, "night"));
    let flags = night(&folder, &tournament, "1");
    let (plan, _) = check(&[&flags[..flags.len() - 2], &["--dry-run"]].concat(), 0);
    assert!(
        plan.contains("games    20,000 a generation") && plan.contains("next     generation 1, games"),
        "{plan}"
    );
    for wrong in [
        ["--texel", "--no-such-flag"],
        ["--rescore", "--nodes 7"],
        ["--data", "no-such.bin"],
        ["--spsa", "no-such.toml"],
    ] {
        let (_, error) = check(&[&flags[..], &wrong, &["--dry-run"]].concat(), 2);
        assert!(error.contains(wrong[0]), "{error}");
    }
    let missing = flags.iter().map(|&flag| if flag == START.as_str() { "no-such.toml" } else { flag });
    let (_, error) = check(&missing.chain(["--dry-run"]).collect::<Vec<_>>(), 2);
    assert!(error.contains("no-such.toml"), "{error}");
    assert!(!Path::new(&folder).exists());
    fs::write(place.path().join("fail"), "").unwrap();
    let (_, error) = check(&flags, 1);
    assert!(
        error.contains("generation 1, games; the same command tries it again")
            && error.contains("no engine today")
    );
    fs::remove_file(place.path().join("fail")).unwrap();
    let (_, error) = check(&[&flags[..], &["--games", "7"]].concat(), 2);
    assert!(error.contains("--games is 20000 in it, and now 7"), "{error}");
    let again = ["night", &folder, "--tournament", &tournament];
    check(&[&again[..], &["--generations", "1"]].concat(), 0);
    assert_eq!(lines(&place, "begun").len(), 2);
    let (out, _) = check(&[&again[..], &["--generations", "1"]].concat(), 0);
    assert!(out.contains("a larger --generations continues with generation 2, games"), "{out}");
    check(&[&again[..], &["--until", "0h"]].concat(), 2);
    let (_, error) = check(&[&again[..], &["--until", "25:00"]].concat(), 2);
    assert!(error.contains("--until 25:00: expected a time of day like 07:00"), "{error}");
    // Wrong flags of later steps are refused before the night begins, so that the mended ones begin it.
    let other = path(&place, "other");
    for wrong in [["--texel", "--bogus 3"], ["--data", "missing.bin"], ["--positions", "0"]] {
        let (_, error) = check(&[&night(&other, &tournament, "1")[..], &wrong[..]].concat(), 2);
        assert!(error.contains(wrong[0]), "{error}");
    }
    check(&night(&other, &tournament, "1"), 0);
    let (_, error) = check(&["night", &path(&place, ""), "--tournament", &tournament], 2);
    assert!(error.contains("it has files, but no night.db"), "{error}");
}

#[test]
fn a_night_keeps_the_engine_of_its_registry() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, folder, registry) =
        (stand_in(&place), path(&place, "night"), path(&place, "engines.toml"));
    let engine = engine_with(&place, &["EvalFile type string default <empty>"]);
    let entry =
        |argument: &str| format!("[[engine]]\nname = \"Mine\"\ncmd = {engine:?}\nargs = [{argument:?}]\n");
    fs::write(&registry, entry("--first")).unwrap();
    let named = ["--engine", "Mine", "--engines", &registry];
    check(&[&night(&folder, &tournament, "1")[..], &named].concat(), 0);
    fs::write(&registry, entry("--other")).unwrap();
    let (_, error) = check(&[&night(&folder, &tournament, "2")[..], &named].concat(), 2);
    assert!(error.contains("the night began with other settings: --engine is"), "{error}");
    fs::remove_file(&registry).unwrap();
    check(&night(&folder, &tournament, "2"), 0);
    let begun = lines(&place, "begun");
    let command = format!("cmd={engine}");
    assert_eq!(begun.len(), 4);
    assert!(begun.iter().all(|line| line.contains(&command) && line.contains("--first")), "{begun:?}");
}

#[test]
fn search_parameters_are_tuned_and_proved_after_the_evaluation() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, folder, parameters) =
        (stand_in(&place), path(&place, "night"), path(&place, "params.txt"));
    fs::write(&parameters, "margin, int, 50, 0, 200, 10, 0.05\n").unwrap();
    let options = ["EvalFile type string default <empty>", "margin type spin default 50 min 0 max 200"];
    let engine = engine_with(&place, &options);
    let flags = [
        &night(&folder, &tournament, "1")[..],
        &["--engine", &engine, "--spsa", &parameters, "--spsa-games", "32", "--tc", "1+0.01"],
    ];
    let (report, _) = check(&flags.concat(), 0);
    let report = json(&report);
    check_schema("night", &report);
    let [name, before, after] = [0, 1, 2].map(|index| &report["steps"][4]["parameters"][0][index]);
    assert_eq!((name, before), (&"margin".into(), &50.0.into()));
    let begun = lines(&place, "begun");
    let proof = begun.last().unwrap();
    let value = format!("option.margin={}", after.as_f64().unwrap());
    for words in
        ["spsa-proof.db", "--tc 1+0.01", "option.margin=50", &value, "generation-001/evaluation.toml"]
    {
        assert!(proof.contains(words), "{words}: {proof}");
    }
    assert!(!proof.contains("generation-000") && begun[0].contains("option.margin=50"), "{begun:?}");
    let current = fs::read_to_string(Path::new(&folder).join("current/search.txt")).unwrap();
    assert!(current.starts_with(&format!("margin, int, {}, ", after.as_f64().unwrap())), "{current}");
    // An engine without one of the parameters is refused before the first game.
    fs::write(&parameters, "depth, int, 50, 0, 200, 10, 0.05\n").unwrap();
    let other = path(&place, "other");
    let flags = [&night(&other, &tournament, "1")[..], &["--engine", &engine, "--spsa", &parameters]];
    let (_, error) = check(&flags.concat(), 2);
    assert!(error.contains("\"depth\": the engine has none of that name"), "{error}");
}

#[test]
fn each_session_plays_here_or_on_a_server_whatever_the_one_before_did() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, folder, parameters) =
        (stand_in(&place), path(&place, "night"), path(&place, "params.txt"));
    fs::write(&parameters, "margin, int, 50, 0, 200, 10, 0.05\n").unwrap();
    fs::create_dir(place.path().join("kills")).unwrap();
    let options = ["EvalFile type string default <empty>", "margin type spin default 50 min 0 max 200"];
    let engine = engine_with(&place, &options);
    let tuning = ["--engine", &engine, "--spsa", &parameters, "--spsa-games", "32"];
    let flags = [&night(&folder, &tournament, "1")[..], &tuning].concat();
    let server = [&flags[..], &["--nats", "nats://server:4222"]].concat();
    for session in 0.. {
        match run(if session % 3 == 0 { &flags } else { &server }).status.code() {
            None => assert!(session < 50),
            Some(0) => break,
            Some(code) => panic!("{code}"),
        }
    }
    let [begun, resumed, matches] = ["begun", "resumed", "matches"].map(|name| lines(&place, name));
    let on_server = |line: &&String| line.contains("--nats nats://server:4222 --send-files");
    for lines in [&begun, &resumed, &matches] {
        assert!(lines.iter().filter(on_server).count() > 0, "{lines:?}");
        assert!(lines.iter().all(|line| on_server(&line) == line.contains("--send-files")), "{lines:?}");
    }
    let local = resumed.iter().filter(|line| line.contains("--nats off")).count();
    assert!(local > 0 && local + resumed.iter().filter(on_server).count() == resumed.len(), "{resumed:?}");
}

#[test]
fn an_engine_with_its_numbers_in_a_source_is_built_for_each_version() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, tree) = (stand_in(&place), path(&place, "tree"));
    // The night may stand among the sources.
    let folder = format!("{tree}/night");
    fs::create_dir(&tree).unwrap();
    let source = format!("{tree}/tunable.c");
    fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/tunable.c"), &source).unwrap();
    let flags =
        ["night", &folder, "--tournament", &tournament, "--generations", "1", "--chess960-share", "0"];
    let build =
        ["--source", &source, "--tree", &tree, "--build", "cc -O1 -o mine tunable.c", "--engine", "./mine"];
    check(&[&flags[..], &build, &["--texel", "--epochs 2"]].concat(), 0);
    let begun = lines(&place, "begun");
    for generation in ["generation-000/build/mine", "generation-001/build/mine"] {
        assert!(begun[1].contains(generation), "{begun:?}");
    }
    let read = |name: &str| fs::read_to_string(Path::new(&folder).join(name)).unwrap();
    assert!(!Path::new(&folder).join("generation-000/build/night").exists());
    assert_eq!(read("current/tunable.c"), read("generation-001/tunable.c"));
    assert_ne!(read("current/tunable.c"), fs::read_to_string(&source).unwrap());
    assert!(read("report.md").contains("| region "), "{}", read("report.md"));
}

#[test]
fn a_night_fits_to_rescored_positions() {
    let place = tempfile::tempdir().unwrap();
    let (tournament, folder, engine) = (stand_in(&place), path(&place, "night"), counting_engine(&place));
    let with = |words: &str| -> Vec<String> {
        let flags = night(&folder, &tournament, "1").into_iter().map(str::to_owned);
        flags.chain(["--rescore".to_owned(), words.to_owned()]).collect()
    };
    for (words, message) in [
        ("--engine ./nowhere".to_owned(), "nowhere"),
        (format!("--engine {engine} --share 2"), "--share 2"),
        (format!("--engine {engine} --concurrency 2"), "--concurrency"),
        (format!("--engine {engine} --format csv"), "--format"),
    ] {
        let flags = with(&words);
        let (_, error) = check(&flags.iter().map(String::as_str).collect::<Vec<_>>(), 2);
        assert!(error.contains("--rescore") && error.contains(message), "{words}: {error}");
    }
    let flags = with(&format!("--engine {engine} --nodes 5 --share 0.25"));
    let (report, progress) = check(&flags.iter().map(String::as_str).collect::<Vec<_>>(), 0);
    assert!(progress.contains("rescore     ") && progress.contains("error of the results"), "{progress}");
    let report = json(&report);
    check_schema("night", &report);
    let kinds: Vec<&str> =
        report["steps"].as_array().unwrap().iter().map(|step| step["step"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["games", "positions", "rescore", "fit", "proof"]);
    assert!(report["steps"][2]["records"].as_u64() >= report["steps"][1]["positions"].as_u64());
    assert!(report["steps"][3]["command"].as_str().unwrap().contains("generation-001/rescored.bin"));
}
