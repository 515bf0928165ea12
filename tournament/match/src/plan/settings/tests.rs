//! Settings round-trip through a printed plan, and every setting has a flag, a key and a line in the manual.

use proptest::prelude::*;
use serde_json::Value as Json;
use smalt_workbench::entrant::{REMARKS, Registry, split_words};

use super::super::{OpeningPolicy, Plan, PlanError, Role};
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

/// Values of keys that are texts of a form.
const TEXTS: [(&str, &[&str]); 13] = [
    ("tc", &["40/60+0.5", "inf", "5"]),
    ("affinity", &["auto", "off", "0,2,4-7"]),
    ("serve", &["127.0.0.1:8064", "[::1]:80"]),
    ("webhook", &["https://example.org/hook"]),
    ("ssh", &["me@host/2", "host"]),
    ("srand", &["7"]),
    ("pgn-match-lines", &["^info string .*", "[0-9]+"]),
    ("model", &["normalized", "logistic", "bayesian"]),
    ("format", &["fen", "viri"]),
    ("draw", &["off"]),
    ("mate", &["off"]),
    ("resign", &["off"]),
    ("tablebases", &["off"]),
];

/// Values that fit a JSON schema, drawn by the numbers of a tape; zeros leave every optional key away.
struct Drawing<'a> {
    root: &'a Json,
    tape: std::iter::Cycle<std::vec::IntoIter<u64>>,
}

impl Drawing<'_> {
    fn number(&mut self) -> u64 {
        self.tape.next().unwrap()
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.number() as usize % all.len()]
    }

    /// A text that a TOML file and a command line can hold.
    fn text(&mut self) -> String {
        let letters: Vec<char> = "azAZ09 /._=\"'-\\ü".chars().collect();
        (0..=self.number() % 12).map(|_| self.one_of(&letters)).collect()
    }

    /// A value of a key.
    fn value(&mut self, part: &Json, key: &str) -> Value {
        if let Some(path) = part["$ref"].as_str() {
            return self.value(self.root.pointer(&path[1..]).unwrap(), key);
        }
        if let Some(words) = part["enum"].as_array() {
            let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
            return self.one_of(&words).into();
        }
        if let Some(parts) = part["anyOf"].as_array().or(part["oneOf"].as_array()) {
            let parts: Vec<&Json> = parts.iter().filter(|part| part["type"] != "null").collect();
            let part = self.one_of(&parts);
            return self.value(part, key);
        }
        let minimum = part["minimum"].as_u64().unwrap_or(0);
        match part["type"].as_str().or(part["type"][0].as_str()).unwrap() {
            "string" if part["const"].is_string() => part["const"].as_str().unwrap().into(),
            "string" => match TEXTS.iter().find(|(known, _)| *known == key) {
                Some((_, texts)) => self.one_of(texts).into(),
                None => self.text().into(),
            },
            "boolean" => (self.number() % 2 == 1).into(),
            "integer" => {
                let bits = if part["format"] == "uint32" { 32 } else { 62 };
                let number = (self.number() & ((1 << bits) - 1)) >> (self.number() % bits);
                Value::Integer(number.max(minimum).try_into().unwrap())
            }
            "number" if key.starts_with("elo") => Value::Float(self.one_of(&[-10.0, -0.125, 0.0, 1e-3, 3.0])),
            "number" if ["alpha", "beta"].contains(&key) => Value::Float(self.one_of(&[0.001, 0.05, 0.3])),
            "number" => Value::Float(self.one_of(&[0.001, 0.2, 1.0, 86_400.0])),
            "array" => {
                let count = part["minItems"].as_u64().unwrap_or(self.number() % 3);
                Value::Array((0..count).map(|_| self.value(&part["items"], key)).collect())
            }
            _ if part["additionalProperties"] == true => {
                let count = self.number() % 3;
                let pairs = (0..count).map(|_| (self.text().replace('=', "-"), Value::from(self.text())));
                Value::Table(pairs.collect())
            }
            _ => Value::Table(self.table(part)),
        }
    }

    fn table(&mut self, part: &Json) -> Table {
        let mut table = Table::new();
        for (key, value) in part["properties"].as_object().unwrap() {
            // The tablebases have no default folder in a file.
            let is_required = key == "path"
                || part["required"].as_array().is_some_and(|all| all.iter().any(|one| one == key));
            if is_required || self.number() % 2 == 1 {
                table.insert(key.clone(), self.value(value, key));
            }
        }
        table
    }
}

/// Any settings: a layer with values of any of their keys.
fn settings_of_any_keys<T: schemars::JsonSchema>() -> impl Strategy<Value = Table> {
    let root = serde_json::to_value(schemars::schema_for!(T)).unwrap();
    prop::collection::vec(any::<u64>(), 1000).prop_map(move |tape| {
        let tape = tape.into_iter().cycle();
        Drawing { root: &root, tape }.table(&root)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn printed_settings_are_read_back(layer in settings_of_any_keys::<Settings>()) {
        let written = layer.to_string();
        let settings = Settings::parse(&written, "p.toml").unwrap_or_else(|error| panic!("{error}\n{written}"));
        let text = settings.to_toml();
        prop_assert_eq!(Settings::parse(&text, "p.toml").unwrap(), settings, "{}", text);
    }

    #[test]
    fn an_engine_is_the_same_in_words_and_in_a_file(layer in settings_of_any_keys::<EngineSettings>()) {
        let words = smalt_workbench::entrant::to_words(&layer);
        let read = smalt_workbench::entrant::parse_keys(&split_words(&words).unwrap()).unwrap();
        prop_assert_eq!(read.try_into::<EngineSettings>().unwrap(), layer.try_into().unwrap(), "{}", words);
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
