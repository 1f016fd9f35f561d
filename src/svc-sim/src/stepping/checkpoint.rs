// The beginning of a machine, and checkpoints of its state that share unchanged memory.

use super::{
    code::{Code, PAGE_BYTES},
    machine::{Call, Machine},
};
use std::rc::Rc;

/// Memory is saved in blocks of this size.
pub const BLOCK_BYTES: usize = 4096;

pub type Block = Rc<[u8]>;

#[derive(Clone)]
pub struct Checkpoint {
    pub instructions: u64,
    stack: Vec<u64>,
    calls: Vec<Call>,
    globals: Vec<u64>,
    dropped: Vec<bool>,
    memory_bytes: usize,
    /// `None` for a block of zeros.
    blocks: Vec<Option<Block>>,
    fuel: u64,
    host_calls: usize,
    objects: usize,
}

impl Checkpoint {
    /// The memory blocks of the checkpoint, by their addresses in this process.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.blocks.iter().flatten().map(|block| block.as_ptr() as usize)
    }

    pub fn own_bytes(&self) -> usize {
        8 * (self.stack.len() + self.globals.len() + 2 * self.blocks.len()) + 12 * self.calls.len()
    }
}

impl Machine {
    /// The machine before the first instruction of an exported function.
    pub fn start(code: Rc<Code>, function: u32, arguments: Vec<u64>) -> Option<Machine> {
        let locals = code.function(function)?.locals.len();
        let base = Call { function, op: code.function(function)?.first, base: 0 };
        let mut memory = vec![0; code.memory_pages * PAGE_BYTES];
        for (at, data) in &code.data {
            let Some(at) = at else { continue };
            memory.get_mut(*at..at.checked_add(data.len())?)?.copy_from_slice(data);
        }
        let blocks = memory.len() / BLOCK_BYTES;
        let mut stack = arguments;
        stack.resize(locals, 0);
        let mut machine = Machine {
            stack,
            calls: vec![base],
            globals: code.globals.clone(),
            memory,
            instructions: 0,
            fuel: 0,
            host_calls: 0,
            objects: 0,
            // Segments that were copied at the start are dropped.
            dropped: code.data.iter().map(|(at, _)| at.is_some()).collect(),
            saved: vec![None; blocks],
            changed: vec![false; blocks],
            code,
        };
        for block in 0..blocks {
            let bytes = &machine.memory[block * BLOCK_BYTES..(block + 1) * BLOCK_BYTES];
            machine.changed[block] = bytes.iter().any(|byte| *byte != 0);
        }
        Some(machine)
    }

    pub fn checkpoint(&mut self) -> Checkpoint {
        for (block, changed) in self.changed.iter_mut().enumerate() {
            if std::mem::take(changed) {
                let bytes = &self.memory[block * BLOCK_BYTES..(block + 1) * BLOCK_BYTES];
                self.saved[block] = Some(bytes.into());
            }
        }
        Checkpoint {
            instructions: self.instructions,
            stack: self.stack.clone(),
            calls: self.calls.clone(),
            globals: self.globals.clone(),
            dropped: self.dropped.clone(),
            memory_bytes: self.memory.len(),
            blocks: self.saved.clone(),
            fuel: self.fuel,
            host_calls: self.host_calls,
            objects: self.objects,
        }
    }

    pub fn resume(code: Rc<Code>, from: &Checkpoint) -> Machine {
        let mut memory = vec![0; from.memory_bytes];
        for (block, bytes) in from.blocks.iter().enumerate() {
            if let Some(bytes) = bytes {
                memory[block * BLOCK_BYTES..(block + 1) * BLOCK_BYTES].copy_from_slice(bytes);
            }
        }
        Machine {
            code,
            stack: from.stack.clone(),
            calls: from.calls.clone(),
            globals: from.globals.clone(),
            memory,
            instructions: from.instructions,
            fuel: from.fuel,
            host_calls: from.host_calls,
            objects: from.objects,
            dropped: from.dropped.clone(),
            saved: from.blocks.clone(),
            changed: vec![false; from.blocks.len()],
        }
    }
}
