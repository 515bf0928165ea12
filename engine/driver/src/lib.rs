//! Runs chess engines as child processes, with a deadline on every wait.
