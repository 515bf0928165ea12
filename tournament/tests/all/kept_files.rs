//! Files of the user that are named as outputs by mistake: inputs, stores, other JSON. They are kept.

use crate::support::{Place, duel, scripted, scripted_program};

const BOOK: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n";

const QUICK: &str = "--depth 1 --games 2 --maxmoves 3 --store run.db";

/// Checks that the command line is refused with these words before it makes a store, and that it leaves the file as it is.
fn refuse(place: &Place, arguments: &[&str], kept: &str, expected: &str) {
    let before = std::fs::read(place.path(kept)).unwrap();
    let (_, err) = place.check(arguments, 2);
    assert!(err.contains(expected), "{arguments:?}: {err}");
    assert_eq!(std::fs::read(place.path(kept)).unwrap(), before, "{arguments:?}");
    assert!(!place.path("run.db").exists(), "{arguments:?}");
}

#[test]
fn an_output_is_no_input() {
    let place = Place::new();
    for name in ["book.epd", "own.bin", "net.nnue", "engine.py", "token", "key"] {
        place.write(name, BOOK);
    }
    std::fs::hard_link(place.path("book.epd"), place.path("link.epd")).unwrap();
    std::fs::copy(scripted_program(), place.path("program.exe")).unwrap();
    place.write("engines.toml", "[[engine]]\nname = \"mine\"\ncmd = \"builtin\"\n");
    let plan = "[run]\nformat = \"match\"\n[[entrant]]\ncmd = \"builtin\"\n[[entrant]]\ncmd = \"builtin\"\nname = \"b\"\n";
    place.write("plan.toml", plan);
    let other = scripted("other", "");
    let cases: [(&str, &str); 10] = [
        ("name=a cmd=builtin", "--openings book.epd --events book.epd"),
        ("name=a cmd=builtin", "--openings book.epd --epd ./book.epd"),
        ("name=a cmd=builtin", "--openings book.epd --epd link.epd"),
        ("name=a cmd=builtin", "--openings book.epd --pgn book.epd --append"),
        ("name=a cmd=builtin book=own.bin", "--events own.bin"),
        ("name=a cmd=builtin option.EvalFile=net.nnue", "--events net.nnue"),
        ("name=a cmd=builtin args=--load=engine.py", "--events engine.py"),
        ("name=a cmd=./program.exe", "--events program.exe"),
        ("name=a cmd=builtin", "--serve 0 --token-file token --events token"),
        ("name=a cmd=builtin", "--engines engines.toml --events engines.toml"),
    ];
    for (engine, words) in cases {
        let kept = words.rsplit(' ').find(|word| !word.starts_with("--")).unwrap();
        let line = format!("{QUICK} {words}");
        refuse(&place, &duel(engine, &other, &line), kept, "is an input and would be overwritten");
    }
    let keys = "--nats tls://localhost:1 --nats-nkey key --events key";
    refuse(&place, &duel("builtin", &other, keys), "key", "is an input and would be overwritten");
    let run = ["run", "plan.toml", "--store", "run.db", "--events", "plan.toml"];
    refuse(&place, &run, "plan.toml", "is an input and would be overwritten");
    refuse(
        &place,
        &duel("builtin", &other, "--store new.db --events new.db"),
        "plan.toml",
        "--store and --events are the same",
    );
}

#[test]
fn an_output_of_fastchess_is_no_input_and_no_other_output() {
    let place = Place::new();
    place.write("book.epd", BOOK);
    place.write("mine.csv", BOOK);
    let program = scripted_program();
    let engines =
        format!("-engine cmd={program} name=a -engine cmd={program} name=b -each depth=1 -rounds 1");
    let book = format!("{engines} -openings file=book.epd format=epd");
    let input = "is an input and would be overwritten";
    for (words, expected) in [
        (format!("fastchess {book} -pgnout file=book.epd append=false"), input),
        (format!("fastchess {book} -epdout file=book.epd append=false"), input),
        (format!("fastchess {book} -log file=book.epd append=false"), input),
        (format!("cutechess {book} -pgnout book.epd"), input),
        (
            format!("fastchess {engines} -pgnout mine.csv -log file=./mine.csv"),
            "-log and -pgnout are the same file",
        ),
    ] {
        let kept = if expected == input { "book.epd" } else { "mine.csv" };
        refuse(&place, &words.split(' ').collect::<Vec<_>>(), kept, expected);
    }
}

