// The limits of the process itself. It runs untrusted wasm, so its address space, time and CPU time
// are limited in addition to the host's budget. It ends with its parent.

#![allow(unsafe_code)]

use std::{
    io::Write,
    panic::{self, AssertUnwindSafe},
    sync::{
        atomic::{AtomicU64, Ordering},
        Arc, Condvar, Mutex, MutexGuard,
    },
    time::{Duration, Instant},
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

/// The CPU time of the process so far. `None` if the system does not report it; there is no limit
/// then.
#[cfg(unix)]
fn cpu_time() -> Option<Duration> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a plain system call that writes to a local value.
    let known = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) } == 0;
    known.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

#[cfg(not(unix))]
fn cpu_time() -> Option<Duration> {
    None
}

/// A thread that watches the deadline. A host cannot be interrupted. Past the deadline the process
/// answers the current request with `DEADLINE`, and ends.
pub struct Deadline {
    shared: Arc<(Mutex<Watch>, Condvar)>,
}

#[derive(Default)]
struct Watch {
    request: Option<Watched>,
    /// The next time at which the thread wakes by itself. Only an earlier deadline wakes it sooner,
    /// because most requests end long before their deadline.
    next_look: Option<Instant>,
}

struct Watched {
    ends: Instant,
    /// The CPU time of the process at which the request has used up its limit.
    cpu_ends: Option<Duration>,
    late: Late,
}

/// Makes the error response.
type Late = Box<dyn FnOnce() -> Vec<u8> + Send>;

impl Watched {
    /// The earliest time at which the limit can be reached: CPU time passes no faster than time.
    fn next_look(&self, now: Instant) -> Instant {
        let left = |ends: Duration| Some(now + ends.saturating_sub(cpu_time()?));
        self.cpu_ends.and_then(left).map_or(self.ends, |look| look.min(self.ends))
    }
}

impl Deadline {
    /// Starts the thread. `deliver` writes the error response of a request whose time has passed;
    /// then the process ends. The working thread may be anywhere in `work` meanwhile, so `work`
    /// must not hold a lock that `deliver` needs.
    pub fn start(deliver: impl Fn(&[u8]) + Send + 'static) -> Deadline {
        let shared = Arc::new((Mutex::new(Watch::default()), Condvar::new()));
        let watching = shared.clone();
        std::thread::spawn(move || {
            let late = wait_for_late(&watching);
            print_to_stderr("the time limit of a request passed");
            // The process ends whether or not the response was delivered.
            let _ = panic::catch_unwind(AssertUnwindSafe(|| deliver(&late())));
            std::process::exit(1);
        });
        Deadline { shared }
    }

    /// Runs `work`. Past the deadline the process delivers the response that `late` makes, and
    /// ends. If `work` ended just then, `Err` returns that response.
    pub fn watch<T>(
        &self,
        milliseconds: u64,
        late: impl FnOnce() -> Vec<u8> + Send + 'static,
        work: impl FnOnce() -> T,
    ) -> Result<T, Vec<u8>> {
        let cpu_limit = cpu_limit();
        let now = Instant::now();
        let ends = after(now, Duration::from_millis(milliseconds));
        let cpu_ends = cpu_limit.and_then(|cpu| Some(cpu_time()?.saturating_add(cpu)));
        let (watch, earlier) = &*self.shared;
        {
            let first_look = cpu_limit.map_or(ends, |cpu| ends.min(after(now, cpu)));
            let mut watch = lock(watch);
            watch.request = Some(Watched { ends, cpu_ends, late: Box::new(late) });
            if watch.next_look.is_none_or(|look| first_look < look) {
                earlier.notify_one();
            }
        }
        let done = work();
        let watched = lock(watch).request.take();
        match watched {
            // The watching thread has taken the request: it answers and ends the process.
            None => loop {
                std::thread::park();
            },
            Some(watched) if watched.ends <= Instant::now() => Err((watched.late)()),
            Some(_) => Ok(done),
        }
    }
}

/// The moment `time` after `now`, or a century from now if no such moment exists.
fn after(now: Instant, time: Duration) -> Instant {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 24 * 3600);
    now.checked_add(time).unwrap_or(now + CENTURY)
}

fn lock(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits for a deadline to pass. It returns without the lock, because the caller may then wait for
/// the working thread, which needs the lock.
fn wait_for_late((watch, earlier): &(Mutex<Watch>, Condvar)) -> Late {
    let mut watch = lock(watch);
    loop {
        let now = Instant::now();
        if let Some(watched) = watch.request.take_if(|request| request.next_look(now) <= now) {
            return watched.late;
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
