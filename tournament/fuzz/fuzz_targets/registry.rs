//! Fuzzes registries of engines.

#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target holds one law")]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::registry(bytes));
