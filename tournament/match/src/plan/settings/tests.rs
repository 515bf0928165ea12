//! Settings round-trip through a printed plan, and every setting has a flag, a key and a line in the manual.

use proptest::prelude::*;
use serde_json::Value as Json;
use smalt_workbench::entrant::{REMARKS, Registry, split_words};

use super::super::{
    BadOptions, Figure, Format, OnFault, OnOff, OpeningPolicy, Plan, PlanError, Role, SecondsSetting, Variant,
};
use super::*;

/// The schema of a section, with its keys.
fn keys<'a>(schema: &'a Json, section: &Json) -> Vec<(String, &'a Json)> {
    let mut section = section;
    let mut resolved = schema;
    loop {
        let next = section.get("$ref").or_else(|| section.pointer("/anyOf/0/$ref"));
        let Some(path) = next.and_then(Json::as_str) else { break };
        resolved = schema.pointer(path.trim_start_matches('#')).unwrap();
        section = resolved;
    }
    let properties = resolved.get("properties").and_then(Json::as_object).unwrap();
    properties.iter().map(|(key, value)| (key.clone(), value)).collect()
}

/// Keys without a flag: set by the command, or by the program.
const FLAGLESS: [&str; 11] = [
    "run.format", "clock.measured", "run.grown", "run.skipped", "prior.wins", "prior.draws", "prior.losses",
    "prior.pairs", "prior.drawn-pairs", "output.pgn-after", "output.epd-after",
];

