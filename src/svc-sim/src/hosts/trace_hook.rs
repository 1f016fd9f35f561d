// Records a run: its frames, host calls and their values, with the meters at each. None of it is
// metered, because the host's own logging reads the values in its shadow budget.
//
// A host call's values come as text, and objects only as handles. A handle is logged back to the
// host under a name that no contract can know. The host writes the object's value into its
// diagnostics, where `finish` finds it.

use super::{
    soroban_env_host::{
        budget::{AsBudget, Budget},
        xdr::DiagnosticEvent,
        Host, TraceEvent, TraceHook,
    },
    trace_steps::{meters, Steps},
};
use crate::hosts::{
    trace::{Trace, TraceStep, TraceStepKind},
    traced_text,
};
use std::{
    cell::{Cell, RefCell},
    collections::hash_map::RandomState,
    hash::BuildHasher,
    rc::Rc,
};

/// Limits of the shadow budget while values are recorded: instructions have no limit, and memory
/// stays far below the process's own limit.
const SHADOW_MEMORY_BYTES: u64 = 512 * 1024 * 1024;

pub struct Recorder {
    trace: Trace,
    steps: Rc<RefCell<Steps>>,
    /// The name under which handles are logged.
    name: Rc<str>,
}

impl Recorder {
    pub fn new(trace: Trace) -> Recorder {
        let name = format!("{:016x}", RandomState::new().hash_one("svc-sim"));
        Recorder { trace, steps: Rc::default(), name: name.into() }
    }

    /// `None` if nothing is recorded.
    pub fn hook(&self) -> Option<TraceHook> {
        match self.trace {
            Trace::Nothing | Trace::Record => None,
            trace => Some(trace_hook(self.steps.clone(), trace, self.name.clone())),
        }
    }

    /// All steps with their values. The values are removed from the diagnostics.
    pub fn finish(
        &self,
        budget: &Budget,
        diagnostics: &mut Vec<DiagnosticEvent>,
    ) -> Vec<TraceStep> {
        let mut steps = self.steps.take();
        if self.trace == Trace::Profile {
            steps.take_step(TraceStepKind::End, meters(budget), self.trace, budget);
        }
        if self.trace == Trace::HostCalls {
            diagnostics.retain(|event| !steps.take_logged(event, &self.name));
            steps.bound_values();
        }
        steps.taken
    }
}

/// Records every frame with the meters at its start and end. A contract's frame starts where its
/// caller calls it, because instantiating the contract is its own work.
fn trace_hook(steps: Rc<RefCell<Steps>>, trace: Trace, name: Rc<str>) -> TraceHook {
    // Logging a value is a host call too.
    let logging = Cell::new(false);
    Rc::new(move |host: &Host, event: TraceEvent| {
        if logging.get() {
            return Ok(());
        }
        let budget = host.as_budget();
        let step = |kind, at| steps.borrow_mut().take_step(kind, at, trace, budget);
        let values = |texts: Vec<String>| {
            if trace == Trace::HostCalls {
                logging.set(true);
                steps.borrow_mut().take_values(&texts, host, &name);
                logging.set(false);
            }
        };
        match &event {
            TraceEvent::Begin if trace == Trace::HostCalls => {
                let _ = host.set_shadow_budget_limits(u64::MAX, SHADOW_MEMORY_BYTES);
            }
            TraceEvent::EnvCall(name, arguments) => {
                let now = meters(budget);
                if steps.borrow_mut().open_host_call(name, trace, now) {
                    step(TraceStepKind::HostCall(name), now);
                    values(arguments.iter().map(|value| format!("{value:?}")).collect());
                }
            }
            TraceEvent::EnvRet(_, result) => {
                let now = meters(budget);
                if steps.borrow_mut().close_host_call(now) {
                    step(TraceStepKind::HostReturn { ok: result.is_ok() }, now);
                    values(result.iter().map(|value| format!("{value:?}")).collect());
                }
            }
            TraceEvent::PushCtx(..) => {
                let now = meters(budget);
                let start = steps.borrow().start_of_frame(now);
                let label = traced_text::frame_label(&event.to_string());
                steps.borrow_mut().note_left_out(now, budget);
                steps.borrow_mut().open_frame(&label, now);
                step(TraceStepKind::Push(label), start);
            }
            TraceEvent::PopCtx(..) => {
                let ok = traced_text::frame_succeeded(&event.to_string());
                let now = meters(budget);
                steps.borrow_mut().note_left_out(now, budget);
                steps.borrow_mut().close_frame(now);
                step(TraceStepKind::Pop { ok }, now);
            }
            TraceEvent::Begin | TraceEvent::End => {}
        }
        Ok(())
    })
}
