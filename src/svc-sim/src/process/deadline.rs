// The deadline of a request, with a thread that watches it.

use super::{cpu_limit, print_to_stderr};
use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    time::{Duration, Instant},
};

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
