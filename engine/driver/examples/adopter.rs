//! Adopts orphans, starts the given program without the driver, prints its process id and its first line, and waits for
//! its end. The tests kill this program and then check that the other is dead too.

#![expect(clippy::print_stdout, reason = "its output is what the test reads")]

use std::io::{self, BufRead, BufReader};
use std::process::{Command, Stdio};

#[expect(clippy::disallowed_methods, reason = "a process that the driver has not started")]
fn main() -> io::Result<()> {
    smalt_driver::process::adopt_orphans()?;
    let mut arguments = std::env::args_os().skip(1);
    let mut command = Command::new(arguments.next().unwrap_or_default());
    let mut child = command.args(arguments).stdout(Stdio::piped()).spawn()?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    println!("{} {}", child.id(), line.trim_end());
    child.wait().map(drop)
}