#[test]
fn every_setting_has_a_flag_a_key_and_a_line_in_the_manual() {
    let schema = serde_json::to_value(schemars::schema_for!(Settings)).unwrap();
    let command = Settings::augment_args(clap::Command::new("all"));
    let is_flag = |id: &str| command.get_arguments().any(|arg| arg.get_id() == id);
    let manual = smalt_data::GAUNTLET.text;
    let says = |key: &str| {
        let spelled = format!("{key} = ");
        manual.lines().any(|line| {
            line.match_indices(&spelled)
                .any(|(at, _)| line[..at].trim_end_matches(|c| " #{,`".contains(c)).len() < at || at == 0)
        })
    };
    let mut complaints = Vec::new();
    for (name, section) in schema["properties"].as_object().unwrap() {
        let is_engine = matches!(name.as_str(), "each" | "entrant");
        let section = if name == "entrant" { &section["items"] } else { section };
        for (key, value) in keys(&schema, section) {
            let path = format!("{name}.{key}");
            // Remarks of registries are no settings of a run.
            let is_remark = is_engine && REMARKS.contains(&key.as_str());
            if !is_engine && key != "tablebases" {
                let has_flag = id_of(name, &key, &is_flag).is_some();
                let is_wrong = has_flag == FLAGLESS.contains(&path.as_str());
                complaints.extend(is_wrong.then(|| format!("{path}: flag {has_flag}")));
            }
            // Written by the runner itself.
            let is_written = ["clock.measured", "run.grown", "run.skipped"].contains(&path.as_str());
            if !is_written && !is_remark && !says(&key) {
                let remedy = if is_engine { "write one" } else { "run .ci/reference.py" };
                complaints.push(format!("{path} has no line in data/gauntlet.toml: {remedy}"));
            }
            let has_words = value.get("description").is_some_and(|words| words.as_str() != Some(""));
            complaints.extend((!has_words).then(|| format!("{path} has no description")));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn the_key_of_a_negated_flag_has_another_description_than_the_flag() {
    let command = Settings::augment_args(clap::Command::new("all"));
    let schema = serde_json::to_value(schemars::schema_for!(Settings)).unwrap();
    let mut negated = 0;
    for arg in command.get_arguments().filter(|arg| matches!(arg.get_action(), clap::ArgAction::SetFalse)) {
        let id = arg.get_id().as_str();
        let sections = schema["properties"].as_object().unwrap().iter();
        let sections = sections.filter(|(name, _)| *name != "entrant");
        let keys = sections.flat_map(|(_, section)| keys(&schema, section));
        for (key, value) in keys.filter(|(key, _)| key.replace('-', "_") == id) {
            let help = arg.get_help().unwrap().to_string();
            assert_ne!(
                value["description"].as_str(),
                Some(&*help),
                "{key} is true where --no-{key} is not given"
            );
            negated += 1;
        }
    }
    assert!(negated > 0);
}

#[test]
fn keys_and_values_of_earlier_versions_are_read() {
    let old = "run.strike-after = 3\nopenings.policy = 'encounter'";
    let settings = Settings::parse(old, "old.toml").unwrap();
    assert_eq!((settings.run.disqualify_after, settings.openings.policy), (3, OpeningPolicy::Pairing));
    let mut layer = Settings::parse_layer(old, "old.toml").unwrap();
    merge_settings(&mut layer, Settings::parse_layer("run.disqualify-after = 0", "new.toml").unwrap());
    assert_eq!(layer.try_into::<Settings>().unwrap().run.disqualify_after, 0);
}

#[test]
fn a_file_with_both_names_of_a_renamed_key_is_refused() {
    for file in
        ["[run]\nstrike-after = 3\ndisqualify-after = 0", "run.disqualify-after = 0\nrun.strike-after = 3"]
    {
        let error = Settings::parse_layer(file, "both.toml").unwrap_err().to_string();
        assert!(error.starts_with("both.toml") && !error.contains("did you mean"), "{error}");
        assert!(
            error.ends_with(
                "run.strike-after is the earlier name of run.disqualify-after: give only one of them"
            ),
            "{error}"
        );
    }
}

#[test]
fn what_the_clock_section_limits_an_engine_may_limit_for_itself() {
    let clock = Settings::default().clock.layer().unwrap();
    clock.try_into::<EngineSettings>().unwrap();
}

#[test]
fn the_shipped_plan_has_the_defaults() {
    let mut shipped = Settings::parse(smalt_data::GAUNTLET.text, "data/gauntlet.toml").unwrap();
    assert!(shipped.entrants.len() > 1);
    (shipped.entrants, shipped.each) = (Vec::new(), None);
    shipped.run.name = None;
    assert_eq!(shipped, Settings::default());
}

fn settings_of(text: &str) -> Result<Plan, PlanError> {
    Plan::of_layers(Settings::parse_layer(text, "p.toml").unwrap(), &Registry::shipped())
}

const TWO: &str = "[[entrant]]\ncmd = 'a'\n[[entrant]]\ncmd = 'b'\n";

#[test]
fn layers_are_merged_and_limits_replace_one_another() {
    let text = "run.format = 'match'\nclock.nodes = 500\neach = { tc = '5+1', options = { Hash = 8 } }\n\
                [[entrant]]\ncmd = 'toga2'\n[[entrant]]\ncmd = 'b'\ndepth = 3\noptions = { hash = 9 }";
    let plan = settings_of(text).unwrap();
    let clocks: Vec<String> = plan.entrants.iter().map(|entrant| entrant.clock.to_string()).collect();
    assert_eq!(clocks, ["5+1", "3 plies/move"]);
    let options = &plan.entrants[0].engine.options;
    assert_eq!((&*options["Hash"], &*options["OwnBook"]), ("8", "false"));
    assert_eq!(&*plan.entrants[1].engine.options["hash"], "9");
    assert_eq!((plan.games(), plan.entrants[0].engine.timemargin), (8, Some(20)));
    assert_eq!(plan.entrants[0].role, Role::Challenger);
}

#[test]
fn a_test_has_as_many_games_as_it_takes_where_nothing_is_said() {
    let games = |text: &str| settings_of(&format!("{text}\n{TWO}")).unwrap().games();
    assert_eq!(games("run.format = 'match'\n[sprt]"), 1_000_000);
    assert_eq!(games("run = { format = 'match', games = 6 }\n[sprt]"), 6);
    assert_eq!(games("run.format = 'knockout'\n[sprt]"), 8);
}

#[test]
fn defect_51_bad_values_are_refused_with_file_line_and_key() {
    let check = |text: &str, expected: &str| {
        let said = Settings::parse_layer(text, "p.toml").unwrap_err().to_string();
        let (start, end) = expected.split_once('…').unwrap_or((expected, ""));
        assert!(said.starts_with(start) && said.ends_with(end), "{said}");
        assert!(expected.contains('…') || said == expected, "{said}");
    };
    check("[run]\ngames = 0", "p.toml, line 2, games: integer `0`, expected a whole number above zero");
    check("[run]\ngames = -2", "p.toml, line 2, games: integer `-2`, expected a whole number above zero");
    check("[run]\nwait = -2", "p.toml, line 2, wait: integer `-2`, expected a whole number, zero or above");
    check("[clock]\nnodes = 0", "p.toml, line 2, nodes: integer `0`, expected a whole number above zero");
    check(
        "timeouts = { ping = nan }",
        "p.toml, line 1, ping: expected seconds above zero, and a day at most",
    );
    check("[fleet]\nlease = -1.0", "p.toml, line 2, lease: expected seconds above zero, and a day at most");
    check("[openings]\nstart = 0", "p.toml, line 2, start: integer `0`, expected a whole number above zero");
    check("[clock]\ntc = \"10+x\"", "p.toml, line 2, tc: bad time \"x\": …");
    check(
        "[adjudication]\n\ndraw = \"movecount=x\"",
        "p.toml, line 3, draw: bad value in \"movecount=x\": expected a whole number",
    );
    check("[adjudication]\ntablebases = { pieces = 5 }", "p.toml, line 2, tablebases: missing field `path`");
    check(
        "[run]\ncocurrency = 3",
        "p.toml, line 2: unknown field `cocurrency`, …(did you mean `concurrency`?)",
    );
    check(
        "[run]\nformat = 'gauntlett'",
        "p.toml, line 2, format: unknown variant `gauntlett`, …(did you mean `gauntlet`?)",
    );
}

#[test]
fn defect_51_what_layers_say_together_is_refused_with_its_key() {
    let check = |text: &str, expected: &str| {
        let said = settings_of(text).unwrap_err().to_string();
        assert!(said.contains(expected), "{said}");
    };
    check(&format!("run.format = 'match'\nsprt.elo1 = nan\n{TWO}"), "[sprt]");
    let same = "run.format = 'match'\n[[entrant]]\nname = 'x'\ncmd = 'a'\n[[entrant]]\nname = 'x'\ncmd = 'b'";
    check(same, "[[entrant]] name: two engines are called \"x\"");
    check("run.format = 'match'", "0 engines: format match needs at least two");
    check(&same.replace("'x'", "' '"), "[[entrant]] name: \" \" is not a valid name");
}

/// Texts that a TOML file and a command line can hold.
fn text() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 /._=\"'-]{1,12}"
}

prop_compose! {
    fn engines()(
        name in prop::option::of(text()), args in prop::collection::vec(text(), 0..3),
        nodes in prop::option::of(1u64..1 << 62), depth in prop::option::of(1u32..), white in any::<bool>(),
        margin in prop::option::of(0u64..1 << 62), tc in prop::option::of("[1-9][0-9]{0,3}\\+[0-9]"),
        options in prop::collection::btree_map("[a-zA-Z0-9 /._\"'-]{1,12}", text(), 0..3),
    ) -> EngineSettings {
        let options = options.into_iter().map(|(key, value)| (key, smalt_workbench::entrant::OptionText(value)));
        EngineSettings {
            name, args, whitepov: white, timemargin: margin,
            nodes: nodes.and_then(std::num::NonZero::new), depth: depth.and_then(std::num::NonZero::new),
            tc: tc.map(|tc| tc.parse().unwrap()), options: options.collect(), ..EngineSettings::default()
        }
    }
}

prop_compose! {
    fn all_settings()(
        (name, site, games, rounds) in (prop::option::of(text()), prop::option::of(text()), 1u32.., prop::option::of(1u32..)),
        (seed, wait, flags) in (0u64..1 << 62, 0u64..1 << 62, prop::collection::vec(any::<bool>(), 8)),
        format in prop::sample::select(vec![Format::Gauntlet, Format::Swiss, Format::RoundRobin]),
        (affinity, tc) in (prop::sample::select(vec!["auto", "off", "0,2,4-7"]), prop::option::of("[1-9]/[1-9]\\+[1-9]")),
        (draw, resign) in (prop::option::of((0u32.., 0u32.., 0u32..)), prop::option::of((0u32.., 0u32.., any::<bool>()))),
        (path, pieces, maxmoves) in (prop::option::of(text()), 0u32..8, 0u32..),
        sprt in prop::option::of((-10.0f64..10.0, -10.0f64..10.0, 0.01f64..0.5)),
        (quit, lease) in (0.001f64..86_400.0, 0.001f64..86_400.0),
        (nats, serve, json) in (prop::option::of(text()), prop::option::of(1u16..), prop::option::of(text())),
        each in prop::option::of(engines()), entrants in prop::collection::vec(engines(), 0..3),
    ) -> Settings {
        let mut settings = Settings { each, entrants, ..Settings::default() };
        let run = &mut settings.run;
        (run.name, run.site, run.seed, run.wait, run.format) = (name, site, seed, wait, format);
        run.games = games.try_into().unwrap();
        run.rounds = rounds.and_then(std::num::NonZero::new);
        (run.noswap, run.same_lead, run.reverse, run.shuffle) = (flags[0], flags[1], flags[2], flags[3]);
        run.affinity = affinity.parse().unwrap();
        if flags[4] {
            (run.on_fault, run.bad_options, run.variant) = (OnFault::StopOnCrash, BadOptions::Warn, Variant::Chess960);
        }
        settings.clock.tc = tc.map(|tc| tc.parse().unwrap());
        (settings.clock.hourglass, settings.openings.repeat) = (flags[5], flags[6]);
        let rules = &mut settings.adjudication;
        rules.draw = draw.map_or(OnOff::Off, |(movenumber, movecount, score)| {
            OnOff::On(super::super::DrawRule { movenumber, movecount, score })
        });
        rules.resign = resign.map_or(OnOff::Off, |(movecount, score, both)| {
            let sides = if both { super::super::Sides::Both } else { super::super::Sides::One };
            OnOff::On(super::super::ResignRule { movenumber: 0, movecount, score, sides })
        });
        rules.maxmoves = maxmoves;
        if path.is_some() {
            (rules.tablebases.path, rules.tablebases.pieces) = (path.map(Into::into), pieces);
        }
        settings.sprt = sprt.map(|(elo0, elo1, alpha)| SprtSettings { elo0, elo1, alpha, ..SprtSettings::default() });
        let seconds = |seconds: f64| seconds.to_string().parse::<SecondsSetting>().unwrap();
        (settings.timeouts.quit, settings.fleet.lease) = (seconds(quit), seconds(lease));
        settings.fleet.nats = nats;
        settings.fleet.ssh = if flags[7] { vec!["me@host/2".parse().unwrap()] } else { Vec::new() };
        settings.output.serve = serve.map(|port| ([127, 0, 0, 1], port).into());
        settings.output.json = json.map(Into::into);
        settings.output.pgn_comments = if flags[7] { vec![Figure::Pv, Figure::Nodes] } else { Vec::new() };
        settings
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn printed_settings_are_read_back(settings in all_settings()) {
        let text = settings.to_toml();
        prop_assert_eq!(Settings::parse(&text, "p.toml").unwrap(), settings, "{}", text);
    }

    #[test]
    fn an_engine_is_the_same_in_words_and_in_a_file(engine in engines()) {
        let layer = Table::try_from(&engine).unwrap();
        let words = smalt_workbench::entrant::to_words(&layer);
        let read = smalt_workbench::entrant::parse_keys(&split_words(&words).unwrap()).unwrap();
        prop_assert_eq!(read.try_into::<EngineSettings>().unwrap(), engine);
    }

    #[test]
    fn flags_are_read_as_keys(seed in 0u64..1 << 62, games in 1u32.., shuffle in any::<bool>()) {
        let command = Flags::<Settings>::augment_args(clap::Command::new("test").no_binary_name(true));
        let (seed, games) = (seed.to_string(), games.to_string());
        let mut flags = vec!["--seed", &seed, "--games", &games, "--no-repeat", "--tb", "/t", "--elo1", "3"];
        flags.extend(shuffle.then_some("--shuffle"));
        let matches = command.try_get_matches_from(flags).unwrap();
        let given = Flags::<Settings>::from_arg_matches(&matches).unwrap().given;
        let shuffled = if shuffle { "shuffle = true" } else { "" };
        let expected = format!(
            "openings.repeat = false\nadjudication.tablebases.path = '/t'\nsprt.elo1 = 3.0\n\
             [run]\nseed = {seed}\ngames = {games}\n{shuffled}"
        );
        prop_assert_eq!(given, expected.parse::<Table>().unwrap());
    }
}
