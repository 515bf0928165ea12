//! `spsa` through the whole program, with a stand-in for the program that plays.

#[cfg(unix)]
use crate::json::check_schema;
use crate::programs::{check, path};
#[cfg(unix)]
use crate::programs::{json, referee};

/// A parameter file with comments and blanks.
#[cfg(unix)]
const PARAMETERS: &str = "margin,  int, 50, 0, 200, 10, 0.05\r\n# the other one\n\nother, int, 5, 0, 9, 1, 0.05\n# margin, int, 50.5, 0, 200, 10, 0.05\n";

/// An engine that has these options, and plays nothing.
#[cfg(unix)]
pub(crate) fn engine_with(folder: &tempfile::TempDir, options: &[&str]) -> String {
    let options: String = options.iter().map(|option| format!("echo 'option name {option}'; ")).collect();
    let script = format!(
        "#!/bin/sh\nwhile read -r line; do case \"$line\" in\nuci) {options}echo uciok;;\nisready) echo readyok;;\n\
         quit) exit;;\nesac; done\n"
    );
    let program = path(folder, "mine");
    smalt_testing::process::write_script(&program, &script);
    program
}

/// A program in the place of the tournament's: the first entrant wins nine games of sixteen, draws four and loses three.
#[cfg(unix)]
fn stand_in(folder: &tempfile::TempDir) -> String {
    let program = path(folder, "tournament");
    let text = r#"#!/bin/sh
echo "$@" >> "$(dirname "$0")/words"
while [ "$1" != --json ]; do shift; done
echo '{"entrants": [{"name": "first", "wins": 9, "draws": 4, "losses": 3}, {"name": "second"}]}' > "$2"
"#;
    smalt_testing::process::write_script(&program, text);
    program
}

#[cfg(unix)]
#[test]
fn parameters_follow_the_side_that_wins_and_a_saved_tuning_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let [parameters, tuned, checkpoint] =
        ["parameters.txt", "tuned.txt", "spsa.json"].map(|name| path(&folder, name));
    std::fs::write(&parameters, PARAMETERS).unwrap();
    let tournament = stand_in(&folder);
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    let mut flags = vec![
        "spsa", "--engine", &engine, "--parameters", &parameters, "--only", "mar*", "--games", "32", "--out",
        &tuned,
    ];
    flags.extend(["--checkpoint", &checkpoint, "--tournament", &tournament, "--ssh", "fast,slow/2"]);
    let (page, progress) = check(&flags, 0);
    assert!(
        page.contains("32 games in 2 rounds") && page.contains("margin") && !page.contains("other"),
        "{page}"
    );
    assert!(progress.contains("round 2: 9 - 3 - 4, game 32 of 32"), "{progress}");
    let words = std::fs::read_to_string(folder.path().join("words")).unwrap();
    assert!(
        words.contains("--games 16")
            && words.contains(" --ssh fast,slow/2 ")
            && words.contains("option.margin=")
            && !words.contains("option.other")
    );
    let text = std::fs::read_to_string(&tuned).unwrap();
    let value: f64 = text.split(',').nth(2).unwrap().trim().parse().unwrap();
    assert!(value != 50.0, "{text}");
    assert_eq!(text, PARAMETERS.replace(" 50,", &format!(" {value},")), "all else of the file stays");

    let (_, refusal) = check(&flags, 2);
    assert!(refusal.contains("give --resume to continue it"), "{refusal}");
    let nowhere = path(&folder, "nowhere.json");
    check(&["spsa", "--checkpoint", &nowhere, "--resume"], 2);
    std::fs::remove_file(&tuned).unwrap();
    flags.push("--resume");
    check(&flags, 0);
    assert_eq!(std::fs::read_to_string(&tuned).unwrap(), text);
    assert_eq!(std::fs::read_to_string(folder.path().join("words")).unwrap(), words);
    for selection in [["--only", "other"], ["--freeze", "mar*"]] {
        let resume = ["spsa", "--resume", "--checkpoint", &checkpoint, "--tournament", &tournament];
        let (_, error) = check(&[&resume[..], &selection].concat(), 2);
        assert!(error.contains("margin are tuned in it, and --only and --freeze select other"), "{error}");
    }
    let write = ["spsa", "--resume", "--checkpoint", &checkpoint, "--tournament", &tournament, "--write"];
    check(&write, 0);
    assert_eq!(std::fs::read_to_string(&parameters).unwrap(), text);
}

