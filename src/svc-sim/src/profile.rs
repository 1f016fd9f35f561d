// The costs of a run by stack: contract frames, the functions of their wasm if known, nested host
// calls, and innermost the cost type. Invariant: the stacks add up exactly to the metered totals.
// Costs that no cost type explains have their own stack.

use crate::{
    hosts::trace::Spent,
    wire::response::{Profile, ProfileFrame, ProfileFrameKind, ProfileStack},
};
use std::collections::{BTreeMap, HashMap};

const WASM: &str = "WasmInsnExec";
const NOT_ATTRIBUTED: &str = "(not attributed)";

/// The stack of code that is unknown or has not begun.
pub const NO_FUNCTION: usize = 0;

/// The functions of each frame. Frames and host calls are numbered in the order in which they
/// began.
pub struct FunctionFrames {
    pub stacks: Vec<FunctionStack>,
    /// For each frame, the fuel of each stack.
    pub shares: Vec<BTreeMap<usize, u64>>,
    /// The stack that made a host call.
    pub callers: HashMap<u32, usize>,
}

/// A function and the stack below it.
pub struct FunctionStack {
    pub below: usize,
    pub name: String,
    pub depth: u32,
}

impl FunctionFrames {
    /// The functions that were running at a host call, the outermost first.
    fn callers(&self, host_call: usize) -> Vec<ProfileFrame> {
        let number = u32::try_from(host_call).unwrap_or(u32::MAX);
        self.frames_of(self.callers.get(&number).copied().unwrap_or(NO_FUNCTION))
    }

    /// The stacks of functions in a frame, each with its weight among the frame's wasm
    /// instructions.
    fn shares(&self, frame: usize) -> Vec<(Vec<ProfileFrame>, u64)> {
        let shares = self.shares.get(frame).into_iter().flatten();
        let some = shares.filter(|(_, weight)| **weight > 0);
        some.map(|(stack, weight)| (self.frames_of(*stack), *weight)).collect()
    }

    fn frames_of(&self, mut stack: usize) -> Vec<ProfileFrame> {
        let mut frames = vec![];
        while stack != NO_FUNCTION {
            let top = &self.stacks[stack];
            frames.push(named(ProfileFrameKind::Function, &top.name));
            stack = top.below;
        }
        frames.reverse();
        frames
    }
}

#[derive(Default)]
pub struct ProfileBuilder<'a> {
    functions: Option<&'a FunctionFrames>,
    open: Vec<OpenFrame>,
    /// True if the innermost frame has just begun and none of its own wasm has run.
    just_opened: bool,
    count: usize,
    host_calls: usize,
    spent: BTreeMap<Vec<ProfileFrame>, (u64, u64)>,
}

struct OpenFrame {
    shown: ProfileFrame,
    begun: Begun,
}

/// What began a frame, and therefore ends it.
enum Begun {
    /// A contract's frame with its number and the cost of its wasm, or the host function's own.
    Call(usize, (u64, u64)),
    Function,
    HostCall,
}

impl OpenFrame {
    fn is_call(&self) -> bool {
        matches!(self.begun, Begun::Call(..))
    }
}

fn named(kind: ProfileFrameKind, name: &str) -> ProfileFrame {
    ProfileFrame { name: name.to_string(), kind }
}

impl<'a> ProfileBuilder<'a> {
    pub fn new(functions: Option<&'a FunctionFrames>) -> Self {
        ProfileBuilder { functions, ..ProfileBuilder::default() }
    }

    /// Adds the costs since the last change of the stack.
    pub fn add(&mut self, spent: &[Spent]) {
        for spent in spent {
            let cost = (spent.cpu, spent.memory);
            match spent.cost_type {
                WASM => self.add_wasm(cost),
                cost_type => {
                    let frames = self.frames(self.open.len());
                    add(&mut self.spent, frames, cost_type, cost);
                }
            }
        }
        self.just_opened = false;
    }

    /// Adds the cost of wasm. The host charges it when a host call begins, and it belongs to the
    /// caller: the innermost contract that has begun.
    fn add_wasm(&mut self, (cpu, memory): (u64, u64)) {
        let begun = self.open.len() - usize::from(self.just_opened);
        let innermost = self.open[..begun].iter_mut().rev().find(|frame| frame.is_call());
        match innermost.map(|frame| &mut frame.begun) {
            Some(Begun::Call(_, wasm)) => *wasm = (wasm.0 + cpu, wasm.1 + memory),
            _ => add(&mut self.spent, vec![], WASM, (cpu, memory)),
        }
    }

