// Records a run for stepping through it. As in `trace_hook.rs`, nothing of it is metered. Objects
// are logged back to the host, here once for each handle, because objects never change.

use super::soroban_env_host::{
    budget::{AsBudget, Budget},
    xdr::{ContractCostType, ContractEventBody, DiagnosticEvent, Limits, ScVal, WriteXdr},
    EnvBase, Host, TraceEvent, TraceHook, Val,
};
use crate::hosts::{
    payloads,
    recorded::{RecordedKind, RecordedRun, RecordedStep, RecordedValue, NOTABLE, WRITES_MEMORY},
    traced_text,
};
use std::{
    cell::{Cell, RefCell},
    collections::{hash_map::RandomState, HashMap},
    hash::BuildHasher,
    rc::Rc,
};

/// Several times what the network's limits allow one transaction.
const MAX_STEPS: usize = 2_000_000;
const MAX_VALUE_BYTES: usize = 256 * 1024;
const MAX_TOTAL_VALUE_BYTES: usize = 16 * 1024 * 1024;
const SHADOW_MEMORY_BYTES: u64 = 1024 * 1024 * 1024;
/// The number of values, with the values inside them, that are kept only for a look at variables.
const MOST_OTHER_VALUES: u64 = 100_000;
/// The assumed size of an object that came from storage, memory or another contract.
const UNKNOWN_SIZE: u64 = 32;

#[derive(Clone)]
pub struct Recording {
    taken: Rc<RefCell<Taken>>,
    /// The name under which handles are logged.
    name: Rc<str>,
}

#[derive(Default)]
struct Taken {
    run: RecordedRun,
    known: HashMap<u32, Known>,
    /// Objects that nothing has needed yet, in the order of their creation.
    unlogged: Vec<Object>,
    /// The objects of host calls that have not returned.
    open: Vec<Vec<Object>>,
}

/// A tag and a handle.
type Object = (u8, u32);

#[derive(Clone, Copy)]
struct Known {
    size: u64,
    logged: bool,
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
            let objects = match event {
                TraceEvent::Begin => {
                    let _ = host.set_shadow_budget_limits(u64::MAX, SHADOW_MEMORY_BYTES);
                    return Ok(());
                }
                TraceEvent::End => taken.borrow_mut().latest(),
                _ => match read(&event) {
                    Some((kind, values)) => taken.borrow_mut().add(kind, values, host.as_budget()),
                    None => return Ok(()),
                },
            };
            for (tag, handle) in objects {
                let object = Val::from_payload((u64::from(handle) << 32) | u64::from(tag));
                logging.set(true);
                // The host does not report errors in its logging. The value is unknown then.
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
    /// Adds the objects that stepping needs and that are new.
    fn add(
        &mut self,
        kind: RecordedKind,
        values: Vec<RecordedValue>,
        budget: &Budget,
    ) -> Vec<Object> {
        if self.run.steps.len() >= MAX_STEPS {
            self.run.cut = true;
            return vec![];
        }
        let of_values = values.iter().filter_map(|value| match value {
            RecordedValue::Object { tag, handle } => Some((*tag, *handle)),
            _ => None,
        });
        let mut objects: Vec<Object> = of_values.collect();
        let needed = match &kind {
            RecordedKind::Push(label) => {
                let name = traced_text::symbol_handle(label);
                objects.extend(name.map(|handle| (payloads::SYMBOL_TAG, handle)));
                objects.clone()
            }
            RecordedKind::Pop { .. } => {
                self.open.clear();
                objects.clone()
            }
            RecordedKind::HostCall(name) if NOTABLE.contains(name) => objects.clone(),
            RecordedKind::HostCall(name) if WRITES_MEMORY.contains(name) => {
                objects.first().copied().into_iter().collect()
            }
            RecordedKind::HostCall(_) => vec![],
            RecordedKind::HostReturn { ok } => {
                let arguments = self.open.pop().unwrap_or_default();
                let size = self.made_of(&arguments);
                for (_, handle) in &objects {
                    self.known.entry(*handle).or_insert(Known { size, logged: false });
                }
                if *ok {
                    vec![]
                } else {
                    [arguments, objects.clone()].concat()
                }
            }
        };
        for object in &objects {
            let new = Known { size: UNKNOWN_SIZE, logged: false };
            if !self.known.entry(object.1).or_insert(new).logged {
                self.unlogged.push(*object);
            }
        }
        if let RecordedKind::HostCall(_) = kind {
            self.open.push(objects);
        }
        let wasm = budget.get_tracker(ContractCostType::WasmInsnExec);
        self.run.steps.push(RecordedStep {
            kind,
            cpu_instructions: budget.get_cpu_insns_consumed().unwrap_or(0),
            memory_bytes: budget.get_mem_bytes_consumed().unwrap_or(0),
            fuel: wasm.as_ref().map_or(0, |tracker| tracker.iterations),
            wasm_instructions: wasm.map_or(0, |tracker| tracker.cpu),
            values,
        });
        needed.into_iter().filter(|(_, handle)| self.take(*handle)).collect()
    }

    /// The last of the other objects. A vector that grows by one value at a time is another object
    /// each time, and all of them together have the square of its values.
    fn latest(&mut self) -> Vec<Object> {
        let mut left = MOST_OTHER_VALUES;
        let mut latest = vec![];
        for (tag, handle) in std::mem::take(&mut self.unlogged).into_iter().rev() {
            let Some(known) = self.known.get(&handle).copied().filter(|known| !known.logged) else {
                continue;
            };
            let Some(less) = left.checked_sub(known.size) else { break };
            left = less;
            self.take(handle);
            latest.push((tag, handle));
        }
        latest
    }

    /// Returns true if the handle was not taken before.
    fn take(&mut self, handle: u32) -> bool {
        self.known.get_mut(&handle).is_some_and(|known| !std::mem::replace(&mut known.logged, true))
    }

    /// The size of an object that a host function makes of its arguments.
    fn made_of(&self, arguments: &[Object]) -> u64 {
        let size_of = |handle| self.known.get(handle).map_or(UNKNOWN_SIZE, |known| known.size);
        let sizes = arguments.iter().map(|(_, handle)| size_of(handle)).sum::<u64>();
        if arguments.is_empty() {
            UNKNOWN_SIZE
        } else {
            sizes + 1
        }
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
