// Where instrumented code was when it failed: its marks (locate/instrument.rs) come as calls of the
// host's log, and make the stack of its functions.

use super::soroban_env_host::{
    xdr::{ScErrorCode, ScErrorType},
    Error, Host, HostError, TraceEvent, TraceHook,
};
use crate::{
    hosts::interface::{CodeFrame, FailureSite, TraceStepKind},
    locate::instrument::mark,
};
use std::{cell::RefCell, rc::Rc};

/// About four seconds' worth; a contract that needs more is not located.
const MOST_MARKS: usize = 2_000_000;
/// Wasm's own stack ends long before.
const DEEPEST: usize = 100_000;

#[derive(Default)]
pub struct Sites {
    /// Of each contract frame that is open, the functions that have begun and not ended.
    open: Vec<Vec<CodeFrame>>,
    marks: usize,
    found: FailureSite,
}

impl Sites {
    fn mark(&mut self, kind: u32, value: u32) -> bool {
        self.marks += 1;
        if let Some(stack) = self.open.last_mut() {
            match kind {
                mark::ENTER if stack.len() < DEEPEST => {
                    stack.push(CodeFrame { function: value, at: None });
                }
                mark::AT => {
                    if let Some(frame) = stack.last_mut() {
                        frame.at = Some(value);
                    }
                }
                mark::BACK => {
                    // The function that was called ended without a word.
                    while stack.last().is_some_and(|frame| frame.at != Some(value)) {
                        stack.pop();
                    }
                    if let Some(frame) = stack.last_mut() {
                        frame.at = None;
                    }
                }
                _ => {}
            }
        }
        self.marks <= MOST_MARKS
    }

    fn push(&mut self, label: String) {
        self.forget_failure();
        self.found.frames.push(TraceStepKind::Push(label));
        self.open.push(vec![]);
    }

    fn pop(&mut self, ok: bool) {
        self.found.frames.push(TraceStepKind::Pop { ok });
        let stack = self.open.pop().unwrap_or_default();
        match ok {
            true => self.forget_failure(),
            // The frames above it fail with it.
            false if self.found.stack.is_none() => {
                self.found.stack = Some(stack.into_iter().rev().collect());
            }
            false => {}
        }
    }

    /// What failed was caught.
    fn forget_failure(&mut self) {
        self.found.stack = None;
    }

    pub fn found(self) -> FailureSite {
        self.found
    }
}

pub fn site_hook(sites: Rc<RefCell<Sites>>, secret: [u32; 2]) -> TraceHook {
    Rc::new(move |_: &Host, event: TraceEvent| {
        let mut sites = sites.borrow_mut();
        match &event {
            TraceEvent::EnvCall("log_from_linear_memory", arguments) => {
                let numbers: Vec<u32> = arguments.iter().filter_map(|v| number(&format!("{v:?}"))).collect();
                if let [kind, value, first, second] = numbers[..] {
                    if [first, second] == secret && !sites.mark(kind, value) {
                        let error =
                            Error::from_type_and_code(ScErrorType::Budget, ScErrorCode::ExceededLimit);
                        return Err(HostError::from(error));
                    }
                }
            }
            TraceEvent::EnvCall(..) | TraceEvent::EnvRet(_, Ok(_)) => sites.forget_failure(),
            TraceEvent::PushCtx(..) => {
                let text = event.to_string();
                let label = text.strip_prefix("push ").unwrap_or(&text);
                sites.push(label.split('(').next().unwrap_or(label).to_string());
            }
            TraceEvent::PopCtx(..) => sites.pop(event.to_string().contains(" -> Ok(")),
            _ => {}
        }
        Ok(())
    })
}

/// `U32(7)`, the host's own text for a U32Val.
fn number(text: &str) -> Option<u32> {
    text.strip_prefix("U32(")?.strip_suffix(')')?.parse().ok()
}
