//! Job object: an engine process and all its descendants. Windows kills them when our handle of the job is closed, also
//! when this program is killed.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::Child;
use std::ptr;

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
    JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicProcessIdList,
    JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};

#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// Creates an empty job that kills its processes on close and shows no crash dialogs.
    pub(super) fn new() -> io::Result<Job> {
        // SAFETY: The job has no name and no attributes; we own the handle if it is not null. The structure may be all
        // zeros, and its size is passed.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            let handle = CreateJobObjectW(ptr::null(), ptr::null());
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            let job = Job(OwnedHandle::from_raw_handle(handle));
            let mut limits: JOBOBJECT_EXTENDED_LIMIT_INFORMATION = std::mem::zeroed();
            limits.BasicLimitInformation.LimitFlags =
                JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
            let size = u32::try_from(size_of_val(&limits)).unwrap_or(0);
            let is_set = SetInformationJobObject(
                handle,
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size,
            );
            if is_set == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
        }
    }

    /// Assigns this program to a new job that ends with it. The jobs of its children are nested in that job.
    pub(super) fn contain_this_program() -> io::Result<()> {
        let job = Job::new()?;
        // SAFETY: The job's handle is open, and that of the current process is always valid.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_assigned = unsafe { AssignProcessToJobObject(job.0.as_raw_handle(), GetCurrentProcess()) };
        if is_assigned == 0 {
            return Err(io::Error::last_os_error());
        }
        // Windows closes the handle at the end of the program; earlier it would kill the program.
        std::mem::forget(job);
        Ok(())
    }

    /// Assigns a suspended child to the job and resumes it.
    pub(super) fn admit(&self, child: &Child) -> io::Result<()> {
        // SAFETY: Both handles are open.
        #[expect(unsafe_code, reason = "the system's interface")]
        let is_assigned = unsafe { AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle()) };
        if is_assigned == 0 {
            return Err(io::Error::last_os_error());
        }
        resume(child.id())
    }

    /// Process IDs of at most 64 processes of the job.
    pub(super) fn processes(&self) -> Vec<u32> {
        /// A `JOBOBJECT_BASIC_PROCESS_ID_LIST` with room for more than one.
        #[repr(C)]
        struct List {
            assigned: u32,
            listed: u32,
            ids: [usize; 64],
        }
        let mut list = List { assigned: 0, listed: 0, ids: [0; 64] };
        // SAFETY: The handle is open, and the list's size is passed. If there are more, it is filled.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            QueryInformationJobObject(
                self.0.as_raw_handle(),
                JobObjectBasicProcessIdList,
                (&raw mut list).cast(),
                u32::try_from(size_of_val(&list)).unwrap_or(0),
                ptr::null_mut(),
            );
        }
        let ids = list.ids.into_iter().take(list.listed.try_into().unwrap_or(0));
        ids.filter_map(|id| u32::try_from(id).ok()).collect()
    }

    /// Kills all processes of the job with this exit code.
    pub(super) fn kill(&self, code: u32) {
        // SAFETY: The handle is open. An error for an empty job is ignored.
        #[expect(unsafe_code, reason = "the system's interface")]
        unsafe {
            TerminateJobObject(self.0.as_raw_handle(), code);
        }
    }
}

/// Resumes the only thread of a process that was started suspended.
fn resume(process: u32) -> io::Result<()> {
    // SAFETY: The handles are open when used; the entry may be all zeros, and its size is passed.
    #[expect(unsafe_code, reason = "the system's interface")]
    unsafe {
        let snapshot = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
        if snapshot == INVALID_HANDLE_VALUE {
            return Err(io::Error::last_os_error());
        }
        let _snapshot = OwnedHandle::from_raw_handle(snapshot);
        let mut entry: THREADENTRY32 = std::mem::zeroed();
        entry.dwSize = u32::try_from(size_of_val(&entry)).unwrap_or(0);
        let mut has_entry = Thread32First(snapshot, &raw mut entry) != 0;
        while has_entry {
            if entry.th32OwnerProcessID == process {
                let thread = OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID);
                if thread.is_null() {
                    return Err(io::Error::last_os_error());
                }
                let thread = OwnedHandle::from_raw_handle(thread);
                let count = ResumeThread(thread.as_raw_handle());
                return if count == u32::MAX { Err(io::Error::last_os_error()) } else { Ok(()) };
            }
            has_entry = Thread32Next(snapshot, &raw mut entry) != 0;
        }
    }
    Err(io::ErrorKind::NotFound.into())
}
