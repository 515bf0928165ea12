//! The program `smalt-suites`.

use std::process::ExitCode;

use smalt::bench::BenchPlan;
use smalt::tablebases::{SyzygyTables, WdlScore};
use smalt_chess::Outcome;
use smalt_suites::{Builtin, Tablebases};

fn main() -> ExitCode {
    let serve = smalt::serve::run_builtin;
    smalt_suites::main(Builtin { serve, bench, open_tablebases, version: smalt_about::VERSION })
}

fn open_tablebases(folders: &str) -> anyhow::Result<Tablebases> {
    let tables = SyzygyTables::open(folders)?;
    Ok(Tablebases::new(move |position| {
        let turn = position.turn();
        Some(match tables.probe(position)? {
            WdlScore::Win | WdlScore::CursedWin => Outcome::Win(turn),
            WdlScore::Loss | WdlScore::BlessedLoss => Outcome::Win(!turn),
            WdlScore::Draw => Outcome::Draw,
        })
    }))
}

fn bench() -> (u64, u64) {
    let result = smalt::bench::run(BenchPlan::default()).expect("the default bench needs little memory");
    (result.nodes, result.speed())
}
