//! fastchess and cutechess-cli mode: flags, and output lines as scripts parse them.

use std::collections::HashMap;

use crate::support::{Place, scripted};

/// An engine in fastchess's words, without double quoting.
pub(crate) fn engine(name: &str, arguments: &str) -> Vec<String> {
    let words = scripted(name, arguments);
    let (cmd, rest) = words.strip_prefix("\"cmd=").unwrap().split_once('"').unwrap();
    let (_, args) = rest.split_once("\"args=").unwrap();
    vec![
        "-engine".to_owned(),
        format!("cmd={cmd}"),
        format!("name={name}"),
        format!("args={}", args.trim_end_matches('"')),
    ]
}

pub(crate) fn line(engines: &[Vec<String>], flags: &str) -> Vec<String> {
    engines.iter().flatten().cloned().chain(flags.split_whitespace().map(str::to_owned)).collect()
}

pub(crate) fn run(place: &Place, face: &str, line: &[String], code: i32) -> (String, String) {
    let words: Vec<&str> = [face].into_iter().chain(line.iter().map(String::as_str)).collect();
    let (out, err) = place.check(&words, code);
    (without_time(&out), err)
}

/// The text with a total time of 0 seconds.
fn without_time(text: &str) -> String {
    let line = |line: &str| {
        let is_time = line.starts_with("Total Time: ");
        let line = if is_time { "Total Time: 00:00:00 (hours:minutes:seconds)" } else { line };
        format!("{line}\n")
    };
    text.lines().map(line).collect()
}

pub(crate) fn duel() -> [Vec<String>; 2] {
    [engine("A", "--seed 1 --info-lines 1"), engine("B", "--seed 2 --info-lines 1")]
}

/// OpenBench's worker: parses number, result and reason from a line; pairs by odd and even numbers; an empty line is
/// the end.
#[derive(Default)]
struct OpenBench {
    waiting: HashMap<u32, String>,
    penta: [u32; 5],
    crashes: u32,
    time_losses: u32,
    illegals: u32,
}

impl OpenBench {
    fn read(output: &str) -> OpenBench {
        let mut found = OpenBench::default();
        // The worker stops at an empty line.
        for line in output.lines().map(str::trim).take_while(|line| !line.is_empty()) {
            if line.contains("Finished game") {
                found.take(line);
            }
        }
        found
    }

