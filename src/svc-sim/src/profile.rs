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
            // The host charges wasm when a host call begins, so it is still the caller's.
            let own = match self.open.last() {
                Some(frame) if frame.is_host_call && spent.cost_type == WASM => self.open.len() - 1,
                _ => self.open.len(),
            };
            let names = self.open[..own].iter().map(|frame| frame.name.clone());
            let stack: Vec<String> = names.chain([spent.cost_type.to_string()]).collect();
            let sums = self.spent.entry(stack).or_default();
            sums.0 += spent.cpu;
            sums.1 += spent.memory;
        }
    }

    pub fn open_frame(&mut self, name: String) {
        self.open.push(Frame { name, is_host_call: false });
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
