// The wasm functions that made the calls of a profile and ran its instructions. They are counted
// when the code runs again, in the fuel that the host counted. The costs that they divide are those
// of the replay.

use super::{
    code::Op,
    record::FrameKind,
    session::{KnownCode, Session},
};
use crate::{
    profile::{FunctionFrames, FunctionStack, NO_FUNCTION},
    xdr_codec::hex,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The largest depth of a stack, and the largest number of stacks. Beyond either, a function counts
/// as its caller.
const MAX_STACK_DEPTH: u32 = 100;
const MAX_STACKS: usize = 20_000;

pub const NO_WASM: &str = "no contract with wasm ran";

/// The functions, and the reason why some or all of them are unknown.
pub struct Functions {
    pub frames: Option<FunctionFrames>,
    pub reason: Option<String>,
}

impl Session {
    pub fn functions(&mut self) -> Functions {
        let of_code = |kind: FrameKind| kind == FrameKind::Wasm;
        let reasons: BTreeSet<String> = self.reasons.iter().flatten().cloned().collect();
        let reason =
            (!reasons.is_empty()).then(|| reasons.into_iter().collect::<Vec<_>>().join("; "));
        if !self.frames.iter().any(|frame| of_code(frame.kind)) {
            return Functions { frames: None, reason: Some(NO_WASM.into()) };
        }
        if self.tracks.iter().all(Option::is_none) {
            return Functions { frames: None, reason };
        }
        let mut found = FunctionFrames {
            stacks: vec![FunctionStack { below: NO_FUNCTION, name: String::new(), depth: 0 }],
            shares: vec![BTreeMap::new(); self.frames.len()],
            callers: HashMap::new(),
        };
        let mut known_stacks = HashMap::new();
        let Session { run, frames, tracks, codes, .. } = self;
        for (index, (frame, track)) in frames.iter().zip(tracks).enumerate() {
            let Some(track) = track else { continue };
            let same = |known: &&KnownCode| std::rc::Rc::ptr_eq(&known.code, &track.code);
            let Some(known) = codes.iter().find(same) else { continue };
            let imported = known.code.imported();
            let mut open = vec![];
            let mut counted = 0;
            let shares = &mut found.shares[index];
            let (stacks, callers) = (&mut found.stacks, &mut found.callers);
            track.watch(0, frame, run, |machine, op| {
                open.truncate(machine.calls.len());
                for call in &machine.calls[open.len()..] {
                    let below = open.last().copied().unwrap_or(NO_FUNCTION);
                    let key = (below, known.code.hash, call.function);
                    let stack = *known_stacks
                        .entry(key)
                        .or_insert_with(|| stack_on(stacks, below, known, call.function));
                    open.push(stack);
                }
                let top = open.last().copied().unwrap_or(NO_FUNCTION);
                // The cost of a code block is counted before its first instruction.
                *shares.entry(top).or_default() += machine.fuel - counted;
                counted = machine.fuel;
                if let Op::Call(function) = machine.code.ops[op as usize] {
                    let call = frame.host_calls.get(machine.host_calls);
                    if let Some(call) = call.filter(|_| function < imported) {
                        callers.insert(call.number, top);
                    }
                }
                false
            });
            let top = open.last().copied().unwrap_or(NO_FUNCTION);
            *shares.entry(top).or_default() += frame.fuel.saturating_sub(counted);
        }
        Functions { frames: Some(found), reason }
    }
}

fn stack_on(
    stacks: &mut Vec<FunctionStack>,
    below: usize,
    known: &KnownCode,
    function: u32,
) -> usize {
    let depth = stacks[below].depth + 1;
    if depth > MAX_STACK_DEPTH || stacks.len() >= MAX_STACKS {
        return below;
    }
    // The same index in two contracts means two functions.
    let unnamed = || format!("func[{function}]@{}", hex(&known.code.hash[..4]));
    let name = known.names.get(&function).cloned().unwrap_or_else(unnamed);
    stacks.push(FunctionStack { below, name, depth });
    stacks.len() - 1
}