/// The flags of a tuning of this engine, with its files in the folder.
#[cfg(unix)]
fn spsa<'a>(engine: &'a str, tournament: &'a str, files: &'a [String; 2]) -> Vec<&'a str> {
    let [parameters, checkpoint] = files;
    vec![
        "spsa", "--engine", engine, "--parameters", parameters, "--checkpoint", checkpoint, "--tournament",
        tournament,
    ]
}

#[cfg(unix)]
#[test]
fn a_resumed_tuning_keeps_its_engine_clock_openings_and_batch() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    std::fs::write(&files[0], "Move Overhead, int, 50, 0, 200, 10, 0.05\n").unwrap();
    let engine = engine_with(&folder, &["Move Overhead type spin default 50 min 0 max 200"]);
    // Its third call ends the tuning by SIGTERM.
    let tournament = stand_in(&folder);
    let interrupting = path(&folder, "interrupting");
    let script = format!(
        "#!/bin/sh\n[ -e '{0}.2' ] && {{ rm '{0}'.*; kill -TERM $PPID; sleep 60; }}\n[ -e '{0}.1' ] && touch '{0}.2'\n\
         touch '{0}.1'\nexec '{tournament}' \"$@\"\n",
        path(&folder, "called")
    );
    smalt_testing::process::write_script(&interrupting, &script);
    let mut flags = spsa(&engine, &interrupting, &files);
    let book = path(&folder, "book.epd");
    std::fs::write(&book, "").unwrap();
    flags.extend(["--tc", "3+0.03", "--openings", &book, "--batch", "8", "--games", "64"]);
    let (_, error) = check(&flags, 143);
    assert!(error.contains("interrupted after 2 rounds; --resume continues with"), "{error}");
    let resume = ["spsa", "--resume", "--checkpoint", &files[1], "--tournament", &tournament];
    for (flag, value, words) in [
        ("--tc", "1+1", "--tc is 3+0.03 in it, and now 1+1"),
        ("--nodes", "5", "--nodes is not given in it, and now 5"),
        ("--engine", "other", "--engine is "),
        ("--openings", "other.epd", "book.epd in it, and now other.epd"),
        ("--batch", "4", "--batch is 8 in it, and now 4"),
        ("--games", "32", "--games is 64 in it, and now 32"),
        ("--seed", "9", "--seed is 1 in it, and now 9"),
    ] {
        let (_, error) = check(&[&resume[..], &[flag, value]].concat(), 2);
        assert!(error.contains(words), "{error}");
    }
    check(&resume, 0);
    let words = std::fs::read_to_string(folder.path().join("words")).unwrap();
    assert_eq!(words.lines().count(), 4, "{words}");
    for line in words.lines() {
        for word in ["--tc 3+0.03", &format!("--openings {book}"), "--games 8", "\"option.Move Overhead="] {
            assert!(line.contains(word), "{word}: {line}");
        }
        assert!(line.contains(&engine), "{line}");
    }
    let (svg, _) = check(&["plot", &files[1]], 0);
    assert!(svg.contains("Parameters by games") && svg.contains("Move Overhead"), "{svg}");
}

