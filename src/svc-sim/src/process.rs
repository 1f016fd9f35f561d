// The limits of the process itself. It runs untrusted wasm, so it has an address-space limit and a
// deadline in addition to the host's budget, and ends with its parent.

#![allow(unsafe_code)]

use std::{
    io::Write,
    sync::{Arc, Condvar, Mutex, MutexGuard},
    time::{Duration, Instant},
};

pub const DEFAULT_MEMORY_LIMIT_BYTES: u64 = 4 << 30;

#[cfg(unix)]
pub fn limit_memory(bytes: u64) {
    let limit = libc::rlimit { rlim_cur: bytes as libc::rlim_t, rlim_max: bytes as libc::rlim_t };
    // SAFETY: a plain system call on a local value.
    if unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) } != 0 {
        eprintln!(
            "svc-sim: the memory limit could not be set: {}",
            std::io::Error::last_os_error()
        );
    }
}

#[cfg(not(unix))]
pub fn limit_memory(_bytes: u64) {}

/// Keeps freed memory for the next request. glibc would return it after each invocation, and
/// getting it again takes several times as long as the host needs it. Large blocks still come from
/// fresh, zeroed pages.
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

/// Linux signals a child when its parent dies. Elsewhere the end of stdin must suffice.
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

/// A thread that watches the deadline. A host cannot be interrupted, so past the deadline the
/// process answers `DEADLINE` to the current request and ends.
pub struct Deadline {
    shared: Arc<(Mutex<Watch>, Condvar)>,
}

#[derive(Default)]
struct Watch {
    request: Option<Watched>,
    /// When the thread wakes next by itself. Only an earlier deadline wakes it sooner, because most
    /// requests end long before their deadline.
    next_look: Option<Instant>,
}

struct Watched {
    ends: Instant,
    milliseconds: u64,
    /// The error response, ready to write.
    response: Vec<u8>,
}

impl Deadline {
    pub fn start() -> Deadline {
        let shared = Arc::new((Mutex::new(Watch::default()), Condvar::new()));
        let watching = shared.clone();
        std::thread::spawn(move || watch_forever(&watching));
        Deadline { shared }
    }

    /// Runs `work`. Past the deadline the process writes `response` and ends, or, if `work` ended
    /// just then, `Err` returns `response`.
    pub fn watch<T>(
        &self,
        milliseconds: u64,
        response: Vec<u8>,
        work: impl FnOnce() -> T,
    ) -> Result<T, Vec<u8>> {
        let ends = Instant::now() + Duration::from_millis(milliseconds);
        let (watch, earlier) = &*self.shared;
        {
            let mut watch = lock(watch);
            watch.request = Some(Watched { ends, milliseconds, response });
            if watch.next_look.is_none_or(|look| ends < look) {
                earlier.notify_one();
            }
        }
        let done = work();
        // Past the deadline either the watching thread or this one takes the response.
        match lock(watch).request.take() {
            Some(late) if late.ends <= Instant::now() => Err(late.response),
            _ => Ok(done),
        }
    }
}

fn lock(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn watch_forever((watch, earlier): &(Mutex<Watch>, Condvar)) {
    let mut watch = lock(watch);
    loop {
        let now = Instant::now();
        if let Some(late) = watch.request.take_if(|request| request.ends <= now) {
            eprintln!("svc-sim: the deadline of {} ms passed", late.milliseconds);
            let mut output = std::io::stdout().lock();
            let _ = output.write_all(&late.response);
            let _ = output.write_all(b"\n").and_then(|()| output.flush());
            std::process::exit(1);
        }
        watch.next_look = watch.request.as_ref().map(|request| request.ends);
        watch = match watch.next_look {
            None => earlier.wait(watch).unwrap_or_else(|poisoned| poisoned.into_inner()),
            Some(look) => {
                let woken = earlier.wait_timeout(watch, look - now);
                woken.unwrap_or_else(|poisoned| poisoned.into_inner()).0
            }
        };
    }
}
