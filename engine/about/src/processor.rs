//! Processor check: a build for newer processors reports an unsupported one.

#[cfg(all(target_arch = "x86_64", any(target_os = "linux", windows)))]
#[expect(unsafe_code, reason = "code before the standard library, in assembly language")]
mod check {
    use std::arch::naked_asm;

    #[cfg(windows)]
    use windows_sys::Win32::{
        Storage::FileSystem::WriteFile, System::Console::GetStdHandle, System::Threading::TerminateProcess,
    };

    /// Processor extensions up to x86-64-v3 that the compiler may have used, as bits of a CPUID register (Intel SDM,
    /// volume 2, CPUID; LZCNT: AMD's manual, volume 3).
    const LEAF_1_ECX: u32 = used(&[
        (cfg!(target_feature = "ssse3"), 9),
        (cfg!(target_feature = "fma"), 12),
        (cfg!(target_feature = "sse4.2"), 20),
        (cfg!(target_feature = "movbe"), 22),
        (cfg!(target_feature = "popcnt"), 23),
        (cfg!(target_feature = "avx"), 28),
        (cfg!(target_feature = "f16c"), 29),
    ]);
    const LEAF_7_EBX: u32 = used(&[
        (cfg!(target_feature = "bmi1"), 3),
        (cfg!(target_feature = "avx2"), 5),
        (cfg!(target_feature = "bmi2"), 8),
    ]);
    const EXTENDED_ECX: u32 = used(&[(cfg!(target_feature = "lzcnt"), 5)]);

    const fn used(extensions: &[(bool, u32)]) -> u32 {
        let mut mask = 0;
        let mut index = 0;
        while index < extensions.len() {
            mask |= (extensions[index].0 as u32) << extensions[index].1;
            index += 1;
        }
        mask
    }

    const LENGTH: usize = 136;
    static MESSAGE: [u8; LENGTH] = *b"This build uses instructions that this processor lacks.\n\
        Take the release for x86-64, or build it here: RUSTFLAGS= cargo build --release\n";

    /// Runs the check before `main` and the standard library, which may contain the newer instructions as well. On Windows
    /// it is a TLS callback: the loader calls them in the order of their sections before the entry point, and for each thread.
    #[used]
    #[cfg_attr(windows, unsafe(link_section = ".CRT$XLAA"))]
    #[cfg_attr(not(windows), unsafe(link_section = ".init_array.00001"))]
    static CHECK: extern "C" fn() = check_processor;

    /// Exits with the message if the processor lacks an extension. Written in assembly language, because the compiler
    /// would use the extensions here, too.
    #[unsafe(naked)]
    extern "C" fn check_processor() {
        naked_asm!(
            "push rbx",
            "mov eax, 1",
            "cpuid",
            "not ecx",
            "test ecx, {leaf_1_ecx}",
            "jnz 3f",
            // For a leaf beyond its last, a processor returns another leaf.
            "xor eax, eax",
            "cpuid",
            "xor ebx, ebx",
            "cmp eax, 7",
            "jb 2f",
            "mov eax, 7",
            "xor ecx, ecx",
            "cpuid",
            "2:",
            "not ebx",
            "test ebx, {leaf_7_ebx}",
            "jnz 3f",
            "mov eax, 0x80000001",
            "cpuid",
            "not ecx",
            "test ecx, {extended_ecx}",
            "jnz 3f",
            "pop rbx",
            "ret",
            "3:",
            // write(2, MESSAGE, length), exit_group(1).
            #[cfg(not(windows))]
            "mov eax, 1
            mov edi, 2
            lea rsi, [rip + {message}]
            mov edx, {length}
            syscall
            mov eax, 231
            mov edi, 1
            syscall",
            // WriteFile(GetStdHandle(STD_ERROR_HANDLE), MESSAGE, length, &written, NULL), TerminateProcess(-1, 1). The stack is
            // aligned after the push, and has room for the registers of each function, an argument and `written`.
            #[cfg(windows)]
            "sub rsp, 48
            mov ecx, -12
            call {get_std_handle}
            mov rcx, rax
            lea rdx, [rip + {message}]
            mov r8d, {length}
            lea r9, [rsp + 40]
            mov qword ptr [rsp + 32], 0
            call {write_file}
            mov rcx, -1
            mov edx, 1
            call {terminate_process}",
            "ud2",
            leaf_1_ecx = const LEAF_1_ECX,
            leaf_7_ebx = const LEAF_7_EBX,
            extended_ecx = const EXTENDED_ECX,
            message = sym MESSAGE,
            length = const LENGTH,
            #[cfg(windows)]
            get_std_handle = sym GetStdHandle,
            #[cfg(windows)]
            write_file = sym WriteFile,
            #[cfg(windows)]
            terminate_process = sym TerminateProcess,
        )
    }
}