    fn frames(&self, count: usize) -> Vec<ProfileFrame> {
        self.open[..count].iter().map(|frame| frame.shown.clone()).collect()
    }

    /// `is_of_contract`: it runs a function of a contract.
    pub fn open_frame(&mut self, name: String, is_of_contract: bool) {
        let kind = match (is_of_contract, self.open.is_empty()) {
            (true, _) => ProfileFrameKind::Contract,
            (false, true) => ProfileFrameKind::Entry,
            (false, false) => ProfileFrameKind::Host,
        };
        let begun = Begun::Call(self.count, (0, 0));
        self.open.push(OpenFrame { shown: ProfileFrame { name, kind }, begun });
        self.count += 1;
        self.just_opened = true;
    }

    /// Closes a contract's frame, and the host calls in it that never returned.
    pub fn close_frame(&mut self) {
        while let Some(OpenFrame { shown, begun }) = self.open.pop() {
            if let Begun::Call(number, wasm) = begun {
                let frames = self.frames(self.open.len()).into_iter().chain([shown]).collect();
                return self.share_out(number, frames, wasm);
            }
        }
    }

    /// Divides the cost of a frame's wasm among the functions that ran it.
    fn share_out(&mut self, number: usize, frames: Vec<ProfileFrame>, (cpu, memory): (u64, u64)) {
        let shares = self.functions.map(|functions| functions.shares(number)).unwrap_or_default();
        let total: u64 = shares.iter().map(|(_, weight)| weight).sum();
        let (mut weight_before, mut cpu_before) = (0u64, 0);
        for (functions, weight) in shares {
            weight_before += weight;
            // The sum is at most `cpu`, because the weights so far are at most the total.
            let cpu_so_far =
                (u128::from(cpu) * u128::from(weight_before) / u128::from(total)) as u64;
            let frames = frames.iter().cloned().chain(functions).collect();
            add(&mut self.spent, frames, WASM, (cpu_so_far - cpu_before, 0));
            cpu_before = cpu_so_far;
        }
        add(&mut self.spent, frames, WASM, (cpu - cpu_before, memory));
    }

    pub fn open_host_call(&mut self, name: &str) {
        let number = self.host_calls;
        self.host_calls += 1;
        // The host, not the contract, makes a host call inside another.
        if let (Some(functions), true) =
            (self.functions, self.open.last().is_some_and(OpenFrame::is_call))
        {
            let callers = functions.callers(number).into_iter();
            self.open.extend(callers.map(|shown| OpenFrame { shown, begun: Begun::Function }));
        }
        let shown = named(ProfileFrameKind::Host, name);
        self.open.push(OpenFrame { shown, begun: Begun::HostCall });
    }

    /// Closes a host call, and the functions that called it.
    pub fn close_host_call(&mut self) {
        if matches!(self.open.last(), Some(OpenFrame { begun: Begun::HostCall, .. })) {
            self.open.pop();
            while matches!(self.open.last(), Some(OpenFrame { begun: Begun::Function, .. })) {
                self.open.pop();
            }
        }
    }

    /// Finishes the profile. `cpu` and `memory` are the metered totals.
    pub fn finish(mut self, cpu: u64, memory: u64) -> Profile {
        while !self.open.is_empty() {
            self.close_frame();
        }
        let sum = |part: fn(&(u64, u64)) -> u64| self.spent.values().map(part).sum::<u64>();
        let left = (cpu.saturating_sub(sum(|s| s.0)), memory.saturating_sub(sum(|s| s.1)));
        if left != (0, 0) {
            let other = named(ProfileFrameKind::Other, NOT_ATTRIBUTED);
            self.spent.insert(vec![other], left);
        }
        let stack = |(frames, (cpu, memory))| ProfileStack { frames, cpu, memory };
        Profile { stacks: self.spent.into_iter().map(stack).collect(), functions: None }
    }
}

fn add(
    spent: &mut BTreeMap<Vec<ProfileFrame>, (u64, u64)>,
    mut frames: Vec<ProfileFrame>,
    cost_type: &str,
    (cpu, memory): (u64, u64),
) {
    if (cpu, memory) == (0, 0) {
        return;
    }
    frames.push(named(ProfileFrameKind::Cost, cost_type));
    let sums = spent.entry(frames).or_default();
    *sums = (sums.0 + cpu, sums.1 + memory);
}