#[cfg(unix)]
#[test]
fn wrong_flags_are_refused_and_leave_no_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    std::fs::write(&files[0], "margin, int, 50, 0, 200, 10, 0.05\n").unwrap();
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    // It fails before the first game.
    let failing = path(&folder, "failing");
    smalt_testing::process::write_script(&failing, "#!/bin/sh\nexit 2\n");
    let all = spsa(&engine, &failing, &files);
    for (flag, value) in [
        ("--tc", "x"),
        ("--nodes", "0"),
        ("--batch", "0"),
        ("--games", "0"),
        ("--concurrency", "0"),
        ("--openings", "/nowhere/book.epd"),
    ] {
        let (_, error) = check(&[&all[..], &[flag, value]].concat(), 2);
        assert!(error.contains(flag), "{error}");
    }
    check(&all, 1);
    assert!(!std::path::Path::new(&files[1]).exists());
    for (lines, words) in [
        ("a, int, 5, 0, 9, 1, 0.002\na, int, 6, 0, 9, 1, 0.002\n", "line 2: a is named twice"),
        ("margin, int, 50, 0, 200, 10, 1e308\n", "too large a learning rate"),
    ] {
        std::fs::write(&files[0], lines).unwrap();
        let (_, error) = check(&all, 2);
        assert!(error.contains(words), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn parameters_that_the_engine_has_not_are_refused_before_the_first_game() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    let tournament = stand_in(&folder);
    for (parameter, words) in [
        ("margn, int, 50, 0, 200, 10, 0.05", "\"margn\": the engine has none of that name"),
        ("margin, int, 50, 0, 900, 10, 0.05", "900 is outside of 0 to 200"),
        ("margin, float, 0.5, 0.5, 1, 0.1, 0.05", "\"0.5\" is not a whole number"),
    ] {
        std::fs::write(&files[0], format!("{parameter}\n")).unwrap();
        let (_, error) = check(&spsa(&engine, &tournament, &files), 2);
        assert!(error.contains(words), "{error}");
    }
    assert!(!folder.path().join("words").exists() && !folder.path().join("spsa.json").exists());
}

#[cfg(unix)]
#[test]
fn a_tuning_that_is_stopped_in_its_first_round_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    std::fs::write(&files[0], "margin, int, 50, 0, 200, 10, 0.05\n").unwrap();
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    let interrupting = path(&folder, "interrupting");
    smalt_testing::process::write_script(&interrupting, "#!/bin/sh\nkill -TERM $PPID; sleep 60\n");
    let (_, error) = check(&spsa(&engine, &interrupting, &files), 143);
    assert!(error.contains("interrupted after 0 rounds; --resume continues with"), "{error}");
    let tournament = stand_in(&folder);
    let resume =
        ["spsa", "--resume", "--checkpoint", &files[1], "--tournament", &tournament, "--games", "20000"];
    assert!(std::path::Path::new(&files[1]).is_file());
    check(&[&resume[..], &["--batch", "2"]].concat(), 2);
}

#[test]
fn a_checkpoint_of_the_first_format_asks_for_what_it_does_not_say() {
    let folder = tempfile::tempdir().unwrap();
    let checkpoint = path(&folder, "spsa.json");
    let old = r#"{"format": 1, "knobs": [{"name": "a", "kind": "int", "start": 5.0, "min": 0.0, "max": 9.0, "step": 1.0,
        "rate": 0.05}], "pairs": 8, "seed": 1, "values": [6.0], "played": 8, "rounds": 1, "games": [9, 4, 3]}"#;
    std::fs::write(&checkpoint, old).unwrap();
    let (_, error) = check(&["spsa", "--resume", "--checkpoint", &checkpoint], 2);
    assert!(error.contains("without engine, clock, openings and batch: give these flags again"), "{error}");
    assert!(check(&["plot", &checkpoint], 0).0.contains("Parameters by games"));
}

#[cfg(unix)]
#[test]
fn a_file_of_weather_factory_is_tuned_at_the_rate_that_suits_the_expected_gain() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["config.json", "spsa.json"].map(|name| path(&folder, name));
    let config = "{\n  \"margin\": {\"value\": 50, \"min_value\": 0, \"max_value\": 200, \"step\": 10}\n}\n";
    std::fs::write(&files[0], config).unwrap();
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    let tournament = stand_in(&folder);
    let mut flags = spsa(&engine, &tournament, &files);
    flags.extend(["--games", "32", "--elo", "5", "--write"]);
    let (_, progress) = check(&flags, 0);
    assert!(
        progress.contains("1 parameter, 32 games, r_end 0.") && progress.contains(" of 5 Elo"),
        "{progress}"
    );
    let text = std::fs::read_to_string(&files[0]).unwrap();
    let (start, end) = config.split_once("50").unwrap();
    let value: f64 = text.strip_prefix(start).unwrap().strip_suffix(end).unwrap().parse().unwrap();
    assert!(value != 50.0 && (0.0..=200.0).contains(&value), "{text}");
    let saved = std::fs::read_to_string(&files[1]).unwrap();
    assert!(!saved.contains("\"rate\": 0.002"), "{saved}");
    // The same command resumes it, also after its end; another gain would need another rate.
    flags.push("--resume");
    check(&flags, 0);
    *flags.iter_mut().find(|word| **word == "5").unwrap() = "7";
    let (_, error) = check(&flags, 2);
    assert!(error.contains("--elo 7 sets another learning rate"), "{error}");
}

