// The process's own limits: it runs untrusted wasm, so besides the host's budget there are an
// address-space limit, a deadline, a limit of CPU time, and death with the parent.

use crate::{respond::Answer, wire::WireError};
use serde_json::value::RawValue;
use std::{
    io::Write,
    sync::{
        atomic::{AtomicU64, Ordering},
        Arc, Condvar, Mutex, MutexGuard,
    },
    time::{Duration, Instant},
};

pub const DEFAULT_MEMORY_LIMIT_BYTES: u64 = 4 << 30;

/// CPU time of one request; 0: no limit.
static CPU_LIMIT_MILLISECONDS: AtomicU64 = AtomicU64::new(0);

/// Sets the limits of `serve`. False: they are not what `serve` takes.
pub fn limit_serving(arguments: &[&str]) -> bool {
    let (pairs, rest) = arguments.as_chunks::<2>();
    let mut memory_bytes = DEFAULT_MEMORY_LIMIT_BYTES;
    for [name, value] in pairs {
        match (*name, value.parse()) {
            ("--memory-bytes", Ok(bytes)) => memory_bytes = bytes,
            ("--cpu-milliseconds", Ok(limit)) => {
                CPU_LIMIT_MILLISECONDS.store(limit, Ordering::Relaxed);
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
        eprintln!(
            "svc-sim: the memory limit could not be set: {}",
            std::io::Error::last_os_error()
        );
    }
}

#[cfg(not(unix))]
pub fn limit_memory(_bytes: u64) {}

/// Keeps freed memory for the next request. glibc would hand it back after each invocation, and
/// fetching it again costs several times what the host does with it. Large blocks still come from
/// fresh, already zeroed pages.
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

/// Linux tells a child when its parent dies; elsewhere the end of stdin has to do.
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

fn cpu_limit() -> Option<Duration> {
    let milliseconds = CPU_LIMIT_MILLISECONDS.load(Ordering::Relaxed);
    (milliseconds > 0).then(|| Duration::from_millis(milliseconds))
}

/// CPU time of the process so far; none where the system does not tell, which then has no limit.
#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that writes to a local value.
    let told = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) } == 0;
    told.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}

/// One watching thread. A host cannot be interrupted, so past the deadline the process answers
/// `DEADLINE` for the request at hand and ends.
pub struct Deadline {
    shared: Arc<(Mutex<Watch>, Condvar)>,
}

#[derive(Default)]
struct Watch {
    request: Option<Watched>,
    /// When the thread looks next of its own accord. It is woken only for an earlier deadline: most
    /// requests are over long before theirs.
    next_look: Option<Instant>,
}

struct Watched {
    ends: Instant,
    /// CPU time of the process at which the request has used its own.
    cpu_ends: Option<Duration>,
    /// The error response, ready to write.
    response: Vec<u8>,
}

impl Watched {
    /// When it can be over at the earliest: its CPU time does not pass faster than the time.
    fn next_look(&self, now: Instant) -> Instant {
        let left = |ends: Duration| Some(now + ends.saturating_sub(cpu_time()?));
        self.cpu_ends.and_then(left).map_or(self.ends, |look| look.min(self.ends))
    }
}

impl Deadline {
    pub fn start() -> Deadline {
        let shared = Arc::new((Mutex::new(Watch::default()), Condvar::new()));
        let watching = shared.clone();
        std::thread::spawn(move || watch_forever(&watching));
        Deadline { shared }
    }

    pub fn watch(
        &self,
        id: Option<&RawValue>,
        milliseconds: u64,
        work: impl FnOnce() -> Answer,
    ) -> Answer {
        let cpu_limit = cpu_limit();
        let message = match cpu_limit {
            None => format!("the deadline of {milliseconds} ms passed"),
            Some(cpu) => format!("{milliseconds} ms passed, or {} ms of CPU time", cpu.as_millis()),
        };
        let now = Instant::now();
        let ends = now + Duration::from_millis(milliseconds);
        let cpu_ends = cpu_limit.and_then(|cpu| Some(cpu_time()? + cpu));
        let response = Answer::error(id, WireError::new("DEADLINE", message)).line;
        let (watch, earlier) = &*self.shared;
        {
            let first_look = cpu_limit.map_or(ends, |cpu| ends.min(now + cpu));
            let mut watch = lock(watch);
            watch.request = Some(Watched { ends, cpu_ends, response });
            if watch.next_look.is_none_or(|look| first_look < look) {
                earlier.notify_one();
            }
        }
        let answer = work();
        // Taken back by whoever is first: past the deadline the watching thread, or this one.
        match lock(watch).request.take() {
            Some(late) if late.ends <= Instant::now() => {
                Answer { line: late.response, is_error: true }
            }
            _ => answer,
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
        if let Some(late) = watch.request.take_if(|request| request.next_look(now) <= now) {
            eprintln!("svc-sim: the time limit of a request passed");
            let mut output = std::io::stdout().lock();
            let _ = output.write_all(&late.response);
            let _ = output.write_all(b"\n").and_then(|()| output.flush());
            std::process::exit(1);
        }
        watch.next_look = watch.request.as_ref().map(|request| request.next_look(now));
        watch = match watch.next_look {
            None => earlier.wait(watch).unwrap_or_else(|poisoned| poisoned.into_inner()),
            Some(look) => {
                let woken = earlier.wait_timeout(watch, look - now);
                woken.unwrap_or_else(|poisoned| poisoned.into_inner()).0
            }
        };
    }
}
