//! JSON has a version, and a schema that describes each of its fields.

use serde_json::Value;
use smalt_testing::json::schema_mismatches;

use crate::support::{Bench, scripted};

/// Compares a JSON file with the schema of its form; returns its content.
fn described(bench: &Bench, form: &str, file: &str) -> Value {
    let document: Value = serde_json::from_str(&bench.read(file)).unwrap();
    let schema = bench.run(["schema", form]);
    assert_eq!(schema.code, Some(0), "{}", schema.errors);
    let schema = serde_json::from_str(&schema.output).unwrap();
    assert_eq!(schema_mismatches(&schema, &document), [""; 0], "{document}");
    document
}

#[test]
fn json_has_a_version_and_a_schema() {
    let bench = Bench::new();
    bench.file("mine.epd", "4k3/8/8/8/8/8/8/R3K3 w Q - id \"a\"; bm Ra8; am Kd1;\n4k3/8/8/8/8/8/8/R3K3 w Q - id \"c\"; bm Ra8;\n");
    bench.file("other.epd", "4k3/8/8/8/8/8/8/R3K3 w Q - id \"b\"; dm 2;\n");
    for (name, mv) in [("first", "a1a8"), ("second", "e1d1")] {
        let engine = scripted(&format!("--moves {mv}")).replace("name=scripted", &format!("name={name}"));
        let json = format!("{name}.json");
        let flags = ["score", "mine.epd", "other.epd", "--nodes", "10", "-e", &engine, "--json", &json];
        assert_eq!(bench.run(flags).code, Some(0));
    }
    let results = described(&bench, "results", "first.json");
    assert_eq!((&results[0]["schema"], &results[0]["format"]), (&1.into(), &1.into()));
    assert_eq!(results[1]["results"][0]["id"], "b");

    bench.run(["compare", "first.json", "second.json", "--json", "compared.json"]);
    let comparisons = described(&bench, "comparisons", "compared.json");
    assert_eq!((&comparisons[0]["schema"], &comparisons[0]["verdict"]), (&1.into(), &"noise".into()));

    let row = [
        "history", "add", "x", "--suites", "mine.epd", "--results", "first.json", "--no-bench", "--elo", "3",
    ];
    assert_eq!(bench.run(row).code, Some(0));
    assert_eq!(bench.run(["history", "--json", "history.json"]).code, Some(0));
    let history = described(&bench, "history", "history.json");
    assert_eq!((&history["schema"], &history["build"][0]["feature"]), (&1.into(), &"x".into()));
}
