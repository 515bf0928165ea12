//! Start of the build for x86-64-v3 beside a portable one.

use std::env;
use std::env::consts::{ARCH, EXE_SUFFIX};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use memchr::memmem;

use crate::VERSION;

const FASTER: &str = "x86-64-v3";
const PORTABLE: &str = "x86-64";

/// The processors for which this program is built: `x86-64-v3` if it uses AVX2 (Haswell, Zen and later), else `x86-64`, or
/// another architecture.
pub const BUILD: &str = match (cfg!(target_arch = "x86_64"), cfg!(target_feature = "avx2")) {
    (true, true) => FASTER,
    (true, false) => PORTABLE,
    (false, _) => ARCH,
};

/// The mark in the file of a build for x86-64-v3.
#[cfg(target_feature = "avx2")]
static MARK: &str = concat!("[smalt ", env!("SMALT_VERSION"), " for x86-64-v3]");

/// The mark in the file of a build for x86-64-v3 of this version.
pub fn mark_of_faster_build() -> String {
    // Put together here, or the portable build would have the mark, too.
    format!("[smalt {VERSION} for {FASTER}]")
}

/// Replaces a portable build of the engine by its build for x86-64-v3, if that is in the same folder with the suffix
/// `-x86-64-v3`, has the same version, and the processor supports it. On Windows it becomes a child, and this program waits
/// for it.
pub fn run_faster_build() {
    let Ok(own) = env::current_exe() else { return };
    let name = if cfg!(windows) { own.file_stem() } else { own.file_name() };
    start(own.with_file_name(name.unwrap_or_default()), env::args_os().skip(1));
}

/// Replaces a portable program that runs as the engine `builtin` by `smalt-x86-64-v3`, under the same conditions.
pub fn run_faster_engine() {
    let Ok(own) = env::current_exe() else { return };
    start(own.with_file_name("smalt"), []);
}

fn start(portable: PathBuf, arguments: impl IntoIterator<Item = OsString>) {
    #[cfg(target_feature = "avx2")]
    std::hint::black_box(&MARK);
    let mut faster = portable.into_os_string();
    faster.push(format!("-{FASTER}{EXE_SUFFIX}"));
    let faster = Path::new(&faster);
    if BUILD == PORTABLE && is_supported() && faster.is_file() && has_mark(faster) {
        #[expect(clippy::disallowed_methods, reason = "it becomes this program")]
        let mut command = Command::new(faster);
        // It returns only on failure; then this build continues.
        let _ = replace_by(command.args(arguments));
    }
}

#[cfg(target_arch = "x86_64")]
fn is_supported() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_supported() -> bool {
    false
}

/// The file is read, not started: a script, or a link to this build, would start it again without end.
fn has_mark(program: &Path) -> bool {
    let mark = mark_of_faster_build();
    std::fs::read(program).is_ok_and(|bytes| memmem::find(&bytes, mark.as_bytes()).is_some())
}

#[cfg(unix)]
fn replace_by(command: &mut Command) -> std::io::Result<()> {
    use std::os::unix::process::CommandExt as _;
    Err(command.exec())
}

#[cfg(windows)]
use windows::replace_by;

#[cfg(windows)]
mod windows {
    use std::os::windows::process::CommandExt as _;
    use std::process::Command;
    use std::{io, mem, process, ptr};

    use windows_sys::Win32::System::Console::{GetConsoleCP, SetConsoleCtrlHandler};
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    };
    use windows_sys::Win32::System::Threading::{DETACHED_PROCESS, GetCurrentProcess, GetPriorityClass};
    use windows_sys::core::BOOL;

    /// Runs the command to its end and exits with its code. Its standard handles are ours.
    pub(super) fn replace_by(command: &mut Command) -> io::Result<()> {
        kill_children_at_end()?;
        let mut child = command.creation_flags(creation_flags()).spawn()?;
        // SAFETY: The handler lives as long as the program.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            SetConsoleCtrlHandler(Some(ignore), 1);
        }
        let code = child.wait().ok().and_then(|status| status.code());
        process::exit(code.unwrap_or(1))
    }

    /// The child has our priority, of which Windows passes on only those below the usual one. Without a console it would open
    /// one, in a new window.
    fn creation_flags() -> u32 {
        // SAFETY: The handle of the current process is always valid, and the other function has no arguments.
        #[expect(unsafe_code, reason = "the system's interface")]
        let (priority, has_console) = unsafe { (GetPriorityClass(GetCurrentProcess()), GetConsoleCP() != 0) };
        priority | if has_console { 0 } else { DETACHED_PROCESS }
    }

    /// Puts this program into a job object, and thus the children that it starts: they are killed when the only handle of the
    /// job is closed, which Windows does at the end of this program, also when it is killed.
    fn kill_children_at_end() -> io::Result<()> {
        // SAFETY: The job has no name and no attributes, so that no child inherits its handle. The structure may be all zeros,
        // and its size is passed. The handle of the current process is always valid.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            let job = CreateJobObjectW(ptr::null(), ptr::null());
            let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = mem::zeroed();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            let size = u32::try_from(size_of_val(&limits)).unwrap_or(0);
            let kind = JobObjectExtendedLimitInformation;
            if job.is_null()
                || SetInformationJobObject(job, kind, (&raw const limits).cast(), size) == 0
                || AssignProcessToJobObject(job, GetCurrentProcess()) == 0
            {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    }

    /// The child gets Ctrl-C, too; this program waits for its exit code.
    extern "system" fn ignore(_: u32) -> BOOL {
        1
    }
}