    fn take(&mut self, line: &str) {
        let reason = line.split(':').nth(1).unwrap();
        self.crashes += u32::from(reason.contains("disconnect") || reason.contains("stalls"));
        self.time_losses += u32::from(reason.contains("on time"));
        self.illegals += u32::from(reason.contains("illegal"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let number: u32 = words[2].parse().unwrap();
        self.waiting.insert(number, words[6].to_owned());
        let (first, second) = if number % 2 == 1 { (number, number + 1) } else { (number - 1, number) };
        if let (Some(a), Some(b)) = (self.waiting.get(&first), self.waiting.get(&second)) {
            let points = |result: &str| match result {
                "0-1" => 0,
                "1/2-1/2" => 1,
                "1-0" => 2,
                other => panic!("{other}"),
            };
            self.penta[points(a) + 2 - points(b)] += 1;
        }
    }
}

/// Fishtest's worker: games and pairs of each report, which must agree.
pub(crate) fn fishtest(output: &str) -> Vec<([u32; 4], [u32; 5])> {
    let numbers = |text: &str| -> Vec<u32> {
        text.split(|letter: char| !letter.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().unwrap())
            .collect()
    };
    let mut reports = Vec::new();
    let mut games = None;
    for line in output.lines() {
        if line.starts_with("Games: ") && line.contains(", Points: ") {
            let (counts, _) = line.split_once(", Points: ").unwrap();
            games = Some(<[u32; 4]>::try_from(numbers(counts)).unwrap());
        }
        if let Some(rest) = line.strip_prefix("Ptnml(0-2): [") {
            let (inside, _) = rest.split_once(']').unwrap();
            reports.push((games.take().unwrap(), <[u32; 5]>::try_from(numbers(inside)).unwrap()));
        }
    }
    reports
}

#[test]
fn a_line_of_openbench_runs_unchanged_and_its_worker_reads_the_lines() {
    let place = Place::new();
    place.write("book.epd", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\nrnbqkbnr/pppppppp/8/8/3P4/8/PPPP1PPP/RNBQKBNR b KQkq -\n");
    let engines = [
        [
            engine("E-dev", "--seed 1"),
            "proto=uci tc=10.00+0.10 timemargin=250".split(' ').map(str::to_owned).collect(),
        ]
        .concat(),
        [
            engine("E-base", "--seed 2 --fault illegal-move@40"),
            "proto=uci tc=10.00+0.10 timemargin=250".split(' ').map(str::to_owned).collect(),
        ]
        .concat(),
    ];
    let flags = "-repeat -recover -variant standard -concurrency 2 -games 8 -resign movecount=3 score=400 \
                 -draw movenumber=40 movecount=8 score=10 -maxmoves 30 -openings file=book.epd format=epd order=random \
                 start=7 -srand 18446744073709551615 -pgnout games.pgn";
    let (out, _) = run(&place, "cutechess", &line(&engines, flags), 0);
    let found = OpenBench::read(&out);
    assert_eq!(found.penta.iter().sum::<u32>(), 4, "{out}");
    // Each of the two concurrent processes makes one illegal move.
    assert!((1..=2).contains(&found.illegals), "{out}");
    assert_eq!((found.crashes, found.time_losses), (0, 0), "{out}");
    // Its table of pairs assumes that the first engine has White in every odd game.
    for game in (1..=8).step_by(2) {
        assert!(out.contains(&format!("Started game {game} of 8 (E-dev vs E-base)\n")), "{out}");
    }
    assert!(out.contains("\nScore of E-dev vs E-base: ") && out.ends_with("Finished match\n"), "{out}");
    let pgn = std::fs::read_to_string(place.path("games.pgn")).unwrap();
    assert_eq!(pgn.matches("[Event ").count(), 8);
    // Games are appended, as by a second copy or a second batch.
    run(&place, "cutechess", &line(&engines, flags), 0);
    assert_eq!(std::fs::read_to_string(place.path("games.pgn")).unwrap().matches("[Event ").count(), 16);
    place.await_nobody();
}

#[test]
fn a_line_of_fishtest_runs_unchanged_and_its_worker_reads_the_reports() {
    let place = Place::new();
    place.write("book.epd", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -\n");
    let flags = "-testEnv -recover -repeat -games 2 -rounds 5 -ratinginterval 1 -scoreinterval 1 -autosaveinterval 0 \
                 -report penta=true -pgnout file=r.pgn append=false -crc32 pgn=true -site https://x/tests/view/1 -event Batch \
                 -srand 7 -resign movecount=3 score=600 -draw movenumber=34 movecount=8 score=20 -variant standard \
                 -concurrency 2 -openings file=book.epd format=epd order=random plies=16 start=12 -maxmoves 12 \
                 -each proto=uci nodes=5 timemargin=10000";
    let engines = duel().map(|words| [words, vec!["dir=.".to_owned()]].concat());
    let (out, err) = run(&place, "fastchess", &line(&engines, flags), 0);
    let reports = fishtest(&out);
    assert_eq!(reports.len(), 5, "{out}");
    for (number, ([games, wins, losses, draws], penta)) in (1..).zip(&reports) {
        assert_eq!(*games, 2 * number, "{out}");
        assert_eq!(penta.iter().sum::<u32>(), number);
        assert_eq!(wins + losses + draws, *games);
    }
    assert!(out.contains("Results of A vs B (5 nodes, NULL, NULL, book.epd):\n"), "{out}");
    let sum = out.lines().find(|line| line.contains("has CRC32:")).unwrap();
    assert!(sum.starts_with("File r.pgn has CRC32: 0x"), "{sum}");
    assert!(out.contains("\nFinished match\nTotal Time: "), "{out}");
    // Messages about games on standard error would be counted twice.
    assert!(!["disconnect", "stall", "on time"].iter().any(|word| err.contains(word)), "{err}");
    assert!(
        std::fs::read_to_string(place.path("r.pgn")).unwrap().contains("[Site \"https://x/tests/view/1\"]")
    );
}

#[test]
fn the_lines_of_a_match_are_those_of_either_program() {
    let place = Place::new();
    let shown = |face: &str, flags: &str| run(&place, face, &line(&duel(), flags), 0).0;
    insta::assert_snapshot!(
        "fastchess_lines",
        shown("fastchess", "-rounds 2 -ratinginterval 1 -maxmoves 6 -each depth=1 -sprt elo0=0 elo1=100")
    );
    insta::assert_snapshot!(
        "fastchess_games",
        shown("fastchess", "-rounds 1 -report penta=false -maxmoves 6 -each depth=1")
    );
    insta::assert_snapshot!(
        "cutechess_lines",
        shown("cutechess", "-games 2 -rounds 2 -repeat -ratinginterval 4 -maxmoves 6 -each tc=inf depth=1")
    );
}

#[test]
fn many_engines_are_shown_in_a_table() {
    let place = Place::new();
    let engines =
        [engine("A", "--seed 1"), engine("B", "--seed 2"), engine("C", "--seed 3 --fault illegal-move@2")];
    let flags = "-tournament gauntlet -rounds 1 -games 2 -maxmoves 6 -ratinginterval 0 -recover -each depth=1 restart=on";
    let (out, _) = run(&place, "fastchess", &line(&engines, flags), 0);
    insta::assert_snapshot!("fastchess_table", out);
    let (out, _) = run(&place, "cutechess", &line(&engines, flags), 0);
    insta::assert_snapshot!("cutechess_table", out);
}

#[test]
fn without_recover_a_crash_stops_and_a_loss_on_time_does_not() {
    let place = Place::new();
    let crash = [engine("A", ""), engine("B", "--fault crash@2")];
    let (out, err) = run(&place, "fastchess", &line(&crash, "-rounds 4 -each depth=1 -maxmoves 10"), 1);
    // The next game may have started before the stop.
    assert!((1..=2).contains(&OpenBench::read(&out).crashes), "{out}");
    assert!(err.contains("Stopped after a fault"), "{err}");
    let illegal = [engine("A", ""), engine("B", "--fault illegal-move@2")];
    let (out, _) = run(&place, "fastchess", &line(&illegal, "-rounds 2 -each depth=1 -maxmoves 10"), 0);
    assert_eq!(OpenBench::read(&out).illegals, 1, "{out}");
}

#[test]
fn what_is_not_supported_is_refused_with_words() {
    let place = Place::new();
    let check = |flags: &str, expected: &str| {
        let (_, err) = run(&place, "fastchess", &line(&duel(), flags), 2);
        assert_eq!(err.trim_end(), format!("smalt-tournament: {expected}"));
    };
    check(
        "-ratingintervall 3",
        "unknown flag -ratingintervall (did you mean -ratinginterval?); -help lists them",
    );
    check("-each depth=1 tscale=0.1", "engine \"A\": tscale=0.1: the factor of timeouts is 0.2 to 120");
    check("-rounds many", "-rounds many: expected a whole number");
    check("-rounds -1", "-rounds -1: the number is too small or too large");
    check("-draw movecout=3", "-draw movecout=…: unknown key; the keys are movenumber, movecount and score");
    check("-log file=a level=all", "-log level=all: the levels are trace, info, warn, err and fatal");
    check("-variant atomic", "-variant atomic: the variants are standard and fischerandom");
    check("-each tc=1+0 -sprt elo0=0", "-sprt needs elo1=");
    check("-pgnout file=x.pgn notation=fan", "-pgnout notation=fan: the notations are san, lan and uci");
    let (_, err) = run(&place, "fastchess", &["cmd=a".to_owned()], 2);
    assert!(err.contains("\"cmd=a\" stands before any flag"), "{err}");
    let (out, _) = run(&place, "cutechess", &["-version".to_owned()], 0);
    assert!(out.starts_with("cutechess-cli 1.") && out.contains("\nsmalt-tournament "), "{out}");
}

#[test]
fn the_columns_of_the_table_of_many_engines_are_chosen() {
    let place = Place::new();
    let three = [duel().to_vec(), vec![engine("C", "")]].concat();
    let flags = "-resultformat Name,W,L,D,TC -each depth=1 -maxmoves 2";
    let (out, _) = run(&place, "cutechess", &line(&three, flags), 0);
    let header = "Name                         Wins  Losses   Draws             TC\n";
    assert!(out.contains(header) && out.contains("       1 plies\n"), "{out}");
    assert!(out.contains("\nPlayer: A\n   \"Draw by adjudication: maximal game length\": 2\n"), "{out}");
    assert!(out.ends_with("Finished match\n"), "{out}");
    let (_, err) = run(&place, "cutechess", &line(&three, "-resultformat Nmae -each depth=1"), 2);
    assert!(
        err.contains("-resultformat Nmae: unknown column \"Nmae\"; -resultformat help lists them"),
        "{err}"
    );
    let (out, _) = run(&place, "cutechess", &line(&three, "-resultformat help"), 0);
    assert!(out.contains("\nwide2\n   Rank,Name,Elo,"), "{out}");
}

/// One position, the start position, and one move, e2e4 (Polyglot: key, move, weight, learn).
pub(crate) const BOOK_OF_ONE_MOVE: [u8; 16] =
    [0x46, 0x3b, 0x96, 0x18, 0x16, 0x91, 0xfc, 0x9c, 0x03, 0x1c, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00];

#[test]
fn a_book_that_all_engines_have_begins_the_games() {
    let place = Place::new();
    std::fs::write(place.path("book.bin"), BOOK_OF_ONE_MOVE).unwrap();
    let flags = "-each depth=1 book=book.bin bookdepth=4 -repeat -games 2 -maxmoves 3 -pgnout games.pgn";
    run(&place, "cutechess", &line(&duel(), flags), 0);
    assert_eq!(place.read("games.pgn").matches("1. e4 {book}").count(), 2, "{}", place.read("games.pgn"));
}

#[test]
fn compliance_examines_an_engine_and_ends_with_the_line_that_scripts_await() {
    let place = Place::new();
    let examine = |arguments: &str, code: i32| {
        let words = engine("A", arguments);
        let program = words[1].strip_prefix("cmd=").unwrap().to_owned();
        let arguments = words[3].strip_prefix("args=").unwrap().split(' ').map(str::to_owned);
        let line: Vec<String> = ["--compliance".to_owned(), program].into_iter().chain(arguments).collect();
        run(&place, "fastchess", &line, code).0
    };
    let fit = examine("--seed 1 --info-lines 1", 0);
    assert!(fit.ends_with("\nEngine passed all compliance checks.\n"), "{fit}");
    let unfit = examine("--seed 1 --fault illegal-move@1", 1);
    assert!(!unfit.contains("passed") && unfit.contains("not fit to play"), "{unfit}");
    let (_, err) = run(&place, "fastchess", &["-compliance".to_owned()], 2);
    assert!(err.contains("-compliance needs an engine"), "{err}");
}

#[test]
fn an_option_that_an_engine_lacks_brings_a_warning_and_the_games_go_on() {
    let place = Place::new();
    let flags = "-each depth=1 option.Hush=16 -rounds 1 -maxmoves 4";
    let (out, err) = run(&place, "fastchess", &line(&duel(), flags), 0);
    assert_eq!(out.matches("Finished game").count(), 2, "{out}");
    assert!(out.contains("Warning; A doesn't have option Hush\n"), "{out}");
    assert!(!err.contains("Hush"), "{err}");
}

#[test]
fn output_formats_follow_the_flags() {
    let place = Place::new();
    place.write("last.epd", "older\n");
    let flags = "-each depth=1 -rounds 1 -maxmoves 4 -pgnout games.pgn min fi -epdout last.epd -wait 20 \
                 -config outname=state.json";
    run(&place, "cutechess", &line(&duel(), flags), 0);
    let pgn = place.read("games.pgn");
    assert!(pgn.contains("[Result ") && !pgn.contains('{') && !pgn.contains("[TimeControl"), "{pgn}");
    let epd = place.read("last.epd");
    assert!(epd.starts_with("older\n") && epd.lines().count() == 2, "{epd}");
    assert!(place.path("state.db").exists() && place.path("state.json").exists());
    let (out, _) = run(&place, "fastchess", &["-config".to_owned(), "file=state.json".to_owned()], 0);
    assert!(out.starts_with("Loading config file: state.json\n"), "{out}");
    assert!(!out.contains("Started game") && out.contains("\nFinished match\nTotal Time: "), "{out}");
    run(
        &place,
        "fastchess",
        &line(&duel(), "-each depth=1 -rounds 1 -maxmoves 4 -epdout file=last.epd append=false"),
        0,
    );
    assert_eq!(place.read("last.epd").lines().count(), 2);
}

#[test]
fn what_engines_say_is_shown_where_debug_asks_for_it() {
    let place = Place::new();
    let (out, _) = run(&place, "cutechess", &line(&duel(), "-debug -each depth=1 -maxmoves 2"), 0);
    assert!(out.contains(" >A: uci\n") && out.contains(" <B: bestmove "), "{out}");
}

#[test]
fn a_log_has_what_its_level_asks_for() {
    let place = Place::new();
    let engines = [engine("A", ""), engine("B", "--fault illegal-move@2")];
    let log = |words: &str| {
        place.write("run.log", "older\n");
        let flags = format!("-rounds 1 -maxmoves 6 -each depth=1 option.Hush=1 -log file=run.log {words}");
        let (out, _) = run(&place, "fastchess", &line(&engines, &flags), 0);
        (without_time(&place.read("run.log")), out)
    };
    let hush = "doesn't have option Hush";
    let (text, out) = log("level=info");
    assert!(text.starts_with("older\n") && text.contains(hush), "{text}");
    assert!(out.lines().all(|line| text.contains(line)), "{text}");
    assert_eq!(log("append=false").0, log("level=warn append=false").0);
    let (text, _) = log("level=warn append=false");
    assert!(text.starts_with("Warning; ") && text.contains(hush), "{text}");
    assert!(text.contains("Warning: game 1 (A vs B): Black makes an illegal move"), "{text}");
    assert!(!text.contains("Started game") && !text.contains("Finished game"), "{text}");
    assert!(!place.path("run.log.games").exists());
    let (text, _) = log("level=err append=true");
    assert_eq!(text, "older\n");
    let (text, _) = log("level=fatal append=false engine=true");
    assert_eq!(text, "");
    assert!(place.read("run.log.games/game-000001.log").contains("> uci\n"));
}

#[test]
fn a_log_says_what_stopped_the_run() {
    let place = Place::new();
    let engines = [engine("A", ""), engine("B", "--fault crash@2")];
    let flags = "-rounds 1 -each depth=1 -maxmoves 10 -log file=run.log level=fatal";
    run(&place, "fastchess", &line(&engines, flags), 1);
    let text = place.read("run.log");
    assert!(text.starts_with("Stopping after a fault: ") && text.lines().count() == 1, "{text}");
}

#[test]
fn engines_of_cute_chess_are_known_by_name() {
    let place = Place::new();
    let words = engine("A", "--seed 1 --info-lines 1");
    let (cmd, args) = (words[1].strip_prefix("cmd=").unwrap(), words[3].strip_prefix("args=").unwrap());
    let entry =
        |name: &str| serde_json::json!({"name": name, "command": format!("{cmd} {args}"), "protocol": "uci"});
    place.write("engines.json", &serde_json::json!([entry("One"), entry("Two")]).to_string());
    let flags: Vec<String> = "-engine conf=One -engine conf=Two -each depth=1 -rounds 1 -maxmoves 4"
        .split(' ')
        .map(str::to_owned)
        .collect();
    let (out, _) = run(&place, "cutechess", &flags, 0);
    assert!(out.starts_with("Started game 1 of 1 (One vs Two)\n"), "{out}");
    let (out, _) = run(&place, "cutechess", &["-engines".to_owned()], 0);
    assert_eq!(out, "One\nTwo\n");
    let native = [
        "match", "--engines", "engines.json", "--engine", "One", "--engine", "Two", "--depth", "1",
        "--games", "2", "--maxmoves", "4",
    ];
    place.check(&native, 0);
}

#[test]
fn the_same_line_twice_in_one_folder_plays_twice_and_leaves_what_was_asked_for() {
    let place = Place::new();
    let files = |place: &Place| {
        let entries = std::fs::read_dir(place.path("")).unwrap().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    let flags = "-each depth=1 -rounds 1 -maxmoves 4 -pgnout games.pgn -config discard=true";
    for _ in 0..2 {
        run(&place, "fastchess", &line(&duel(), flags), 0);
    }
    assert_eq!(place.read("games.pgn").matches("[Event ").count(), 4);
    assert_eq!(files(&place), ["config.json", "games.pgn"]);
    let flags = "-each depth=1 -rounds 1 -maxmoves 4 -config outname=state.json";
    for _ in 0..2 {
        run(&place, "fastchess", &line(&duel(), flags), 0);
    }
    assert_eq!(files(&place), ["config.json", "games.pgn", "state-2.db", "state.db", "state.json"]);
    for store in ["state.db", "state-2.db"] {
        assert_eq!(place.results(store)["games_finished"], 2, "{store}");
    }
}

#[test]
fn strict_ends_the_run_at_the_first_warning() {
    let place = Place::new();
    let flags = "-rounds 4 -each depth=1 option.Hush=16 -maxmoves 4 -strict";
    let (out, _) = run(&place, "fastchess", &line(&duel(), flags), 1);
    assert!(
        out.contains("Warning; A doesn't have option Hush\n") || out.contains("Warning; B doesn't"),
        "{out}"
    );
    assert!(out.matches("Finished game").count() < 8, "{out}");
}

#[test]
fn concurrency_may_be_given_as_cores_to_leave_free() {
    let place = Place::new();
    run(&place, "fastchess", &line(&duel(), "-rounds 1 -each depth=1 -maxmoves 2 -concurrency 0"), 0);
    run(&place, "fastchess", &line(&duel(), "-rounds 1 -each depth=1 -concurrency -9999"), 2);
    // fastchess swaps games and rounds if there are more than two games.
    let (out, _) = run(&place, "fastchess", &line(&duel(), "-games 3 -each depth=1 -maxmoves 2"), 0);
    assert_eq!(out.matches("Finished game").count(), 6, "{out}");
}

#[test]
fn append_false_empties_no_file_of_a_run_that_does_not_start() {
    let place = Place::new();
    let old = "[Event \"older\"]\n\n*\n\n";
    let refused = |flags: &str, file: &str| {
        place.write(file, old);
        let flags = format!("-rounds 1 -each depth=1 -maxmoves 2 {flags}");
        let words: Vec<String> = line(&duel(), &flags);
        let words: Vec<&str> = ["fastchess"].into_iter().chain(words.iter().map(String::as_str)).collect();
        assert!(!place.run(&words).status.success(), "{flags}");
        assert_eq!(place.read(file), old, "{flags}");
    };
    refused("-pgnout file=games.pgn.gz append=false", "games.pgn.gz");
    refused("-pgnout file=g.pgn append=false -epdout file=e.epd.gz", "g.pgn");
    refused("-pgnout file=g.pgn append=false -config outname=nodir/c.json", "g.pgn");
    let flags = "-rounds 1 -each depth=1 -maxmoves 2 -pgnout file=g.pgn append=false";
    run(&place, "fastchess", &line(&duel(), flags), 0);
    assert_eq!(place.read("g.pgn").matches("[Event ").count(), 2, "{}", place.read("g.pgn"));
    assert!(!place.read("g.pgn").contains("older"));
}

#[test]
fn no_two_outputs_are_one_file_and_a_store_may_be_named_itself() {
    let place = Place::new();
    let flags = "-rounds 1 -each depth=1 -maxmoves 2";
    for outputs in [
        "-pgnout games.pgn -config outname=games.pgn",
        "-pgnout games.pgn -log file=./games.pgn",
        "-epdout e.epd -config outname=e.epd",
        "-log file=config.json",
    ] {
        let (_, err) = run(&place, "fastchess", &line(&duel(), &format!("{flags} {outputs}")), 2);
        assert!(err.contains("are the same file"), "{outputs}: {err}");
    }
    run(&place, "fastchess", &line(&duel(), &format!("{flags} -config outname=kept.db")), 0);
    assert_eq!(place.results("kept.db")["games_finished"], 2);
    assert!(place.read("config.json").contains("kept.db"));
}

pub(crate) fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn engines_are_named_as_fastchess_names_them() {
    let place = Place::new();
    let [mut first, second] = duel();
    first.retain(|word| word != "name=A");
    let third = [first.clone(), words("name=scripted_engine")].concat();
    let flags = "-rounds 1 -each depth=1 -maxmoves 1 -concurrency 0";
    let (out, _) = run(&place, "fastchess", &line(&[first, second, third], flags), 0);
    assert!(out.starts_with("Info: Adjusted concurrency to "), "{out}");
    assert!(out.contains("(scripted_engine vs scripted_engine_2)"), "{out}");
}

#[test]
fn a_loss_on_time_has_its_overrun() {
    let place = Place::new();
    let engines = [engine("A", "--info-lines 1"), engine("B", "--info-lines 1 --fault late@2 --delay 300")];
    let flags = "-rounds 1 -games 1 -each tc=0.1+0.05 -pgnout g.pgn";
    let (out, _) = run(&place, "fastchess", &line(&engines, flags), 0);
    let (_, reason) =
        out.split_once("Finished game 1 (A vs B): 1-0 {Black loses on time (").expect("it was late");
    let (overrun, _) = reason.split_once("ms overrun)}\n").unwrap();
    assert!(overrun.parse::<u32>().unwrap() > 0, "{out}");
    let pgn = place.read("g.pgn").replace('\n', " ");
    assert!(pgn.contains(&format!("Black loses on time ({overrun}ms overrun)}}")), "{pgn}");
}
