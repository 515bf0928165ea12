//! Fuzzes stores of runs.

#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target holds one law")]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::store(bytes));
