// What was spent, by stack: contract frames and host calls as they nest, the cost type innermost.
// Invariant: the stacks' sums are the metered totals, exactly; what no cost type explains stands in a
// stack of its own.

use crate::{
    hosts::interface::Spent,
    wire::{Profile, ProfileStack},
};
use std::collections::BTreeMap;

const WASM: &str = "WasmInsnExec";
const NOT_ATTRIBUTED: &str = "(not attributed)";

#[derive(Default)]
pub struct ProfileBuilder {
    open: Vec<Frame>,
    /// The innermost frame has only just begun: no wasm of its own ran yet.
    just_opened: bool,
    spent: BTreeMap<Vec<String>, (u64, u64)>,
}

struct Frame {
    name: String,
    is_host_call: bool,
}

impl ProfileBuilder {
    /// What was spent since the last change of the stack.
    pub fn add(&mut self, spent: &[Spent]) {
        for spent in spent {
            let own = if spent.cost_type == WASM { self.wasm_frames() } else { self.open.len() };
            let names = self.open[..own].iter().map(|frame| frame.name.clone());
            let stack: Vec<String> = names.chain([spent.cost_type.to_string()]).collect();
            let sums = self.spent.entry(stack).or_default();
            sums.0 += spent.cpu;
            sums.1 += spent.memory;
        }
        self.just_opened = false;
    }

    /// The host charges wasm when a host call begins, so it is still the caller's: that of the
    /// innermost contract which has begun.
    fn wasm_frames(&self) -> usize {
        let begun = self.open.len() - usize::from(self.just_opened);
        let host_calls =
            self.open[..begun].iter().rev().take_while(|frame| frame.is_host_call).count();
        begun - host_calls
    }

    pub fn open_frame(&mut self, name: String) {
        self.open.push(Frame { name, is_host_call: false });
        self.just_opened = true;
    }

    /// A contract's frame; host calls inside it that never returned end with it.
    pub fn close_frame(&mut self) {
        while self.open.pop().is_some_and(|frame| frame.is_host_call) {}
    }

    pub fn open_host_call(&mut self, name: &str) {
        self.open.push(Frame { name: name.to_string(), is_host_call: true });
    }

    pub fn close_host_call(&mut self) {
        if self.open.last().is_some_and(|frame| frame.is_host_call) {
            self.open.pop();
        }
    }

    /// `cpu` and `memory`: the metered totals.
    pub fn finish(mut self, cpu: u64, memory: u64) -> Profile {
        let sum = |part: fn(&(u64, u64)) -> u64| self.spent.values().map(part).sum::<u64>();
        let left = (cpu.saturating_sub(sum(|s| s.0)), memory.saturating_sub(sum(|s| s.1)));
        if left != (0, 0) {
            self.spent.insert(vec![NOT_ATTRIBUTED.to_string()], left);
        }
        let stack = |(frames, (cpu, memory)): (Vec<String>, (u64, u64))| ProfileStack {
            frames,
            cpu: cpu.to_string(),
            memory: memory.to_string(),
        };
        Profile { stacks: self.spent.into_iter().map(stack).collect() }
    }
}
