// Request text → response line. A panic of svc-sim itself becomes an error response like any other.

// A build answers simulations or replays, never both.
#[cfg(feature = "recording")]
use crate::recording::{execute, wire::Request};
use crate::{
    definitions::Definitions,
    error::{Error, ErrorCode},
    process::{self, Deadline},
    wire::{
        request::RequestId,
        response::{Failure, Response, FORMAT},
    },
};
#[cfg(not(feature = "recording"))]
use crate::{replay::execute, wire::request::Request};
use serde::Serialize;
use serde_json::value::RawValue;
use std::{
    cell::RefCell,
    panic::{self, AssertUnwindSafe},
};

/// One line of JSON, without a line feed.
pub struct Answer {
    pub line: Vec<u8>,
    pub is_error: bool,
}

impl Answer {
    pub fn error(id: Option<&RawValue>, error: Error) -> Answer {
        Answer { line: to_line(id, Failure { error }), is_error: true }
    }
}

/// What one process keeps from request to request.
pub struct Session {
    deadline: Deadline,
    definitions: RefCell<Definitions>,
}

impl Session {
    pub fn start() -> Session {
        Session { deadline: Deadline::start(), definitions: RefCell::default() }
    }
}

/// Parses the request, sets its memory limit where the process has no other requests (`one_shot`),
/// and answers within its deadline.
pub fn respond(request_text: &str, session: &Session, one_shot: bool) -> Answer {
    let request: Request = match serde_json::from_str(request_text) {
        Ok(request) => request,
        Err(error) => return not_answerable(request_text, &error),
    };
    if let Some(bytes) = request.options.memory_limit_bytes.filter(|_| one_shot) {
        process::limit_memory(bytes);
    }
    let milliseconds = request.options.deadline_milliseconds;
    let message = format!("{} passed", process::time_limits(milliseconds));
    let late = Answer::error(request.id, Error::new(ErrorCode::Deadline, message));
    session
        .deadline
        .watch(milliseconds, late.line, || answer(&request, &session.definitions))
        .unwrap_or_else(|line| Answer { line, is_error: true })
}

fn not_answerable(request_text: &str, error: &serde_json::Error) -> Answer {
    let read: Option<RequestId> = serde_json::from_str(request_text).ok();
    let (id, simulation) =
        read.map_or((None, false), |request| (request.id, request.simulation.is_some()));
    let error = if simulation && !cfg!(feature = "recording") {
        let message = "this svc-sim replays transactions; svc-sim-recording simulates them";
        Error::new(ErrorCode::WrongBuild, message)
    } else {
        Error::bad_request(format!("the request is not valid: {error}"))
    };
    Answer::error(id, error)
}

fn answer(request: &Request, definitions: &RefCell<Definitions>) -> Answer {
    let executed = panic::catch_unwind(AssertUnwindSafe(|| {
        definitions.borrow_mut().update(&request.define, &request.forget);
        execute(request, &definitions.borrow())
    }));
    match executed {
        Ok(Ok(body)) => Answer { line: to_line(request.id, body), is_error: false },
        Ok(Err(error)) => Answer::error(request.id, error),
        Err(_) => {
            let message = "svc-sim panicked; stderr has the details";
            Answer::error(request.id, Error::new(ErrorCode::SimPanic, message))
        }
    }
}

fn to_line(id: Option<&RawValue>, body: impl Serialize) -> Vec<u8> {
    serde_json::to_vec(&Response { id, format: FORMAT, body })
        .expect("a response holds nothing that JSON cannot")
}
