//! House rules, checked on the source tree: allowed dependencies between crates, required texts of files, words and
//! libraries restricted to certain places. To change a rule, change it here, in docs/architecture.md and in the tree
//! together.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod modules;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use modules::{circles, module_code, module_uses};

/// Crates by folder, with the workspace crates that each may depend on. All other dependencies are forbidden.
const ARROWS: &[(&str, &[&str])] = &[
    ("data", &[]),
    ("engine/about", &[]),
    ("engine/chess", &[]),
    ("engine/protocol", &["smalt-chess"]),
    ("engine/python", &["smalt-chess"]),
    ("engine/driver", &["smalt-chess", "smalt-protocol"]),
    ("engine/scripted", &["smalt-chess", "smalt-protocol"]),
    ("engine", &["smalt-about", "smalt-chess", "smalt-protocol"]),
    // `smalt-driver` starts the tournament program, to test tuned parameters in games, and engines that score positions.
    (
        "tuner",
        &[
            "smalt", "smalt-about", "smalt-chess", "smalt-dataset", "smalt-driver", "smalt-protocol",
            "smalt-report", "smalt-workbench",
        ],
    ),
    ("tuner/dataset", &["smalt-chess", "smalt-workbench"]),
    ("engine/testing", &["smalt-chess"]),
    ("engine/workbench", &["smalt-data", "smalt-driver", "smalt-protocol", "smalt-report"]),
    ("tournament/stats", &[]),
    ("tournament/report", &[]),
    (
        "tournament/match",
        &[
            "smalt-chess", "smalt-data", "smalt-dataset", "smalt-driver", "smalt-protocol", "smalt-report",
            "smalt-stats", "smalt-workbench",
        ],
    ),
    (
        "tournament/fleet",
        &["smalt-chess", "smalt-driver", "smalt-match", "smalt-protocol", "smalt-report", "smalt-workbench"],
    ),
    ("tournament/queue", &["smalt-driver", "smalt-match", "smalt-workbench"]),
    (
        "tournament/dashboard",
        &["smalt-chess", "smalt-driver", "smalt-match", "smalt-protocol", "smalt-report", "smalt-workbench"],
    ),
    // `smalt` is only for the main functions: they link its serve loop for the engine `builtin`.
    (
        "tournament",
        &[
            "smalt", "smalt-about", "smalt-chess", "smalt-dashboard", "smalt-data", "smalt-dataset",
            "smalt-driver", "smalt-fleet", "smalt-match", "smalt-protocol", "smalt-queue", "smalt-report",
            "smalt-stats", "smalt-workbench",
        ],
    ),
    (
        "suites",
        &[
            "smalt", "smalt-about", "smalt-chess", "smalt-data", "smalt-driver", "smalt-protocol",
            "smalt-report", "smalt-stats", "smalt-workbench",
        ],
    ),
];

/// Modules of `smalt-match` in reading order: each may use only earlier ones.
const MATCH_MODULES: &[&str] = &[
    "named_file", "plan", "schedule", "opening", "game", "setup", "estimate", "store", "standings",
    "progress", "pgn", "epd", "game_file", "run",
];

/// Files and folders at the top, except dot files.
const TOP: &[&str] = &[
    "CONTRIBUTING.md", "Cargo.lock", "Cargo.toml", "LICENSE", "Makefile", "README.md", "data", "deny.toml",
    "docs", "engine", "suites", "target", "tournament", "tuner",
];

/// Words in code that are restricted to the named places.
const HOMES: &[(&str, &[&str])] = &[
    (
        "process::Command",
        &[
            "engine/about/build.rs",
            "engine/about/src/faster_build.rs",
            "engine/driver/",
            "engine/scripted/",
            "engine/testing/",
            "engine/workbench/src/source/",
        ],
    ),
    (
        "rusqlite::",
        &["tournament/match/src/store/", "tournament/queue/src/file.rs", "tuner/src/night/file.rs"],
    ),
    ("async_nats", &["tournament/fleet/src/"]),
    ("ureq::", &["tournament/src/cli/webhook.rs"]),
    // Engine and adjudication probe tables independently; a test compares the engine with the library.
    (
        "shakmaty_syzygy",
        &[
            "engine/src/tablebases.rs",
            "engine/tests/all/tablebases.rs",
            "tournament/match/src/game/tablebases.rs",
        ],
    ),
    ("axum::", &["tournament/dashboard/src/"]),
    ("hyper::", &["tournament/dashboard/src/"]),
    ("hyper_util::", &["tournament/dashboard/src/"]),
    ("tokio::", &["tournament/dashboard/src/", "tournament/fleet/src/"]),
    ("smalt::", &["engine/", "tuner/", "tournament/src/main.rs", "suites/src/main.rs"]),
    (
        "clap::",
        &[
            "engine/about/",
            "engine/src/cli",
            "engine/workbench/src/flags.rs",
            "tournament/match/src/plan",
            "tournament/src/cli",
            "suites/src/cli",
            "tuner/src/cli",
        ],
    ),
];