#[test]
fn the_standard_error_of_an_engine_goes_into_no_store_output_or_input() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", ""));
    place.check(&duel(&first, &second, "--depth 1 --games 2 --maxmoves 3 --store old.db"), 0);
    place.write("book.epd", BOOK);
    let check = |file: &str, words: &str, kept: &str, expected: &str| {
        let first = format!("{first} stderr={file}");
        let line = format!("{QUICK} {words}");
        refuse(&place, &duel(&first, &second, &line), kept, expected);
    };
    check("old.db", "--seed 1", "old.db", "old.db is a store, which is never overwritten");
    check("book.epd", "--openings book.epd", "book.epd", "is an input and would be overwritten");
    check("./old.pgn", "--pgn old.pgn --append", "old.pgn", "--pgn and stderr= are the same file");
    // Two engines may share it.
    let [first, second] = [first, second].map(|engine| format!("{engine} stderr=errors.log"));
    place.check(&duel(&first, &second, QUICK), 0);
}

#[test]
fn json_with_some_of_the_keys_of_results_is_kept() {
    let place = Place::new();
    let (first, second) = (scripted("first", ""), scripted("second", ""));
    place.check(&duel(&first, &second, "--depth 1 --games 2 --maxmoves 3 --store old.db --json old.json"), 0);
    let results = place.read("old.json");
    let annotated = results.replacen("\"name\":", "\"note\": \"mine\", \"name\":", 2);
    let other_version = results.replacen("\"schema\": 1", "\"schema\": 99", 1);
    assert!(annotated != results && other_version != results);
    for mine in [
        r#"{"entrants":[{"name":"x","secret":"my notes"}]}"#,
        r#"{"schema":"https://json-schema.org/x"}"#,
        r#"{"format":"book","run":"mine"}"#,
        r#"{"scale":3}"#,
        r#"{"schema":1}"#,
        "[]",
        &annotated,
        &other_version,
    ] {
        place.write("mine.json", mine);
        let expected = "mine.json: it exists already and is not a file of such results";
        let line = format!("{QUICK} --json mine.json");
        refuse(&place, &duel(&first, &second, &line), "mine.json", expected);
        refuse(&place, &["standings", "old.db", "--json", "mine.json"], "mine.json", expected);
        refuse(&place, &["ratings", "old.pgn", "--json", "mine.json"], "mine.json", expected);
    }
    // Results of the same kind are replaced.
    place.check(&["resume", "old.db", "--games", "4"], 0);
    assert_ne!(place.read("old.json"), results);
    for command in
        [&["status", "old.db"][..], &["ratings", "old.pgn"], &["standings", "old.db"], &["engines"]]
    {
        for _ in 0..2 {
            place.check(&[command, &["--json", &format!("{}.json", command[0])]].concat(), 0);
        }
    }
}

#[test]
fn elo_of_other_counts_is_replaced_by_force_only() {
    let place = Place::new();
    let elo = |counts, more: &[&str], code| {
        place.check(&[&["elo", "--wdl", counts, "--json", "elo.json"], more].concat(), code).1
    };
    elo("10,20,5", &[], 0);
    let first = place.read("elo.json");
    elo("10,20,5", &[], 0);
    let err = elo("11,20,5", &[], 2);
    assert!(err.contains("write elo.json: it exists already; give --force to replace it"), "{err}");
    assert_eq!(place.read("elo.json"), first);
    elo("11,20,5", &["--force"], 0);
    assert_ne!(place.read("elo.json"), first);
}
