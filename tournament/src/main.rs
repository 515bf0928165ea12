//! Plays gauntlets and other tournaments between chess engines, with statistics that can be trusted.

fn main() {}
