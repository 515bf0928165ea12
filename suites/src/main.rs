//! Scores engines on STS, WAC and any EPD suite.

fn main() {}
