//! Numbers written to a parameter file: round trips preserve values and the rest of the file.

use proptest::prelude::*;
use smalt::evaluation::Parameters;
use smalt::evaluation::parameters::EVALUATION_TOML;
use smalt::evaluation::schema::{WEIGHTS, entry_of};
use smalt_chess::splitmix::splitmix;
use smalt_tuner::{Numbers, OriginValue, PARAMETERS, parameters_of, rewritten, rounded};

fn comments(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with('#')).collect()
}

fn keys(text: &str) -> Vec<&str> {
    let is_key = |line: &&str| {
        line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains('#'))
    };
    let all = text.lines().filter(is_key).map(|line| line.split(" = ").next().unwrap());
    all.skip_while(|line| *line != "[material]").collect()
}

fn numbers(seed: u64) -> Box<Numbers> {
    let number = |index: usize| {
        let limit = entry_of(index / 2).limit();
        let tenths = splitmix(seed ^ splitmix(index as u64)) % (20 * limit as u64 + 1);
        tenths as f64 / 10.0 - f64::from(limit)
    };
    let parameters: Vec<f64> = (0..PARAMETERS).map(number).collect();
    rounded(&parameters)
}

#[test]
fn the_same_numbers_change_nothing_but_the_origin() {
    let same = rounded(&parameters_of(Parameters::embedded()));
    let origin = vec![("by", OriginValue::Text("a test".into())), ("k", OriginValue::Number(1.5))];
    let text = rewritten(EVALUATION_TOML, &same, &origin).unwrap();
    let without_origin = |text: &str| {
        let start = text.find("[origin]").unwrap();
        let end = start + text[start..].find("\n\n").unwrap();
        format!("{}{}", &text[..start], &text[end..])
    };
    assert_eq!(without_origin(&text), without_origin(EVALUATION_TOML));
    assert!(text.contains("by = \"a test\"\nk = 1.5\n"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_numbers_come_back_and_comments_stay(seed: u64) {
        let numbers = numbers(seed);
        let text = rewritten(EVALUATION_TOML, &numbers, &Vec::new()).unwrap();
        prop_assert_eq!(Parameters::parse_toml(&text).unwrap(), Parameters::from_tenths(&numbers));
        prop_assert_eq!(comments(&text), comments(EVALUATION_TOML));
        prop_assert_eq!(keys(&text), keys(EVALUATION_TOML));
    }
}

#[test]
fn what_is_no_parameter_file_is_left_alone() {
    for old in ["", "format = 1", "format = 2\n[material]\npawn = [1, 2]"] {
        assert!(rewritten(old, &[[0; 2]; WEIGHTS], &Vec::new()).is_err(), "{old}");
    }
}
