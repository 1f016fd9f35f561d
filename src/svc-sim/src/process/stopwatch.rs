// The time that the host of a transaction takes. WebAssembly has no clock, so the module imports
// one.

/// A running stopwatch.
pub struct Stopwatch {
    #[cfg(not(target_family = "wasm"))]
    start: std::time::Instant,
    #[cfg(target_family = "wasm")]
    start_milliseconds: f64,
}

#[cfg(not(target_family = "wasm"))]
impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { start: std::time::Instant::now() }
    }

    pub fn nanoseconds(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

#[cfg(target_family = "wasm")]
#[link(wasm_import_module = "svc")]
extern "C" {
    /// Milliseconds since some moment, with a fraction.
    #[link_name = "now"]
    fn now_milliseconds() -> f64;
}

#[cfg(target_family = "wasm")]
impl Stopwatch {
    pub fn start() -> Stopwatch {
        // SAFETY: an import without pointers.
        Stopwatch { start_milliseconds: unsafe { now_milliseconds() } }
    }

    pub fn nanoseconds(&self) -> u64 {
        // SAFETY: an import without pointers.
        ((unsafe { now_milliseconds() } - self.start_milliseconds) * 1e6) as u64
    }
}
