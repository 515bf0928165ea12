//! The program `smalt-suites`.

use std::process::ExitCode;

use smalt::bench::BenchPlan;
use smalt_suites::Builtin;

fn main() -> ExitCode {
    smalt_suites::main(Builtin { serve: smalt::serve::run, bench, version: smalt_about::VERSION })
}

fn bench() -> (u64, u64) {
    let result = smalt::bench::run(BenchPlan::default()).expect("the default bench needs little memory");
    (result.nodes, result.speed())
}
