// The values of a function's code at its current position: locals, globals, operands and linear
// memory.

use super::super::code::{Code, Op};
use gimli::{Register, Value};
use std::ops::Range;

/// The kinds of `DW_OP_WASM_location`, as register numbers, because gimli evaluates registers.
pub const GLOBALS: u32 = 0x4000;
pub const OPERANDS: u32 = 0x8000;

pub struct Registers<'a> {
    pub code: &'a Code,
    pub function: u32,
    /// The next operation, or the call that is open.
    pub op: u32,
    pub memory: &'a [u8],
    /// The locals, each with whether it is 64 bits wide.
    pub locals: Vec<(u64, bool)>,
    pub globals: Vec<(u64, bool)>,
    pub operands: Vec<(u64, bool)>,
}

/// The bytes of a value, as far as they are known, and their address in memory.
#[derive(Clone, Default)]
pub struct Contents {
    pub bytes: Vec<Option<u8>>,
    pub address: Option<u32>,
}

impl Contents {
    pub fn unknown(size: usize) -> Contents {
        Contents { bytes: vec![None; size], address: None }
    }

    pub fn part(&self, start: usize, size: usize) -> Contents {
        let mut bytes: Vec<_> = self.bytes.iter().skip(start).take(size).copied().collect();
        bytes.resize(size, None);
        let address = self.address.and_then(|address| address.checked_add(start as u32));
        Contents { bytes, address }
    }

    /// The bytes, if all of them are known.
    pub fn known(&self) -> Option<Vec<u8>> {
        self.bytes.iter().copied().collect()
    }
}

impl Registers<'_> {
    pub fn at(&self, address: u64, size: usize) -> Contents {
        let Ok(start) = u32::try_from(address) else { return Contents::unknown(size) };
        let range = start as usize..(start as usize).saturating_add(size);
        let Some(bytes) = self.memory.get(range) else { return Contents::unknown(size) };
        let bytes = bytes.iter().copied().map(Some).collect();
        Contents { bytes, address: Some(start) }
    }

    /// The value of a local. `None` if the local may have been written since the variable was put
    /// there: compilers give one local to several variables, and end the addresses of the first too
    /// late.
    pub fn kept(&self, register: Register, addresses: &Range<u64>) -> Option<Value> {
        if u32::from(register.0) >= GLOBALS {
            // Other variables may have been put there since.
            let here = self.code.addresses.get(self.op as usize)?;
            let begins = addresses.start == u64::from(*here);
            return begins.then(|| self.value(register)).flatten();
        }
        let within = |op: &u32| {
            let address = self.code.addresses.get(*op as usize);
            address.is_some_and(|address| addresses.contains(&u64::from(*address)))
        };
        let writes = self.writes(register);
        let rewritten = writes.into_iter().filter(within).any(|op| self.comes_before(op));
        (!rewritten).then(|| self.value(register)).flatten()
    }

    /// The frame base. `None` before it is set, or if its local has another use too.
    pub fn set_once(&self, register: Register) -> Option<Value> {
        match self.writes(register)[..] {
            [] => self.value(register),
            [op] if op < self.op => self.value(register),
            _ => None,
        }
    }

    fn value(&self, Register(number): Register) -> Option<Value> {
        let number = u32::from(number);
        let (list, index) = match number {
            OPERANDS.. => (&self.operands, number - OPERANDS),
            GLOBALS.. => (&self.globals, number - GLOBALS),
            _ => (&self.locals, number),
        };
        let (value, wide) = *list.get(index as usize)?;
        Some(if wide { Value::U64(value) } else { Value::Generic(value & 0xffff_ffff) })
    }

    /// The operations of the function that write a local.
    fn writes(&self, Register(number): Register) -> Vec<u32> {
        let writes = |op: &Op| match op {
            Op::LocalSet(local) | Op::LocalTee(local) => *local == u32::from(number),
            _ => false,
        };
        self.ops().filter(|op| writes(&self.code.ops[*op as usize])).collect()
    }

    fn ops(&self) -> Range<u32> {
        self.code.function(self.function).map_or(0..0, |function| function.first..function.end)
    }

    /// Says whether `op` may have been executed: it comes earlier, or a loop contains both.
    fn comes_before(&self, op: u32) -> bool {
        let back = |from: u32| {
            let target = match &self.code.ops[from as usize] {
                Op::Br(target) | Op::BrIf(target) | Op::Jump(target) => target.op,
                _ => return false,
            };
            (target..=from).contains(&op) && (target..=from).contains(&self.op)
        };
        op < self.op || self.ops().any(back)
    }
}
