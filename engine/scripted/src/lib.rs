//! A chess engine for tests that follows a script, faults included.
