//! Checks `params/evaluation.toml` against the schema of the evaluation and embeds its numbers. An invalid file fails
//! the build.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::{env, fs};

#[path = "src/evaluation/document.rs"]
#[expect(unreachable_pub, reason = "public in the engine")]
mod document;
#[path = "src/evaluation/schema.rs"]
#[expect(unreachable_pub, dead_code, reason = "public in the engine; the build needs names and lengths only")]
mod schema;

const PARAMETERS: &str = "params/evaluation.toml";

/// The workspace folder, from `.cargo/config.toml`. Cargo compares file times: in a build folder shared by two
/// checkouts it would use the weights of the wrong one.
const CHECKOUT: &str = "SMALT_CHECKOUT";

fn main() -> ExitCode {
    for path in [PARAMETERS, "build.rs", "src/evaluation/schema.rs", "src/evaluation/document.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rerun-if-env-changed={CHECKOUT}");
    match embed() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn embed() -> Result<(), String> {
    let text = fs::read_to_string(PARAMETERS).map_err(|error| format!("engine/{PARAMETERS}: {error}"))?;
    let numbers = document::read(&text).map_err(|error| format!("engine/{PARAMETERS}: {error}"))?;
    let mut rust = String::from("[\n");
    for [middlegame, endgame] in numbers.iter() {
        writeln!(rust, "    [{middlegame}, {endgame}],").map_err(|error| error.to_string())?;
    }
    rust.push_str("]\n");
    let folder = env::var("OUT_DIR").map_err(|error| format!("OUT_DIR: {error}"))?;
    fs::write(Path::new(&folder).join("evaluation.in"), rust).map_err(|error| format!("{folder}: {error}"))
}
