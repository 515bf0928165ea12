//! Whole xboard sessions over pipes, as with an interface.

mod board;
mod language;
mod playing;
mod script;
mod thinking;