/// File names without meaning.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "misc", "manager", "helper", "helpers"];

/// Phrases that no chess programmer uses; CONTRIBUTING.md has the field's words. Matched as whole words.
const BANNED_PHRASES: &[&str] = &[
    "is told", "so many", "told", "that is none", "tells none", "whoever", "heed", "heeds", "heeded",
    "bears", "foretell", "foretells", "left out", "of its own", "of their own", "stood still",
    "is no number", "colour", "colours",
];

/// Extensions of files with prose: code, documents, help snapshots, the live page, scripts.
const PROSE: &[&str] = &[".rs", ".md", ".toml", ".snap", ".html", ".js", ".css", ".py", ".pyi"];

/// Tables, which may exceed the file length limit.
const TABLES: &[&str] = &["engine/chess/src/position/zobrist.rs"];

const LONGEST_FILE: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// All files below a folder, as paths from the root with slashes, without build output and dot folders.
fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.starts_with('.') || name == "target" {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                let relative = path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
                found.push(relative);
            }
        }
    }
    found.sort();
    found
}

fn rust_files() -> Vec<String> {
    files_below(&root()).into_iter().filter(|path| path.ends_with(".rs")).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The workspace crates in the `[dependencies]` of a manifest.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut section = "";
    let mut ours = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            section = line;
        } else if matches!(section, "[dependencies]" | "[build-dependencies]") {
            let name: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '-').collect();
            if name == "smalt" || name.starts_with("smalt-") {
                ours.insert(name);
            }
        }
    }
    ours
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn crates_depend_along_the_arrows_only() {
    let members: BTreeSet<String> = files_below(&root())
        .into_iter()
        .filter_map(|path| path.strip_suffix("/Cargo.toml").map(str::to_owned))
        .filter(|folder| !folder.ends_with("/fuzz"))
        .collect();
    let known: BTreeSet<String> = ARROWS.iter().map(|(folder, _)| folder.to_string()).collect();
    assert_eq!(members, known, "every crate stands in the list of arrows");
    let mut complaints = Vec::new();
    for (folder, allowed) in ARROWS {
        for name in dependencies(&read(&format!("{folder}/Cargo.toml"))) {
            if !allowed.contains(&name.as_str()) {
                complaints.push(format!("{folder} must not depend on {name}"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn the_modules_of_a_match_use_only_those_before_them() {
    let uses = module_uses(&module_code("tournament/match")).remove(&Vec::new()).unwrap();
    let place = |module: &str| MATCH_MODULES.iter().position(|known| *known == module);
    let mut complaints = Vec::new();
    for (module, used) in &uses {
        if place(module).is_none() {
            complaints.push(format!("{module} of smalt-match is not in the list of its modules"));
        }
        for other in used.iter().filter(|other| place(other) > place(module)) {
            complaints.push(format!("{module} of smalt-match must not use {other}, which comes behind it"));
        }
    }
    report(&complaints);
}

#[test]
fn no_modules_form_a_circle() {
    let mut complaints = Vec::new();
    for (folder, _) in ARROWS {
        let circles = circles(module_uses(&module_code(folder)));
        complaints.extend(circles.into_iter().map(|circle| format!("{folder}: {circle}")));
    }
    report(&complaints);
}

#[test]
fn the_top_folder_has_only_listed_entries() {
    let extra: Vec<String> = fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && !TOP.contains(&name.as_str()))
        // Files that a run leaves in its working folder.
        .filter(|name| {
            ![".db", ".pgn", ".json", ".db-wal", ".db-shm", ".db-live"].iter().any(|end| name.ends_with(end))
        })
        .collect();
    report(&extra);
}

#[test]
fn every_file_starts_with_its_purpose() {
    let complaints: Vec<String> = rust_files()
        .into_iter()
        .filter(|path| !path.contains("/fuzz/"))
        .filter(|path| !read(path).trim_start_matches("#![no_main]\n").starts_with("//!"))
        .map(|path| format!("{path} does not open with a module page (//!)"))
        .collect();
    report(&complaints);
}

#[test]
fn module_pages_have_at_most_five_sentences() {
    let complaints: Vec<String> = rust_files()
        .into_iter()
        // The front page of the published library explains its examples.
        .filter(|path| path != "engine/chess/src/lib.rs")
        .filter_map(|path| {
            let sentences = sentences(&read(&path));
            (sentences > 5).then(|| format!("{path}: {sentences} sentences; move details to the items"))
        })
        .collect();
    report(&complaints);
}

#[test]
fn front_pages_name_every_module() {
    let mut complaints = Vec::new();
    for path in rust_files().into_iter().filter(|path| path.ends_with("src/lib.rs")) {
        let text = read(&path);
        let (page, code): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("//!"));
        let page = page.join("\n");
        for line in code {
            let declared = line.trim_start_matches("pub ").strip_prefix("mod ");
            let Some(module) = declared.and_then(|rest| rest.strip_suffix(';')) else { continue };
            if !page.contains(&format!("`{module}`")) {
                complaints.push(format!("the front page of {path} does not name `{module}`"));
            }
        }
    }
    report(&complaints);
}

/// Number of sentences of a module page, without code and lists. Initials such as `J. C.` end no sentence.
fn sentences(file: &str) -> usize {
    let mut in_code = false;
    let mut count = 0;
    for line in file.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim) {
        in_code ^= line.starts_with("```");
        if in_code || line.starts_with(['`', '|', '-', '*', '#']) {
            continue;
        }
        let ends = |word: &&str| {
            word.ends_with(['.', '?', '!']) && word.trim_start_matches('(').len() > 2 && *word != "e.g."
        };
        count += line.split_whitespace().filter(ends).count();
    }
    count
}

#[test]
fn files_stay_short() {
    let complaints: Vec<String> = rust_files()
        .into_iter()
        .filter(|path| !path.contains("/tests/") && !TABLES.contains(&path.as_str()))
        .filter_map(|path| {
            let text = read(&path);
            let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count();
            (lines > LONGEST_FILE).then(|| format!("{path} has {lines} lines: split it by idea"))
        })
        .collect();
    report(&complaints);
}

#[test]
fn names_say_what_a_file_holds() {
    let complaints: Vec<String> = rust_files()
        .into_iter()
        .filter(|path| path.split('/').any(|part| EMPTY_NAMES.contains(&part.trim_end_matches(".rs"))))
        .map(|path| format!("{path} bears an empty name"))
        .collect();
    report(&complaints);
}

#[test]
fn restricted_words_stay_in_their_place() {
    let mut complaints = Vec::new();
    for path in rust_files() {
        if path.contains("/tests/") || path.contains("/benches/") || path.contains("/examples/") {
            continue;
        }
        for (number, line) in read(&path).lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for (word, homes) in HOMES {
                let foreign = !homes.iter().any(|home| path.starts_with(home));
                if foreign && starts_a_word(code, word) {
                    complaints.push(format!("{path}:{}: {word} belongs to {homes:?}", number + 1));
                }
            }
        }
    }
    report(&complaints);
}

/// Whether a word of the text begins with `word`.
fn starts_a_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// The page is self-contained: no file names another host (except the SVG namespace), and none writes HTML.
#[test]
fn the_page_loads_no_other_host_and_writes_no_html() {
    let mut complaints = Vec::new();
    for path in files_below(&root().join("tournament/dashboard/src/assets")) {
        let text = read(&path).replace("http://www.w3.org/2000/svg", "");
        for word in
            ["http:", "https:", "innerHTML", "outerHTML =", "insertAdjacentHTML", "document.write", "eval("]
        {
            if text.contains(word) {
                complaints.push(format!("{path}: {word} does not belong in the page"));
            }
        }
    }
    report(&complaints);
}

/// An ignored test is run by name: its path contains one of the words in `.ci/run`.
#[test]
fn ignored_tests_are_run_by_name() {
    let run = read(".ci/run");
    let words: Vec<&str> = run
        .lines()
        .filter_map(|line| line.trim().split_once("needs")?.1.trim_start_matches('+').strip_prefix("=("))
        .flat_map(|list| list.trim_end_matches(')').split(' '))
        .collect();
    assert!(words.len() >= 4, "{words:?}");
    let mut complaints = Vec::new();
    for path in rust_files() {
        let text = read(&path);
        for (at, _) in text.match_indices("#[ignore").filter(|_| !path.starts_with("engine/tests/house/")) {
            let name = text[at..].split("fn ").nth(1).unwrap().split('(').next().unwrap();
            let module = path.rsplit('/').next().unwrap();
            if !words.iter().any(|word| module.contains(word) || name.contains(word)) {
                complaints.push(format!("{path}: no word of .ci/run names the ignored test {name}"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn data_files_name_their_source() {
    let mut complaints = Vec::new();
    for path in files_below(&root().join("data")) {
        let (folder, name) = path.rsplit_once('/').unwrap();
        if name == "README.md" || folder == "data/src" {
            continue;
        }
        let note = fs::read_to_string(root().join(folder).join("README.md")).unwrap_or_default();
        if !mentions(&note, name) {
            complaints.push(format!("{folder}/README.md says nothing of {name}"));
        }
    }
    report(&complaints);
}

/// Whether a note names a file, by name or by a pattern with one star.
fn mentions(note: &str, name: &str) -> bool {
    note.split('`').skip(1).step_by(2).any(|quoted| match quoted.split_once('*') {
        Some((start, end)) => {
            name.len() >= quoted.len() - 1 && name.starts_with(start) && name.ends_with(end)
        }
        None => quoted == name,
    })
}

#[test]
fn sentences_are_in_the_words_of_the_field() {
    let mut complaints = Vec::new();
    for path in files_below(&root()) {
        let is_prose = PROSE.iter().any(|end| path.ends_with(end));
        if !is_prose || path.starts_with("engine/tests/house/") {
            continue;
        }
        let found = banned_phrases(&read(&path)).into_iter();
        complaints.extend(found.map(|(line, phrase)| format!("{path}:{line}: \"{phrase}\"")));
    }
    report(&complaints);
}

/// Banned phrases of a text with the lines, from 1, in which they begin; also those broken over two lines of a comment.
fn banned_phrases(text: &str) -> Vec<(usize, &'static str)> {
    let text = text.to_lowercase();
    let marks = ['/', '!', '#', '*', '>'];
    let mut lines = text.lines().map(|line| line.trim().trim_start_matches(marks).trim_start()).peekable();
    let mut found = Vec::new();
    let mut number = 0;
    while let Some(line) = lines.next() {
        number += 1;
        let joined = format!("{line} {}", lines.peek().unwrap_or(&""));
        let begins_here = |phrase: &&&str| find_words(&joined, phrase).is_some_and(|at| at < line.len());
        found.extend(BANNED_PHRASES.iter().filter(begins_here).map(|phrase| (number, *phrase)));
    }
    found
}

/// Where a text first contains these whole words.
fn find_words(text: &str, words: &str) -> Option<usize> {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_whole = |at: &usize| {
        !is_letter(text[..*at].chars().next_back()) && !is_letter(text[at + words.len()..].chars().next())
    };
    text.match_indices(words).map(|(at, _)| at).find(is_whole)
}

#[test]
fn the_rules_detect_violations() {
    assert!(starts_a_word("use smalt::serve;", "smalt::"));
    assert!(!starts_a_word("use smalt_chess::Move; other_smalt::x", "smalt::"));
    assert_eq!(find_words("a line: so many, or more", "so many"), Some(8));
    assert_eq!(find_words("also many; so manyfold", "so many"), None);
    assert_eq!(
        banned_phrases("x;\n    /// Those are left\n    /// out, so many.\n"),
        [(2, "left out"), (3, "so many")]
    );
    assert_eq!(
        sentences("//! One by J. C. Spall, e.g. this.\n//! Two?\n//!\n//! ```\n//! No. No.\n//! ```\nx"),
        2
    );
    assert!(mentions("files `sts*.epd` and `wac.epd`", "sts01.epd"));
    assert!(!mentions("files `sts*.epd` and `wac.epd`", "arasan.epd"));
    let manifest =
        "[dependencies]\nsmalt-chess.workspace = true\n[dev-dependencies]\nsmalt-scripted = \"1\"\n";
    assert_eq!(dependencies(manifest), BTreeSet::from(["smalt-chess".to_owned()]));
}
