// Records a run for stepping through it. As in `trace_hook.rs` nothing of it is metered, and objects
// are logged back to the host, here once for each handle, because objects never change.

use super::soroban_env_host::{
    budget::{AsBudget, Budget},
    xdr::{ContractCostType, ContractEventBody, DiagnosticEvent, Limits, ScVal, WriteXdr},
    EnvBase, Host, TraceEvent, TraceHook, Val,
};
use crate::hosts::{
    payloads,
    recorded::{RecordedKind, RecordedRun, RecordedStep, RecordedValue},
    traced_text,
};
use std::{
    cell::{Cell, RefCell},
    collections::{hash_map::RandomState, HashSet},
    hash::BuildHasher,
    rc::Rc,
};

/// Several times what the network's limits allow one transaction.
const MAX_STEPS: usize = 2_000_000;
const MAX_VALUE_BYTES: usize = 256 * 1024;
const MAX_TOTAL_VALUE_BYTES: usize = 16 * 1024 * 1024;
const SHADOW_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Clone)]
pub struct Recording {
    taken: Rc<RefCell<Taken>>,
    /// The name under which handles are logged.
    name: Rc<str>,
}

#[derive(Default)]
struct Taken {
    run: RecordedRun,
    logged: HashSet<u32>,
}

impl Recording {
    pub fn new() -> Recording {
        let name = format!("{:016x}", RandomState::new().hash_one("svc-sim"));
        Recording { taken: Rc::default(), name: name.into() }
    }

    pub fn hook(&self) -> TraceHook {
        let Recording { taken, name } = self.clone();
        // Logging a value is a host call too.
        let logging = Cell::new(false);
        Rc::new(move |host: &Host, event: TraceEvent| {
            if logging.get() {
                return Ok(());
            }
            if let TraceEvent::Begin = event {
                let _ = host.set_shadow_budget_limits(u64::MAX, SHADOW_MEMORY_BYTES);
            }
            let Some((kind, values)) = read(&event) else { return Ok(()) };
            let objects = taken.borrow_mut().add(kind, values, host.as_budget());
            for (tag, handle) in objects {
                let object = Val::from_payload((u64::from(handle) << 32) | u64::from(tag));
                logging.set(true);
                // Errors in its logging are not reported by the host. The value is unknown then.
                let _ = host.log_from_slice(&format!("{name}:{handle}"), &[object]);
                logging.set(false);
            }
            Ok(())
        })
    }

    /// The run with the values that were logged, which are removed from the diagnostics.
    pub fn finish(&self, diagnostics: &mut Vec<DiagnosticEvent>) -> RecordedRun {
        let mut run = std::mem::take(&mut self.taken.borrow_mut().run);
        let mut left = MAX_TOTAL_VALUE_BYTES;
        diagnostics.retain(|event| {
            let Some((handle, value)) = logged(event, &self.name) else { return true };
            let limits = Limits { depth: 200, len: MAX_VALUE_BYTES.min(left) };
            if let Ok(xdr) = value.to_xdr(limits) {
                left -= xdr.len();
                run.objects.insert(handle, xdr);
            }
            false
        });
        run
    }
}

impl Taken {
    /// The objects that are new.
    fn add(
        &mut self,
        kind: RecordedKind,
        values: Vec<RecordedValue>,
        budget: &Budget,
    ) -> Vec<(u8, u32)> {
        if self.run.steps.len() >= MAX_STEPS {
            self.run.cut = true;
            return vec![];
        }
        let mut objects = vec![];
        let name = match &kind {
            RecordedKind::Push(label) => traced_text::symbol_handle(label),
            _ => None,
        };
        let named = name.map(|handle| (payloads::SYMBOL_TAG, handle));
        let of_values = values.iter().filter_map(|value| match value {
            RecordedValue::Object { tag, handle } => Some((*tag, *handle)),
            _ => None,
        });
        for (tag, handle) in of_values.chain(named) {
            if self.logged.insert(handle) {
                objects.push((tag, handle));
            }
        }
        let wasm = budget.get_tracker(ContractCostType::WasmInsnExec);
        self.run.steps.push(RecordedStep {
            kind,
            cpu_instructions: budget.get_cpu_insns_consumed().unwrap_or(0),
            memory_bytes: budget.get_mem_bytes_consumed().unwrap_or(0),
            fuel: wasm.map_or(0, |tracker| tracker.iterations),
            values,
        });
        objects
    }
}

fn read(event: &TraceEvent) -> Option<(RecordedKind, Vec<RecordedValue>)> {
    let value = |text: String| payloads::recorded(&text);
    Some(match event {
        TraceEvent::EnvCall(name, arguments) => {
            let values = arguments.iter().map(|argument| value(format!("{argument:?}")));
            (RecordedKind::HostCall(name), values.collect())
        }
        TraceEvent::EnvRet(_, result) => {
            let text = match result {
                Ok(result) => format!("{result:?}"),
                Err(error) => format!("{:?}", error.error),
            };
            (RecordedKind::HostReturn { ok: result.is_ok() }, vec![value(text)])
        }
        TraceEvent::PushCtx(..) => {
            let text = event.to_string();
            let values = traced_text::frame_arguments(&text).into_iter().map(value);
            (RecordedKind::Push(traced_text::frame_label(&text)), values.collect())
        }
        TraceEvent::PopCtx(..) => {
            let text = event.to_string();
            let ok = traced_text::frame_succeeded(&text);
            (RecordedKind::Pop { ok }, vec![value(traced_text::frame_result(&text))])
        }
        TraceEvent::Begin | TraceEvent::End => return None,
    })
}

/// The handle and the value of a log entry of this recorder.
fn logged<'a>(event: &'a DiagnosticEvent, name: &str) -> Option<(u32, &'a ScVal)> {
    let ContractEventBody::V0(body) = &event.event.body;
    let ScVal::Vec(Some(values)) = &body.data else { return None };
    let [ScVal::String(message), value] = values.as_slice() else { return None };
    let message = message.to_utf8_string_lossy();
    let handle = message.strip_prefix(name)?.strip_prefix(':')?.parse().ok()?;
    Some((handle, value))
}
