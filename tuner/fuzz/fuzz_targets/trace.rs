//! Fuzzes trace files, text and binary.

#![no_main]

#[path = "../laws.rs"]
mod laws;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| laws::trace(bytes));
