// The limits of the process itself. It runs untrusted wasm, so its address space, time and CPU time
// are limited in addition to the host's budget. It ends with its parent.

#![allow(unsafe_code)]

#[cfg(target_os = "linux")]
pub mod contract_memory;
#[cfg_attr(target_family = "wasm", path = "unwatched.rs")]
mod deadline;
mod stopwatch;

pub use deadline::Deadline;
pub use stopwatch::Stopwatch;

use std::{
    io::Write,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

pub const DEFAULT_MEMORY_LIMIT_BYTES: u64 = 4 << 30;

/// The CPU time of one request in milliseconds; 0 means no limit.
static CPU_LIMIT_MILLISECONDS: AtomicU64 = AtomicU64::new(0);

/// The deadline of a request that does not set one, in milliseconds.
static DEADLINE_MILLISECONDS: AtomicU64 = AtomicU64::new(30_000);

pub fn usual_deadline_milliseconds() -> u64 {
    DEADLINE_MILLISECONDS.load(Ordering::Relaxed)
}

/// Sets the limits of `serve` and of the engine's hosts. Returns false if the arguments are not
/// valid.
pub fn limit_serving(arguments: &[&str]) -> bool {
    let (pairs, rest) = arguments.as_chunks::<2>();
    let mut memory_bytes = DEFAULT_MEMORY_LIMIT_BYTES;
    for [name, value] in pairs {
        match (*name, value.parse()) {
            ("--memory-bytes", Ok(bytes)) => memory_bytes = bytes,
            ("--cpu-milliseconds", Ok(limit)) => {
                CPU_LIMIT_MILLISECONDS.store(limit, Ordering::Relaxed);
            }
            ("--deadline-milliseconds", Ok(limit)) => {
                DEADLINE_MILLISECONDS.store(limit, Ordering::Relaxed);
            }
            _ => return false,
        }
    }
    limit_memory(memory_bytes);
    rest.is_empty()
}

#[cfg(unix)]
pub fn limit_memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes as libc::rlim_t, rlim_max: bytes as libc::rlim_t };
    // SAFETY: a plain system call on a local value.
    if unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } != 0 {
        let error = std::io::Error::last_os_error();
        print_to_stderr(&format!("the memory limit could not be set: {error}"));
    }
}

#[cfg(not(unix))]
pub fn limit_memory(_bytes: u64) {}

/// Writes text for people to stderr. If stderr is closed, the program goes on.
pub fn print_to_stderr(text: &str) {
    let _ = writeln!(std::io::stderr(), "svc-sim: {text}");
}

/// Keeps freed memory for the next request. glibc would return it to the system after each
/// invocation, and getting it again takes several times as long as the host's run. Large blocks
/// still come from fresh, zeroed pages.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_freed_memory() {
    const TRIM_THRESHOLD_BYTES: libc::c_int = 256 << 20;
    const MMAP_THRESHOLD_BYTES: libc::c_int = 1 << 20;
    // SAFETY: plain calls without pointers, before any other thread runs.
    unsafe {
        libc::mallopt(libc::M_TRIM_THRESHOLD, TRIM_THRESHOLD_BYTES);
        libc::mallopt(libc::M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_freed_memory() {}

/// Asks Linux to signal this process when its parent dies. On other systems only the end of stdin
/// shows that.
#[cfg(target_os = "linux")]
pub fn die_with_parent() {
    // SAFETY: plain system calls without pointers.
    unsafe {
        let parent = libc::getppid();
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        // The parent may have died before the signal was set.
        if libc::getppid() != parent {
            libc::_exit(1);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub fn die_with_parent() {}

/// Keeps the processes that this one starts from gaining rights, for example from a setuid program.
#[cfg(target_os = "linux")]
pub fn gain_no_privileges() {
    // SAFETY: a plain system call without pointers.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        let error = std::io::Error::last_os_error();
        print_to_stderr(&format!("new privileges could not be refused: {error}"));
    }
}

#[cfg(not(target_os = "linux"))]
pub fn gain_no_privileges() {}

/// The limits of a request with this deadline, as text for an error message.
pub fn time_limits(milliseconds: u64) -> String {
    match cpu_limit() {
        None => format!("the deadline of {milliseconds} ms"),
        Some(cpu) => format!("{milliseconds} ms, or {} ms of CPU time,", cpu.as_millis()),
    }
}

fn cpu_limit() -> Option<Duration> {
    let milliseconds = CPU_LIMIT_MILLISECONDS.load(Ordering::Relaxed);
    (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
}
