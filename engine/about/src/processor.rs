//! Processor support: a build for newer processors reports an unsupported one, and a generic build starts a faster
//! build beside it.

/// Exits with a message if the program was compiled for another processor, before an illegal instruction crashes it.
/// Call it first.
pub fn check_processor() {
    #[cfg(target_arch = "x86_64")]
    {
        let missing = missing(&std::arch::x86_64::__cpuid, |extension| extension.is_used);
        if !missing.is_empty() {
            #[expect(clippy::print_stderr, reason = "the program ends here")]
            {
                eprintln!("This build is for a newer processor: this one has no {}.", missing.join(", "));
                eprintln!("Take the release for x86-64, or build it here: RUSTFLAGS= cargo build --release");
            }
            std::process::exit(1);
        }
    }
}

/// Replaces a generic build by the build for x86-64-v3 (Haswell, Zen and later), if that is beside it with the suffix
/// `-x86-64-v3` and the processor supports it. Windows cannot replace a program.
pub fn run_faster_build() {
    #[cfg(all(target_arch = "x86_64", unix))]
    {
        use std::os::unix::process::CommandExt as _;

        if cfg!(target_feature = "avx2") || !missing(&std::arch::x86_64::__cpuid, |_| true).is_empty() {
            return;
        }
        let Ok(program) = std::env::current_exe() else { return };
        let mut name = program.file_name().unwrap_or_default().to_owned();
        name.push("-x86-64-v3");
        let faster = program.with_file_name(name);
        if faster.is_file() {
            #[expect(clippy::disallowed_methods, reason = "it becomes this program, and starts none")]
            let mut command = std::process::Command::new(faster);
            // It returns only on failure; then this build continues.
            let _ = command.args(std::env::args_os().skip(1)).exec();
        }
    }
}

#[cfg(target_arch = "x86_64")]
type Leaf = std::arch::x86_64::CpuidResult;

/// A processor extension that the compiler may have used, and its CPUID bit (Intel SDM, volume 2, CPUID; LZCNT: AMD's
/// manual, volume 3).
#[cfg(target_arch = "x86_64")]
struct Extension {
    name: &'static str,
    is_used: bool,
    leaf: u32,
    register: fn(Leaf) -> u32,
    bit: u32,
}

#[cfg(target_arch = "x86_64")]
const fn extension(
    name: &'static str,
    is_used: bool,
    leaf: u32,
    register: fn(Leaf) -> u32,
    bit: u32,
) -> Extension {
    Extension { name, is_used, leaf, register, bit }
}

#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const EXTENSIONS: [Extension; 11] = [
    extension("SSSE3",  cfg!(target_feature = "ssse3"),  1,           |leaf| leaf.ecx, 9),
    extension("FMA",    cfg!(target_feature = "fma"),    1,           |leaf| leaf.ecx, 12),
    extension("SSE4.2", cfg!(target_feature = "sse4.2"), 1,           |leaf| leaf.ecx, 20),
    extension("MOVBE",  cfg!(target_feature = "movbe"),  1,           |leaf| leaf.ecx, 22),
    extension("POPCNT", cfg!(target_feature = "popcnt"), 1,           |leaf| leaf.ecx, 23),
    extension("AVX",    cfg!(target_feature = "avx"),    1,           |leaf| leaf.ecx, 28),
    extension("F16C",   cfg!(target_feature = "f16c"),   1,           |leaf| leaf.ecx, 29),
    extension("BMI1",   cfg!(target_feature = "bmi1"),   7,           |leaf| leaf.ebx, 3),
    extension("AVX2",   cfg!(target_feature = "avx2"),   7,           |leaf| leaf.ebx, 5),
    extension("BMI2",   cfg!(target_feature = "bmi2"),   7,           |leaf| leaf.ebx, 8),
    extension("LZCNT",  cfg!(target_feature = "lzcnt"),  0x8000_0001, |leaf| leaf.ecx, 5),
];

/// The names of required extensions that the processor lacks.
#[cfg(target_arch = "x86_64")]
fn missing(cpuid: &dyn Fn(u32) -> Leaf, is_wanted: fn(&Extension) -> bool) -> Vec<&'static str> {
    // For a leaf beyond its last, a processor returns another leaf.
    let has = |extension: &Extension| {
        let leaf = extension.leaf;
        cpuid(leaf & 0x8000_0000).eax >= leaf && (extension.register)(cpuid(leaf)) >> extension.bit & 1 == 1
    };
    let wanted = EXTENSIONS.iter().filter(|extension| is_wanted(extension));
    wanted.filter(|extension| !has(extension)).map(|extension| extension.name).collect()
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;

    #[test]
    fn missing_processor_features_are_named() {
        let names: Vec<_> = EXTENSIONS.iter().map(|extension| extension.name).collect();
        let none = |_| Leaf { eax: 0, ebx: u32::MAX, ecx: u32::MAX, edx: 0 };
        assert_eq!(missing(&none, |_| true), names, "no leaf has these numbers");
        let all = |_| Leaf { eax: u32::MAX, ebx: u32::MAX, ecx: u32::MAX, edx: 0 };
        assert!(missing(&all, |_| true).is_empty());
        // The values of Nehalem.
        let old = |_| Leaf { eax: u32::MAX, ebx: 0, ecx: 1 << 9 | 1 << 20 | 1 << 23, edx: 0 };
        assert!(!missing(&old, |_| true).contains(&"POPCNT") && missing(&old, |_| true).contains(&"AVX2"));
        assert!(
            missing(&std::arch::x86_64::__cpuid, |extension| extension.is_used).is_empty(),
            "this test runs"
        );
    }
}
