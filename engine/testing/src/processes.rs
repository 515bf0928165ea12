//! The processes in a folder, so that a test can check that none is left.

use std::path::Path;

/// The command lines of all processes whose working folder is this one or inside it.
pub fn processes_in(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap();
    let runs_here =
        |process: &Process| std::fs::canonicalize(&process.folder).is_ok_and(|its| its.starts_with(&folder));
    all().into_iter().filter(runs_here).map(|process| process.line).collect()
}

struct Process {
    folder: std::path::PathBuf,
    line: String,
}

/// The processes that the system shows us; a zombie has no command line.
#[cfg(unix)]
fn all() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let process = |entry: std::fs::DirEntry| {
        let folder = std::fs::read_link(entry.path().join("cwd")).ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        (!line.is_empty())
            .then(|| Process { folder, line: String::from_utf8_lossy(&line).replace('\0', " ") })
    };
    entries.filter_map(process).collect()
}

/// Whether the process still runs.
#[cfg(windows)]
pub fn is_running(process: u32) -> bool {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

    use windows_sys::Win32::Foundation::WAIT_TIMEOUT;
    use windows_sys::Win32::System::Threading::{OpenProcess, PROCESS_SYNCHRONIZE, WaitForSingleObject};

    // SAFETY: A handle that is not null is ours to close, and open while we wait for it.
    #[expect(unsafe_code, reason = "the system's interface")]
    unsafe {
        let handle = OpenProcess(PROCESS_SYNCHRONIZE, 0, process);
        if handle.is_null() {
            return false;
        }
        let process = OwnedHandle::from_raw_handle(handle);
        WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_TIMEOUT
    }
}

/// The processes whose memory we may read: the system keeps their working folder and command line there.
#[cfg(windows)]
fn all() -> Vec<Process> {
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

    use windows_sys::Wdk::System::Threading::{NtQueryInformationProcess, ProcessBasicInformation};
    use windows_sys::Win32::System::Diagnostics::Debug::ReadProcessMemory;
    use windows_sys::Win32::System::ProcessStatus::K32EnumProcesses;
    use windows_sys::Win32::System::Threading::{
        OpenProcess, PEB, PROCESS_BASIC_INFORMATION, PROCESS_QUERY_INFORMATION, PROCESS_VM_READ,
        RTL_USER_PROCESS_PARAMETERS,
    };

    /// The word of `Reserved2` with the length of the working folder in bytes; the next word points to the text.
    const FOLDER: usize = 5;

    let open = |id: u32| {
        // SAFETY: A handle that is not null is ours to close.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            let handle = OpenProcess(PROCESS_QUERY_INFORMATION | PROCESS_VM_READ, 0, id);
            (!handle.is_null()).then(|| OwnedHandle::from_raw_handle(handle))
        }
    };
    let read = |process: &OwnedHandle, from: *const std::ffi::c_void, to: &mut [u8]| {
        // SAFETY: The buffer is ours, and the system checks the other address.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_read = unsafe {
            ReadProcessMemory(
                process.as_raw_handle(),
                from,
                to.as_mut_ptr().cast(),
                to.len(),
                std::ptr::null_mut(),
            )
        };
        (is_read != 0).then_some(())
    };
    let text = |process: &OwnedHandle, at: *const std::ffi::c_void, length: usize| {
        let mut bytes = vec![0; length];
        read(process, at, &mut bytes)?;
        let units: Vec<u16> =
            bytes.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]])).collect();
        Some(String::from_utf16_lossy(&units))
    };
    let process = |id: u32| {
        let process = open(id)?;
        // SAFETY: Zeros are a value of both structures, whose sizes are given.
        #[expect(unsafe_code, reason = "the system's interface")]
        let parameters = unsafe {
            let mut basic: PROCESS_BASIC_INFORMATION = std::mem::zeroed();
            let size = u32::try_from(size_of_val(&basic)).unwrap();
            let to = (&raw mut basic).cast();
            let handle = process.as_raw_handle();
            if NtQueryInformationProcess(handle, ProcessBasicInformation, to, size, std::ptr::null_mut()) < 0
            {
                return None;
            }
            let mut pointer = [0; size_of::<usize>()];
            let field = std::mem::offset_of!(PEB, ProcessParameters);
            read(&process, basic.PebBaseAddress.cast::<u8>().wrapping_add(field).cast(), &mut pointer)?;
            let mut parameters: RTL_USER_PROCESS_PARAMETERS = std::mem::zeroed();
            let bytes =
                std::slice::from_raw_parts_mut((&raw mut parameters).cast(), size_of_val(&parameters));
            read(&process, std::ptr::without_provenance(usize::from_ne_bytes(pointer)), bytes)?;
            parameters
        };
        let length = parameters.Reserved2[FOLDER].addr() & 0xFFFF;
        let folder = text(&process, parameters.Reserved2[FOLDER + 1], length)?.into();
        let line = parameters.CommandLine;
        Some(Process { folder, line: text(&process, line.Buffer.cast(), line.Length.into())? })
    };
    let mut ids = [0; 4096];
    let mut bytes = 0;
    // SAFETY: The buffer is ours, and its size is given.
    #[expect(unsafe_code, reason = "the system's interface")]
    let is_read = unsafe {
        K32EnumProcesses(ids.as_mut_ptr(), u32::try_from(size_of_val(&ids)).unwrap(), &raw mut bytes)
    };
    assert_ne!(is_read, 0);
    ids[..usize::try_from(bytes).unwrap() / size_of::<u32>()].iter().filter_map(|&id| process(id)).collect()
}
