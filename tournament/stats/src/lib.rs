//! Elo, pentanomial statistics, SPRT and ratings: pure functions of counts.