/// A program in the place of the tournament's, in whose SPRT the first entrant loses.
#[cfg(unix)]
fn rejecting(folder: &tempfile::TempDir) -> String {
    let (program, tournament) = (path(folder, "rejecting"), stand_in(folder));
    let script = format!(
        r#"#!/bin/sh
[ "$1" = sprt ] || exec '{tournament}' "$@"
echo "$@" >> '{}'
while [ "$1" != --json ]; do shift; done
echo '{{"entrants": [{{"name": "tuned", "wins": 1, "draws": 2, "losses": 9}}, {{"name": "base"}}],
  "sprt": {{"llr": -3.0, "lower": -2.94, "upper": 2.94, "verdict": "H0"}}}}' > "$2"
"#,
        path(folder, "validations")
    );
    smalt_testing::process::write_script(&program, &script);
    program
}

#[cfg(unix)]
#[test]
fn a_tuning_that_loses_its_validation_matches_ends_at_its_start_values() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    let [output, report] = ["tuned.txt", "report.json"].map(|name| path(&folder, name));
    std::fs::write(&files[0], PARAMETERS).unwrap();
    let options = ["margin type spin default 50 min 0 max 200", "other type spin default 5 min 0 max 9"];
    let engine = engine_with(&folder, &options);
    let tournament = rejecting(&folder);
    let mut flags = spsa(&engine, &tournament, &files);
    flags.extend(["--games", "64", "--validate", "32", "--validation-games", "100", "--tc", "3+0.03"]);
    flags.extend(["--nats", "nats://server:4222"]);
    let book = path(&folder, "book.epd");
    std::fs::write(&book, "").unwrap();
    flags.extend(["--openings", &book, "-o", &output, "--json", &report]);
    let (page, _) = check(&flags, 0);
    let rejected = "games: 1 - 9 - 2, LLR -3.00: rejected, back to the last values that passed";
    for at in [32, 64] {
        assert!(page.contains(&format!("validation after {at} {rejected}")), "{page}");
    }
    assert_eq!(std::fs::read_to_string(&output).unwrap(), PARAMETERS);
    // So that a resumed tuning continues with it.
    let saved: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&files[1]).unwrap()).unwrap();
    assert_eq!(saved["schedule"], serde_json::json!({"interval": 32, "games": 100}));
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
    assert_eq!(report["validations"][1]["kept"], false);
    check_schema("spsa", &report);
    let validations = std::fs::read_to_string(path(&folder, "validations")).unwrap();
    assert_eq!(validations.lines().count(), 2);
    assert!(validations.contains("--nats nats://server:4222"), "{validations}");
    for line in validations.lines() {
        let openings = format!("--openings {book}");
        for word in ["--elo0 -5 --elo1 0 --games 100", "--tc 3+0.03", &openings, "option.margin=50"] {
            assert!(line.contains(word), "{word}: {line}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_validation_without_new_values_says_that_there_is_no_match() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    std::fs::write(&files[0], "margin, int, 50, 0, 200, 10, 0.0000001\n").unwrap();
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    let tournament = rejecting(&folder);
    let mut flags = spsa(&engine, &tournament, &files);
    flags.extend(["--games", "16", "--validate", "16"]);
    let (page, progress) = check(&flags, 0);
    let words = "validation after 16 games: no match, the values are those that passed last";
    assert!(progress.contains(words), "{progress}");
    assert!(page.contains("16 games in 1 round\n"), "{page}");
    assert!(!std::fs::exists(path(&folder, "validations")).unwrap());
}

#[cfg(unix)]
#[test]
fn clop_tunes_numbers_and_choices_and_draws_their_landscape() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "clop.json"].map(|name| path(&folder, name));
    let [output, report, plot] = ["tuned.txt", "report.json", "plot.svg"].map(|name| path(&folder, name));
    let text = "# two\nmargin, int, 50, 0, 200\nStyle of Play, choice, solid, solid, risky\n";
    std::fs::write(&files[0], text).unwrap();
    let options = [
        "margin type spin default 50 min 0 max 200",
        "Style of Play type combo default solid var solid var risky",
    ];
    let engine = engine_with(&folder, &options);
    let tournament = stand_in(&folder);
    let mut flags = spsa(&engine, &tournament, &files);
    let (_, error) = check(&flags, 2);
    assert!(error.contains("Style of Play is categorical"), "{error}");
    flags[0] = "clop";
    flags.extend(["--games", "64", "-o", &output, "--json", &report, "--plot", &plot]);
    let (page, progress) = check(&flags, 0);
    assert!(page.contains("64 games in 4 rounds") && page.contains("risky"), "{page}");
    assert!(progress.contains("round 4: 9 - 3 - 4, game 64 of 64"), "{progress}");
    let words = std::fs::read_to_string(folder.path().join("words")).unwrap();
    assert!(words.contains("\"option.Style of Play=risky\"") && words.contains("option.margin="), "{words}");
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
    let [margin, style] = [0, 1].map(|index| &report["parameters"][index]);
    assert!(margin["low"].as_f64() <= margin["after"].as_f64(), "{margin}");
    assert!(margin["after"].as_f64() <= margin["high"].as_f64(), "{margin}");
    assert_eq!(style["choices"][1]["choice"], "risky");
    check_schema("clop", &report);
    let tuned = std::fs::read_to_string(&output).unwrap();
    let (margin, style) = (&margin["after"], style["after"].as_str().unwrap());
    let margin = margin.as_f64().unwrap();
    assert_eq!(
        tuned,
        text.replace("50", &margin.to_string()).replace("choice, solid", &format!("choice, {style}"))
    );
    let svg = std::fs::read_to_string(&plot).unwrap();
    assert!(svg.contains("Style of Play") && svg.contains("against the best (Elo)"), "{svg}");
    assert_eq!(check(&["plot", &files[1]], 0).0, svg);
    flags.push("--resume");
    check(&[&flags[..], &["--force"]].concat(), 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("words")).unwrap(), words);
    std::fs::write(&files[0], "Style of Play, choice, wild, wild, risky\n").unwrap();
    let other = path(&folder, "other.json");
    let wrong = ["clop", "--engine", &engine, "--parameters", &files[0], "--checkpoint", &other];
    let (_, error) = check(&[&wrong[..], &["--tournament", &tournament]].concat(), 2);
    assert!(error.contains("wild"), "{error}");
}

