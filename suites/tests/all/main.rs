//! Tests of the public API, in one program.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod grading;
mod history;
mod json;
mod mates;
mod pages;
mod reading;
mod real_engines;
mod resuming;
mod scoring;
mod support;
