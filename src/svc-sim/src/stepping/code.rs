// A contract's wasm in the form that `machine.rs` runs: its instructions in one list, with resolved
// branches and the fuel of each block.

use super::stop::Trap;
use crate::hosts::host_functions::HostFunction;
use std::{
    collections::{BTreeSet, HashMap},
    rc::Rc,
};
use wasmparser::ValType;

pub const PAGE_BYTES: usize = 64 * 1024;
/// The end of a function, as the target of a branch.
pub const EXIT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub op: u32,
    /// The height of the operand stack after the branch, without the values that the branch keeps.
    /// `u32::MAX` leaves the height unchanged.
    pub height: u32,
    pub keeps: bool,
}

#[derive(Clone, Debug)]
pub enum Op {
    /// The fuel of the block that begins here. It is not a wasm instruction.
    Fuel(u64),
    /// A target of `BrTable`. It is not a wasm instruction.
    Jump(Target),
    Leave,
    Unreachable,
    Br(Target),
    BrIf(Target),
    /// The condition of an `if`: it goes to `else`, or to the end, if the value is zero.
    BrIfZero(u32),
    BrTable(Rc<[Target]>),
    Return,
    ReturnIf,
    Call(u32),
    CallIndirect(u32),
    Drop,
    Select,
    LocalGet(u32),
    LocalSet(u32),
    LocalTee(u32),
    GlobalGet(u32),
    GlobalSet(u32),
    Load(u8, u32),
    Store(u8, u32),
    MemorySize,
    MemoryGrow,
    MemoryCopy,
    MemoryFill,
    MemoryInit(u32),
    DataDrop(u32),
    Const(u64),
    /// An operation on one value, by opcode.
    Unary(u8),
    Binary(u8),
}

/// The operations that can follow an operation.
pub fn successors(code: &Code, op: u32) -> Vec<u32> {
    match &code.ops[op as usize] {
        Op::Br(target) | Op::Jump(target) => vec![target.op],
        Op::BrIf(target) => vec![target.op, op + 1],
        Op::BrIfZero(target) => vec![*target, op + 1],
        Op::BrTable(targets) => {
            let all: BTreeSet<u32> = targets.iter().map(|target| target.op).collect();
            all.into_iter().collect()
        }
        Op::Return | Op::Leave => vec![EXIT],
        Op::ReturnIf => vec![EXIT, op + 1],
        Op::Unreachable => vec![],
        _ => vec![op + 1],
    }
}

impl Op {
    /// Says whether a step ends before the operation if the code has no lines.
    pub fn is_step(&self) -> bool {
        matches!(self, Op::Call(_) | Op::CallIndirect(_) | Op::Return | Op::Unreachable)
    }

    /// The importance of an operation for a statement: 2 if it calls a function, 0 if it only
    /// computes what a later operation takes from the stack, and 1 otherwise.
    pub fn weight(&self) -> u8 {
        match self {
            Op::Call(_) | Op::CallIndirect(_) => 2,
            Op::Const(_) | Op::LocalGet(_) | Op::GlobalGet(_) | Op::Load(..) => 0,
            Op::MemorySize | Op::Select | Op::Unary(_) | Op::Binary(_) => 0,
            _ => 1,
        }
    }

    /// Says whether the operation is not a wasm instruction.
    pub fn is_hidden(&self) -> bool {
        matches!(self, Op::Fuel(_) | Op::Jump(_) | Op::Leave)
    }
}

#[derive(Clone, PartialEq, Eq)]
pub struct Signature {
    pub parameters: Vec<ValType>,
    pub results: Vec<ValType>,
}

pub struct Function {
    pub first: u32,
    /// The position after its last instruction.
    pub end: u32,
    pub signature: u32,
    /// The types of the parameters, then of the locals.
    pub locals: Vec<ValType>,
    /// The largest number of values that it puts on the stack, besides its parameters.
    pub most_values: usize,
}

#[derive(Default)]
pub struct Code {
    pub hash: [u8; 32],
    pub signatures: Vec<Signature>,
    /// The host functions that it imports. `None` for one that no host has.
    pub imports: Vec<(u32, Option<&'static HostFunction>)>,
    pub functions: Vec<Function>,
    pub ops: Vec<Op>,
    /// For each operation, its address from the start of the code section's content.
    pub addresses: Vec<u32>,
    pub table: Vec<Option<u32>>,
    pub memory_pages: usize,
    pub max_memory_pages: usize,
    pub globals: Vec<u64>,
    pub global_types: Vec<ValType>,
    /// The data segments, each with the address to which it is copied at the start. `None` if it is
    /// copied on demand.
    pub data: Vec<(Option<usize>, Vec<u8>)>,
    pub exports: HashMap<String, u32>,
}

impl Code {
    pub fn imported(&self) -> u32 {
        self.imports.len() as u32
    }

    pub fn function(&self, index: u32) -> Option<&Function> {
        self.functions.get(index.checked_sub(self.imported())? as usize)
    }

    /// The function of an operation, in wasm's function index space.
    pub fn function_at(&self, op: u32) -> u32 {
        self.imported() + self.functions.partition_point(|function| function.end <= op) as u32
    }

    pub fn signature_of(&self, function: u32) -> Option<&Signature> {
        let signature = match self.imports.get(function as usize) {
            Some((signature, _)) => *signature,
            None => self.function(function)?.signature,
        };
        self.signatures.get(signature as usize)
    }

    pub fn locals_of(&self, function: u32) -> u32 {
        self.function(function).map_or(0, |function| function.locals.len() as u32)
    }

    pub fn has_result(&self, function: u32) -> bool {
        self.signature_of(function).is_some_and(|signature| !signature.results.is_empty())
    }

    /// The function in the table that an indirect call calls.
    pub fn in_table(&self, index: usize, signature: u32) -> Result<u32, Trap> {
        let element = self.table.get(index).ok_or(Trap::TableOutOfBounds)?;
        let function = element.ok_or(Trap::IndirectCallToNull)?;
        match self.signature_of(function) == self.signatures.get(signature as usize) {
            true => Ok(function),
            false => Err(Trap::BadSignature),
        }
    }

    /// The first instruction at or after an address, in the function that contains the address.
    pub fn op_at(&self, address: u32) -> Option<u32> {
        let mut op = self.addresses.partition_point(|at| *at < address);
        while self.ops.get(op).is_some_and(Op::is_hidden) {
            op += 1;
        }
        (op < self.ops.len()).then_some(op as u32)
    }
}
