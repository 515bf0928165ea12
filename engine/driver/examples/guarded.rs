//! Starts the shell script of its command line under a guard, prints the script's first line, and waits to be killed:
//! the tests look at what is left then. With the one argument `guard` it is that guard.

#![expect(clippy::print_stdout, reason = "its output is what the test reads")]

use std::error::Error;
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Guard, Process, Waiting, pump, stand_guard};

fn main() -> Result<(), Box<dyn Error>> {
    let script = std::env::args().nth(1).ok_or("expected a script")?;
    if script == "guard" {
        stand_guard(std::io::stdin().lock());
        return Ok(());
    }
    let guard = Guard::start(&std::env::current_exe()?, "guard")?;
    let command = EngineCommand::new("sh").arguments(["-c", &script]).guarded_by(&guard);
    let mut process = Process::spawn(&command)?;
    let deadline = Instant::now() + Duration::from_secs(600);
    while !process.has_line() && !process.is_silent() {
        pump(&mut process, None, None, Waiting::ForOutput, deadline)?;
    }
    let pid = process.pid();
    if let Some(line) = process.take_line() {
        println!("{} {pid}", line.text());
    }
    std::thread::sleep(Duration::from_secs(600));
    Ok(())
}
