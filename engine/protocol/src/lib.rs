//! The UCI and xboard grammars, for engines and for those who drive them.
