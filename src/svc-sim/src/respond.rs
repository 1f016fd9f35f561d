// Answers a request's text with a response line. A panic of svc-sim itself becomes an error
// response like any other.

// A build answers either simulations or replays.
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
use crate::{replay, stepping::session, wire::request::Request};
use serde::Serialize;
use serde_json::value::RawValue;
use std::{
    cell::RefCell,
    io::{self, Write},
    panic::{self, AssertUnwindSafe},
};

const USUAL_RESPONSE_BYTES: usize = 16 * 1024;

/// The answer: one line of JSON, without a line feed.
pub struct Answer {
    pub line: Vec<u8>,
    pub is_error: bool,
}

impl Answer {
    pub fn error(id: Option<&RawValue>, error: Error) -> Answer {
        Answer { line: to_line(id, Failure { error }), is_error: true }
    }
}

/// State that one process keeps between requests.
pub struct Session {
    deadline: Deadline,
    definitions: RefCell<Definitions>,
    #[cfg(not(feature = "recording"))]
    travel: RefCell<Option<session::Session>>,
}

impl Session {
    pub fn start() -> Session {
        Session {
            deadline: Deadline::start(|line| {
                let mut output = io::stdout().lock();
                let _ = output.write_all(line).and_then(|()| output.write_all(b"\n"));
                let _ = output.flush();
            }),
            definitions: RefCell::default(),
            #[cfg(not(feature = "recording"))]
            travel: RefCell::default(),
        }
    }
}

/// Parses the request and answers within its deadline. With `one_shot` the process has no other
/// requests, and this one's memory limit is set.
pub fn respond(request_text: &str, session: &Session, one_shot: bool) -> Answer {
    let request: Request = match serde_json::from_str(request_text) {
        Ok(request) => request,
        Err(error) => return without_transaction(request_text, &error, session),
    };
    if let Some(bytes) = request.options.memory_limit_bytes.filter(|_| one_shot) {
        process::limit_memory(bytes);
    }
    within(session, request.id, request.options.deadline_milliseconds, || answer(&request, session))
}

/// Runs work within the deadline. Past it, the answer is an error that says so.
fn within(
    session: &Session,
    id: Option<&RawValue>,
    milliseconds: u64,
    answer: impl FnOnce() -> Answer,
) -> Answer {
    let id = id.map(ToOwned::to_owned);
    let late = move || {
        let message = format!("{} passed", process::time_limits(milliseconds));
        Answer::error(id.as_deref(), Error::new(ErrorCode::Deadline, message)).line
    };
    let answered = session.deadline.watch(milliseconds, late, answer);
    answered.unwrap_or_else(|line| Answer { line, is_error: true })
}

#[cfg(not(feature = "recording"))]
fn without_transaction(text: &str, error: &serde_json::Error, session: &Session) -> Answer {
    let read: Option<RequestId> = serde_json::from_str(text).ok();
    let Some(RequestId { id, travel: Some(travel), .. }) = read else {
        return not_answerable(text, error);
    };
    within(session, id, process::usual_deadline_milliseconds(), || {
        let answered = match serde_json::from_str(travel.get()) {
            Err(error) => Ok(Err(Error::bad_request(format!("the request is not valid: {error}")))),
            Ok(travel) => {
                panic::catch_unwind(AssertUnwindSafe(|| replay::travel(travel, &session.travel)))
            }
        };
        finished(id, answered)
    })
}

#[cfg(feature = "recording")]
fn without_transaction(text: &str, error: &serde_json::Error, _session: &Session) -> Answer {
    not_answerable(text, error)
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

fn answer(request: &Request, session: &Session) -> Answer {
    let executed = panic::catch_unwind(AssertUnwindSafe(|| {
        session.definitions.borrow_mut().update(&request.define, &request.forget);
        let definitions = session.definitions.borrow();
        #[cfg(feature = "recording")]
        return execute(request, &definitions);
        #[cfg(not(feature = "recording"))]
        replay::execute(request, &definitions, &session.travel)
    }));
    finished(request.id, executed)
}

fn finished<Body: Serialize>(
    id: Option<&RawValue>,
    executed: std::thread::Result<Result<Body, Error>>,
) -> Answer {
    match executed {
        Ok(Ok(body)) => Answer { line: to_line(id, body), is_error: false },
        Ok(Err(error)) => Answer::error(id, error),
        Err(_) => {
            let message = "svc-sim panicked; stderr has the details";
            Answer::error(id, Error::new(ErrorCode::SimPanic, message))
        }
    }
}

fn to_line(id: Option<&RawValue>, body: impl Serialize) -> Vec<u8> {
    let mut line = Vec::with_capacity(USUAL_RESPONSE_BYTES);
    serde_json::to_writer(&mut line, &Response { id, format: FORMAT, body })
        .expect("a response holds nothing that JSON cannot");
    line
}
