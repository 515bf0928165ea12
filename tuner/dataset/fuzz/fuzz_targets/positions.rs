//! Fuzzes position files.

#![no_main]

#[path = "../laws.rs"]
#[allow(dead_code, reason = "each target holds one law")]
mod laws;

static SILENT_PANICS: std::sync::Once = std::sync::Once::new();

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // The panic hook of libfuzzer-sys aborts at once, also for panics of the crate sfbinpack that the reader catches. A
    // panic that is not caught still ends the target, as it leaves an `extern "C"` function.
    SILENT_PANICS.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    laws::positions(bytes)
});
