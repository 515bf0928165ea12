//! The plans of workers, and what they refuse.

use smalt_workbench::entrant::REMARKS;

use super::*;

fn plan_of(text: &str) -> Plan {
    let layer = Settings::parse_layer(text, "p.toml").unwrap();
    Plan::of_layers(layer, &Registry::default()).unwrap()
}

const RUN: &str = "
    run.format = \"match\"
    clock.nodes = 100
    [[entrant]]
    name = \"new\"
    cmd = \"/home/somebody/evil\"
    args = [\"--delete\"]
    dir = \"/home/somebody\"
    stderr = \"/etc/passwd\"
    options.Hash = 16
    [[entrant]]
    name = \"second\"
    cmd = \"/opt/bin/toga2\"
    [[entrant]]
    cmd = \"builtin\"
    ";

fn check(text: &str, registry: &str) -> Result<Plan, String> {
    let plan_text = text.replace("\"match\"", "\"round-robin\"");
    let message = message(&plan_of(&plan_text), None, 1000);
    let registry = Registry::parse(registry, "engines.toml").unwrap();
    plan(&message, &registry, Affinity::Off, None, &ReceivedFiles::default(), &mut no_build)
        .map_err(|error| error.to_string())
}

fn no_build(source: &Source) -> Result<PathBuf, String> {
    panic!("{source:?} is built")
}

#[test]
fn commits_are_built_by_a_recipe_of_the_own_registry_alone() {
    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";
    let text = format!(
        "run.format = \"match\"\nclock.nodes = 100\n[[entrant]]\nname = \"new\"\ncmd = \"/cache/engine\"\nrepo = \"/home/me/x\"\nref = \"{COMMIT}\"\nbuild = \"make EXE={{exe}}\"\n[[entrant]]\ncmd = \"builtin\""
    );
    let message = message(&plan_of(&text), None, 1000);
    assert!(!message.plan.contains("/home/me"), "{}", message.plan);
    let check = |registry: &str, message: &RunConfigMessage| {
        let registry = Registry::parse(registry, "engines.toml").unwrap();
        let mut sources = Vec::new();
        let mut build = |source: &Source| {
            sources.push(source.clone());
            Ok(PathBuf::from("/built/engine"))
        };
        let made = plan(message, &registry, Affinity::Off, None, &ReceivedFiles::default(), &mut build);
        (made.map(|plan| plan.entrants[0].program.clone()).map_err(|error| error.to_string()), sources)
    };
    let own = "[[engine]]\nname = \"mine\"\nrepo = \"/srv/x.git\"\nbuild = \"make EXE={exe}\"";
    let (program, sources) = check(own, &message);
    assert_eq!(program, Ok(Program::Command("/built/engine".into())));
    let (repo, build) = ("/srv/x.git".to_owned(), "make EXE={exe}".to_owned());
    assert_eq!(sources, [Source { repo, revision: COMMIT.to_owned(), build, is_published: true }]);
    // Of two repositories with this build command, the one that has the commit.
    let two = format!("[[engine]]\nname = \"a\"\nrepo = \"/srv/a.git\"\nbuild = \"make EXE={{exe}}\"\n{own}");
    let registry = Registry::parse(&two, "engines.toml").unwrap();
    let mut build = |source: &Source| match source.repo.as_str() {
        "/srv/x.git" => Ok(PathBuf::from("/built/engine")),
        repo => Err(format!("{repo} has no such commit")),
    };
    let made = plan(&message, &registry, Affinity::Off, None, &ReceivedFiles::default(), &mut build).unwrap();
    assert_eq!(made.entrants[0].program, Program::Command("/built/engine".into()));
    let hostile =
        |from: &str, to: &str| RunConfigMessage { plan: message.plan.replace(from, to), ..message.clone() };
    for changed in [hostile("make EXE={exe}", "make EXE={exe}; rm -rf ~"), hostile(COMMIT, "--upload-pack=x")]
    {
        assert_ne!(changed.plan, message.plan);
        let (refused, sources) = check(own, &changed);
        assert!(refused.unwrap_err().contains("has no engine with a repo and build ="));
        assert_eq!(sources, []);
    }
}

const ENGINES: &str = "
    [[engine]]
    name = \"new\"
    cmd = \"/usr/bin/mine\"
    options.Hash = 64
    options.EvalFile = \"/data/mine.nnue\"
    options.Style = \"wild\"
    [[engine]]
    name = \"toga2\"
    cmd = \"toga2\"
    args = [\"-q\"]";

/// Keys of an engine that workers get.
const SENT: [&str; 22] = [
    "name", "role", "cmd", "ref", "build", "proto", "restart", "ponder", "debug", "trust", "tscale", "book",
    "bookdepth", "tc", "movetime", "nodes", "depth", "timemargin", "longest-move", "scale", "whitepov",
    "option.NAME",
];

#[test]
fn every_key_of_an_engine_is_sent_or_removed() {
    const REMOVED: &str = "repo = \"r\"\nargs = [\"a\"]\ndir = \"d\"\nstderr = \"e\"\ninitstr = \"i\"\n\
        package = \"p\"\nrating = 1\nrating-error = 1\nsource = \"s\"\nnote = \"n\"";
    let removed: toml::Table = toml::from_str(REMOVED).unwrap();
    let engine: EngineSettings = toml::from_str(REMOVED).unwrap();
    assert_eq!(strip_engine(engine), EngineSettings::default());
    for key in EngineSettings::word_keys() {
        assert_ne!(SENT.contains(&&*key), removed.contains_key(&key), "{key}");
    }
    assert!(REMARKS.iter().all(|key| removed.contains_key(*key)));
}

#[test]
fn no_command_and_no_path_is_sent() {
    let text = message(&plan_of(&RUN.replace("\"match\"", "\"round-robin\"")), None, 1000).plan;
    for word in ["/home", "delete", "/opt", "/etc", ".db"] {
        assert!(!text.contains(word), "{word} is in\n{text}");
    }
}

#[test]
fn engines_are_those_of_the_own_registry() {
    let plan = check(RUN, ENGINES).unwrap();
    assert_eq!(plan.entrants[0].program, Program::Command("/usr/bin/mine".into()));
    assert_eq!(plan.entrants[0].engine.options["Hash"].0, "16");
    assert_eq!(plan.entrants[1].program, Program::Command("toga2".into()));
    assert_eq!(plan.entrants[1].engine.args, ["-q"]);
    assert_eq!(plan.entrants[2].program, Program::Builtin);
    assert!(
        plan.entrants.iter().all(|entrant| entrant.engine.dir.is_none() && entrant.engine.stderr.is_none())
    );
    let error = check(RUN, "").unwrap_err();
    assert_eq!(
        error,
        "find the engine of entrant \"new\": engines.toml of this machine has no \"new\" or \"evil\"; add it"
    );
}

#[test]
fn what_a_message_says_of_programs_is_not_run() {
    let text = RUN.replace("\"match\"", "\"round-robin\"");
    let sent = message(&plan_of(&text), None, 1000);
    let hostile =
        sent.plan.replace("cmd = \"evil\"\nargs = []", "cmd = \"toga2\"\nargs = [\"-x\"]\ndir = \"/\"");
    let registry = Registry::parse(ENGINES, "e").unwrap();
    let plan = plan(
        &RunConfigMessage { plan: hostile, ..sent },
        &registry,
        Affinity::Off,
        None,
        &ReceivedFiles::default(),
        &mut no_build,
    )
    .unwrap();
    assert_eq!(plan.entrants[0].program, Program::Command("/usr/bin/mine".into()));
    assert_eq!((plan.entrants[0].engine.args.len(), &plan.entrants[0].engine.dir), (0, &None));
}

#[test]
fn files_are_those_of_the_own_registry() {
    let with = |option: &str| RUN.replace("options.Hash = 16", option);
    let plan = check(&with("options.EvalFile = \"/home/x.nnue\""), ENGINES).unwrap();
    assert_eq!(plan.entrants[0].engine.options["EvalFile"].0, "/data/mine.nnue");
    for option in
        ["options.\"Debug Log File\" = \"x\"", "options.Style = \"../a\"", "options.BookFile = \"b.bin\""]
    {
        let refused = check(&with(option), ENGINES);
        assert_eq!(option.contains("Style"), refused.is_ok(), "{refused:?}");
    }
    let plan = check(&with("options.Style = \"../a\""), ENGINES).unwrap();
    assert_eq!(plan.entrants[0].engine.options["Style"].0, "wild");
    assert!(check(&with("options.OwnBook = false"), ENGINES).is_ok());
    for option in
        ["options.BookDepth = \"12\"", "options.\"Eval Weight\" = \"-1.5\"", "options.Learning = \"true\""]
    {
        assert!(check(&with(option), ENGINES).is_ok(), "{option}");
    }
    for option in ["options.Weights = \"x\"", "options.Experience = \"x\"", "options.NNUE = \"..\""] {
        assert!(check(&with(option), ENGINES).is_err(), "{option}");
    }
    // A file may be called so.
    for option in ["options.BookFile = \"7\"", "options.LogFile = \"1e5\"", "options.Book = \"nan\""] {
        assert!(check(&with(option), ENGINES).is_err(), "{option}");
    }
    assert!(check(&with("options.Style = \"a\\nquit\""), ENGINES).unwrap_err().contains("control"));
}

#[test]
fn a_received_program_keeps_the_files_of_the_own_registry() {
    let text = RUN.replace("\"match\"", "\"round-robin\"").replace(
        "options.Hash = 16",
        "options.Hash = 16\noptions.SyzygyPath = \"/there\"\noptions.EvalFile = \"/there/x.nnue\"",
    );
    let registry = "[[engine]]\nname = \"new\"\ncmd = \"other\"\nargs = [\"-q\"]\noptions.Hash = 64\n\
                    options.SyzygyPath = \"/here\"\noptions.EvalFile = \"/here/x.nnue\"\n\
                    [[engine]]\nname = \"toga2\"\ncmd = \"toga2\"";
    let registry = Registry::parse(registry, "engines.toml").unwrap();
    let received = ReceivedFiles {
        programs: [(0, "/cache/engine".into())].into(),
        options: [(0, [("EvalFile".to_owned(), "/cache/file".into())].into())].into(),
        ..ReceivedFiles::default()
    };
    let message = message(&plan_of(&text), None, 1000);
    let plan = plan(&message, &registry, Affinity::Off, None, &received, &mut no_build).unwrap();
    let Program::Command(program) = &plan.entrants[0].program else { panic!("no command") };
    assert_eq!(program, Path::new("/cache/engine"));
    let engine = &plan.entrants[0].engine;
    assert_eq!(engine.args, [""; 0]);
    let option = |name: &str| engine.options[name].0.as_str();
    assert_eq!([option("Hash"), option("SyzygyPath"), option("EvalFile")], ["16", "/here", "/cache/file"]);
}

#[test]
fn a_run_may_not_want_more_threads_or_memory_than_the_own_registry_has() {
    let with = |option: &str| check(&RUN.replace("options.Hash = 16", option), ENGINES);
    assert_eq!(
        with("options.hash = 65").unwrap_err(),
        "set option \"hash\" of entrant \"new\" to 65: engines.toml of this machine has 64, and a run may not have more; \
         raise it there"
    );
    assert!(with("options.Hash = 64").is_ok() && with("options.Threads = 8").is_ok());
    // Nor for a program that the run sends.
    let message = message(
        &plan_of(&RUN.replace("\"match\"", "\"round-robin\"").replace("Hash = 16", "Threads = 2")),
        None,
        1000,
    );
    let registry = ENGINES.replace("options.Hash = 64", "options.Threads = 1");
    let registry = Registry::parse(&registry, "engines.toml").unwrap();
    let received =
        ReceivedFiles { programs: [(0, "/cache/engine".into())].into(), ..ReceivedFiles::default() };
    let refused = plan(&message, &registry, Affinity::Off, None, &received, &mut no_build).unwrap_err();
    let (name, option) = ("new".to_owned(), "Threads".to_owned());
    assert_eq!(refused, RunConfigError::OverLimit { name, option, wanted: 2, limit: 1 });
}

#[test]
fn a_program_for_another_platform_is_refused_by_name() {
    let sent = |entrant| FileMessage {
        purpose: FilePurpose::Program { entrant, platform: "m68k-amiga".to_owned(), bench: None },
        sha256: "ab".repeat(32),
        bytes: 1,
    };
    let text = RUN.replace("\"match\"", "\"round-robin\"");
    let message = RunConfigMessage { files: vec![sent(0), sent(1)], ..message(&plan_of(&text), None, 1000) };
    let planned = |registry: &str| {
        let registry = Registry::parse(registry, "engines.toml").unwrap();
        plan(&message, &registry, Affinity::Off, None, &ReceivedFiles::default(), &mut no_build)
    };
    assert_eq!(
        planned("").unwrap_err().to_string(),
        format!(
            "play entrant \"new\": the run sends its program for m68k-amiga alone, and this machine is {}; give it a \
             recipe (repo and build) or a command in engines.toml of this machine",
            platform()
        )
    );
    assert!(planned(ENGINES).is_ok());
}

#[test]
fn books_are_received_ones_alone() {
    let text = RUN.replace("\"match\"", "\"round-robin\"");
    let text = text.replace("options.Hash = 16", "book = \"/home/somebody/secret.bin\"\nbookdepth = 4");
    let message = message(&plan_of(&text), None, 1000);
    assert!(!message.plan.contains("secret"), "{}", message.plan);
    let registry = Registry::parse(ENGINES, "engines.toml").unwrap();
    let planned =
        |received: &ReceivedFiles| plan(&message, &registry, Affinity::Off, None, received, &mut no_build);
    assert_eq!(planned(&ReceivedFiles::default()).unwrap_err(), RunConfigError::NoBook("new".to_owned()));
    let received = ReceivedFiles { books: [(0, "/cache/book".into())].into(), ..ReceivedFiles::default() };
    let plan = planned(&received).unwrap();
    let books = plan.entrants.iter().map(|entrant| entrant.engine.book.as_deref());
    assert_eq!(books.collect::<Vec<_>>(), [Some(Path::new("/cache/book")), None, None]);
}

#[test]
fn tables_are_those_of_this_machine() {
    let text = format!("adjudication.tablebases = \"path=/there pieces=4\"\n{RUN}");
    assert_eq!(check(&text, ENGINES).unwrap_err(), RunConfigError::NoTables.to_string());
    let message = message(&plan_of(&text.replace("\"match\"", "\"round-robin\"")), Some(4), 1000);
    let registry = Registry::parse(ENGINES, "engines.toml").unwrap();
    let received = ReceivedFiles { tables: Some("/cache/tables".into()), ..ReceivedFiles::default() };
    for (own, expected) in [(None, "/cache/tables"), (Some(PathBuf::from("/own")), "/own")] {
        let plan = plan(&message, &registry, Affinity::Off, own.as_ref(), &received, &mut no_build).unwrap();
        assert_eq!(plan.tablebases().unwrap().path.as_deref(), Some(Path::new(expected)));
    }
}
