// svc-sim without a process. An instance is what one `svc-sim serve` or one `svc-sim engine` is: it
// gets the bytes that stdin would get, and returns those that stdout would have. Whoever runs the
// module bounds its time by ending the worker, and throws away an instance that has trapped.

use std::{cell::RefCell, panic, sync::Once};
#[cfg(not(feature = "recording"))]
use svc_sim::engine::Stepped;
use svc_sim::respond::{respond, Session};

thread_local! {
    static SESSION: Session = Session::start();
    #[cfg(not(feature = "recording"))]
    static ENGINE: RefCell<Stepped> = RefCell::default();
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

#[link(wasm_import_module = "svc")]
extern "C" {
    /// Receives the text that a process would write to stderr.
    fn log(text: *const u8, bytes: usize);
}

/// The length of an output that does not exist, because the input could not be read.
#[cfg(not(feature = "recording"))]
const UNREADABLE: usize = usize::MAX;

/// Returns the address of new memory for an input. The function that gets the input frees it.
#[no_mangle]
pub extern "C" fn svc_input(bytes: usize) -> *mut u8 {
    let input: Box<[u8]> = vec![0; bytes].into();
    Box::into_raw(input).cast()
}

/// Answers one request of `svc-sim serve`. Returns the length of the answer, a line without its
/// end.
///
/// # Safety
///
/// `input` is what `svc_input(bytes)` returned, and is used once.
#[no_mangle]
pub unsafe extern "C" fn svc_serve(input: *mut u8, bytes: usize) -> usize {
    log_panics();
    // SAFETY: the caller keeps the contract above.
    let input = unsafe { take(input, bytes) };
    let answer = SESSION.with(|session| respond(&String::from_utf8_lossy(&input), session, false));
    put(answer.line)
}

/// Handles whole messages of `svc-sim engine`. Returns the length of its lines by then, or
/// `UNREADABLE`; the instance is of no use after that.
///
/// # Safety
///
/// As for `svc_serve`.
#[cfg(not(feature = "recording"))]
#[no_mangle]
pub unsafe extern "C" fn svc_engine(input: *mut u8, bytes: usize) -> usize {
    log_panics();
    // SAFETY: the caller keeps the contract above.
    let input = unsafe { take(input, bytes) };
    match ENGINE.with_borrow_mut(|engine| engine.step(&input)) {
        Ok(lines) => put(lines),
        Err(error) => {
            write_log(&error.to_string());
            UNREADABLE
        }
    }
}

/// Returns the address of the latest output. It is valid until the next call.
#[no_mangle]
pub extern "C" fn svc_output() -> *const u8 {
    OUTPUT.with_borrow(|output| output.as_ptr())
}

unsafe fn take(input: *mut u8, bytes: usize) -> Box<[u8]> {
    // SAFETY: `svc_input` made a box of this length, and nobody else has it.
    unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(input, bytes)) }
}

fn put(output: Vec<u8>) -> usize {
    OUTPUT.with_borrow_mut(|kept| {
        *kept = output;
        kept.len()
    })
}

fn log_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| panic::set_hook(Box::new(|panic| write_log(&panic.to_string()))));
}

fn write_log(text: &str) {
    // SAFETY: the text lives longer than the call.
    unsafe { log(text.as_ptr(), text.len()) }
}
