// The process's own limits: it runs untrusted wasm, so besides the host's budget there are an
// address-space limit, a deadline, and death with the parent.

use crate::{respond::Answer, wire::WireError};
use serde_json::value::RawValue;
use std::{
    io::Write,
    sync::{Arc, Condvar, Mutex},
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

/// One watching thread. A host cannot be interrupted, so past the deadline the process answers
/// `DEADLINE` for the request at hand and ends.
pub struct Deadline {
    shared: Arc<(Mutex<Option<Watched>>, Condvar)>,
}

struct Watched {
    ends: Instant,
    milliseconds: u64,
    /// The error response, ready to write.
    response: Vec<u8>,
}

impl Deadline {
    pub fn start() -> Deadline {
        let shared = Arc::new((Mutex::new(None), Condvar::new()));
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
        let message = format!("the deadline of {milliseconds} ms passed");
        self.set(Some(Watched {
            ends: Instant::now() + Duration::from_millis(milliseconds),
            milliseconds,
            response: Answer::error(id, WireError::new("DEADLINE", message)).line,
        }));
        let answer = work();
        // Taken back by whoever is first: past the deadline the watching thread, or this one.
        match self.set(None) {
            Some(watched) if watched.ends <= Instant::now() => {
                Answer { line: watched.response, is_error: true }
            }
            _ => answer,
        }
    }

    fn set(&self, watched: Option<Watched>) -> Option<Watched> {
        let (slot, changed) = &*self.shared;
        let mut slot = slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let before = std::mem::replace(&mut *slot, watched);
        changed.notify_one();
        before
    }
}

fn watch_forever(shared: &(Mutex<Option<Watched>>, Condvar)) {
    let (slot, changed) = shared;
    let mut watched = slot.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    loop {
        let wait = match &*watched {
            None => Duration::from_secs(3600),
            Some(w) => w.ends.saturating_duration_since(Instant::now()),
        };
        if let Some(w) = watched.as_mut().filter(|_| wait.is_zero()) {
            eprintln!("svc-sim: the deadline of {} ms passed", w.milliseconds);
            w.response.push(b'\n');
            let mut output = std::io::stdout().lock();
            let _ = output.write_all(&w.response).and_then(|()| output.flush());
            std::process::exit(1);
        }
        watched =
            changed.wait_timeout(watched, wait).unwrap_or_else(|poisoned| poisoned.into_inner()).0;
    }
}