#[cfg(unix)]
#[test]
fn values_of_options_are_kept_only_when_games_prove_them() {
    let folder = tempfile::tempdir().unwrap();
    let [tuned, base] = ["tuned.txt", "base.txt"].map(|name| path(&folder, name));
    let after = PARAMETERS.replace(" 50,", " 61,");
    std::fs::write(&tuned, &after).unwrap();
    let options = ["margin type spin default 50 min 0 max 200", "other type spin default 5 min 0 max 9"];
    let engine = engine_with(&folder, &options);
    for (verdict, code, is_kept) in [("H0", 3, false), ("H1", 0, true)] {
        std::fs::write(&base, PARAMETERS).unwrap();
        let program = referee(&folder, verdict, 0);
        let flags = ["prove", &tuned, "--options", "--base", &base, "--engine", &engine, "--write"];
        let (out, _) = check(&[&flags[..], &["--tournament", &program, "--json", "-"]].concat(), code);
        check_schema("prove", &json(&out));
        assert_eq!(std::fs::read_to_string(&base).unwrap(), if is_kept { &after } else { PARAMETERS });
        let arguments = std::fs::read_to_string(path(&folder, "arguments")).unwrap();
        for word in ["option.margin=61", "option.margin=50", "option.other=5"] {
            assert!(arguments.contains(word), "{word}: {arguments}");
        }
    }
    let same = ["prove", &tuned, "--options", "--base", &tuned, "--engine", &engine];
    assert!(check(&same, 2).1.contains("the same numbers"));
    let (_, error) = check(&["prove", &tuned, "--options"], 2);
    assert!(error.contains("--base") && error.contains("--engine"), "{error}");
}

