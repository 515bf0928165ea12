//! Starts the given shell script under a reaper, prints the script's first line and waits to be killed. With the single
//! argument `reaper` it is the reaper.

#![expect(clippy::print_stdout, reason = "its output is what the test reads")]

use std::error::Error;
use std::time::{Duration, Instant};

use smalt_driver::EngineCommand;
use smalt_driver::process::{Process, Reaper, WaitFor, poll_once, run_reaper};

fn main() -> Result<(), Box<dyn Error>> {
    let script = std::env::args().nth(1).ok_or("expected a script")?;
    if script == "reaper" {
        run_reaper(std::io::stdin().lock());
        return Ok(());
    }
    let reaper = Reaper::start(&std::env::current_exe()?, "reaper")?;
    let command = EngineCommand::shell(&script).reaped_by(&reaper);
    let mut process = Process::spawn(&command)?;
    let deadline = Instant::now() + Duration::from_secs(600);
    while !process.has_line() && !process.is_silent() {
        poll_once(&mut process, None, None, WaitFor::Output, deadline)?;
    }
    let pid = process.pid();
    if let Some(line) = process.take_line() {
        println!("{} {pid}", line.text());
    }
    std::thread::sleep(Duration::from_secs(600));
    Ok(())
}
