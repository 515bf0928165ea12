//! A worker's machine: host name, processor, engine binaries. Starts each engine once to read its name.

use std::path::Path;

use smalt_driver::WaitContext;
use smalt_driver::process::Reaper;

use super::wire::{check_machine, trimmed};
use smalt_match::game::BinaryReport;
use smalt_match::plan::Plan;
use smalt_match::run::{Binaries, engine_command, engine_timeouts};

/// Processor and system of this program, e.g. `x86_64-linux`.
pub(crate) fn platform() -> String {
    format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS)
}

/// Host name; `worker` if unknown.
pub fn host_name() -> String {
    let name = name_in_network();
    if check_machine(&name).is_err() { "worker".to_owned() } else { name }
}

#[cfg(unix)]
fn name_in_network() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

#[cfg(windows)]
fn name_in_network() -> String {
    std::env::var("COMPUTERNAME").unwrap_or_default()
}

/// Processor model as reported by x86-64 processors; empty elsewhere.
pub(crate) fn processor_model() -> String {
    trimmed(&brand()).chars().take(200).collect()
}

/// The brand string: 48 bytes in three leaves; another leaf tells whether they exist (Intel SDM, volume 2, CPUID).
#[cfg(target_arch = "x86_64")]
fn brand() -> String {
    use std::arch::x86_64::__cpuid;
    let leaves = 0x8000_0002..=0x8000_0004_u32;
    if __cpuid(0x8000_0000).eax < *leaves.end() {
        return String::new();
    }
    let registers = leaves.map(__cpuid).flat_map(|leaf| [leaf.eax, leaf.ebx, leaf.ecx, leaf.edx]);
    let bytes: Vec<u8> = registers.flat_map(u32::to_le_bytes).take_while(|&byte| byte != 0).collect();
    String::from_utf8_lossy(&bytes).trim().to_owned()
}

#[cfg(not(target_arch = "x86_64"))]
fn brand() -> String {
    String::new()
}

/// The engines of a plan's entrants on this machine, with the digests of their programs. The reaper ends a running
/// engine if this program ends.
///
/// # Errors
/// If one cannot be started; the text begins with its name.
pub fn engines(
    plan: &Plan,
    binaries: &Binaries,
    own_program: &Path,
    reaper: Option<&Reaper>,
) -> Result<Vec<BinaryReport>, String> {
    let mut engines = Vec::new();
    for (entrant, sha256) in plan.entrants.iter().zip(binaries.program_digests()) {
        let failed = |words: String| format!("{}: failed to {words}", entrant.name);
        let sha256 = sha256.ok_or_else(|| failed("start: it is not built".to_owned()))?;
        let mut command = engine_command(entrant, own_program);
        command.reaper = reaper.cloned();
        let mut context = WaitContext::none();
        let timeouts = engine_timeouts(&plan.settings.timeouts, entrant);
        let engine = smalt_driver::start(&command, entrant.engine.proto, timeouts, None, &mut context);
        let mut engine = engine.map_err(|failure| failed(format!("start: it {}", failure.error)))?;
        let short = |text: &str| trimmed(text).chars().take(200).collect::<String>();
        engines.push(BinaryReport {
            name: short(engine.name()),
            author: short(engine.author()),
            sha256: sha256.to_owned(),
        });
        engine.quit();
    }
    Ok(engines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_says_its_name_and_processor() {
        assert_ne!(name_in_network(), "");
        assert_eq!(processor_model().is_empty(), cfg!(not(target_arch = "x86_64")));
    }
}