/// The program in the place of the tournament's, which first runs this command.
#[cfg(unix)]
fn stand_in_that(folder: &tempfile::TempDir, meanwhile: &str) -> String {
    let (tournament, program) = (stand_in(folder), path(folder, "meanwhile"));
    smalt_testing::process::write_script(
        &program,
        &format!("#!/bin/sh\n{meanwhile}\nexec '{tournament}' \"$@\"\n"),
    );
    program
}

#[cfg(unix)]
#[test]
fn files_edited_during_a_tuning_keep_their_edits() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["parameters.txt", "spsa.json", "tuned.txt", "result.json"];
    let [parameters, checkpoint, tuned, json] = names.map(|name| path(&folder, name));
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    let read = |path: &str| std::fs::read_to_string(path).unwrap();
    let tune = |meanwhile: &str, more: &[&str], exit: i32| {
        let _ = [&checkpoint, &tuned, &json].map(std::fs::remove_file);
        std::fs::write(&parameters, PARAMETERS).unwrap();
        let tournament = stand_in_that(&folder, meanwhile);
        let files = [parameters.clone(), checkpoint.clone()];
        let flags = [&spsa(&engine, &tournament, &files)[..], &["--only", "margin", "--games", "16"], more];
        check(&flags.concat(), exit)
    };
    // A new comment stays; changed values are kept, and the tuned file is written beside them.
    tune(&format!("echo '# mine' >> '{parameters}'"), &["--write"], 0);
    assert!(read(&parameters).ends_with("# mine\n") && !read(&parameters).contains(" 50, 0"));
    let edited = PARAMETERS.replace(" 50, 0", " 60, 0");
    let edit = format!("sed -i 's/ 50, 0/ 60, 0/' '{parameters}'");
    let (_, error) = tune(&edit, &["--write"], 1);
    assert!(error.contains("its numbers changed during the run"), "{error}");
    assert_eq!(read(&parameters), edited);
    let beside = read(&format!("{parameters}.tuned"));
    assert!(beside.starts_with("margin,  int, ") && !beside.contains(" 60, 0"), "{beside}");

    // Outputs that appear during the run.
    let (_, error) = tune(&format!("echo mine > '{tuned}'"), &["--output", &tuned], 1);
    assert!(error.contains("tuned.txt.new"), "{error}");
    assert_eq!(read(&tuned), "mine\n");
    assert!(read(&format!("{tuned}.new")).starts_with("margin,  int, "));
    let (_, error) = tune(&format!("echo mine > '{json}'"), &["--json", &json], 1);
    assert!(error.contains("result.json.new"), "{error}");
    assert_eq!(read(&json), "mine\n");
    let (_, error) = tune(&format!("echo mine > '{checkpoint}'"), &[], 0);
    assert!(error.contains("the checkpoint is now"), "{error}");
    assert_eq!(read(&checkpoint), "mine\n");
    assert!(read(&format!("{checkpoint}.new")).contains("\"played\": 8"));
}

#[cfg(unix)]
#[test]
fn a_tuning_goes_on_with_the_same_program_of_the_engine_only() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["parameters.txt", "spsa.json"].map(|name| path(&folder, name));
    std::fs::write(&files[0], "margin, int, 50, 0, 200, 10, 0.05\n").unwrap();
    let engine = engine_with(&folder, &["margin type spin default 50 min 0 max 200"]);
    // The engine is rebuilt during the first round.
    let tournament = stand_in_that(&folder, &format!("echo '# rebuilt' >> '{engine}'"));
    let mut flags = spsa(&engine, &tournament, &files);
    flags.extend(["--games", "48"]);
    let words = "the program of the engine has changed since the tuning began";
    let (_, error) = check(&flags, 1);
    assert!(error.contains("round 1:") && !error.contains("round 2:") && error.contains(words), "{error}");
    flags.push("--resume");
    let (_, error) = check(&flags, 2);
    assert!(error.contains(words) && error.contains("--allow-mixed"), "{error}");
    flags.push("--allow-mixed");
    let (_, error) = check(&flags, 0);
    assert!(error.contains("round 3:"), "{error}");
}
