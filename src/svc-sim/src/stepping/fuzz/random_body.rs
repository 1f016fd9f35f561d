// The body of a random function: each value is written where its type is expected. Some code is
// unreachable.

use super::{random_module::Signature, Random};
use crate::stepping::leb::{write_signed_64, write_unsigned};

pub const I32: u8 = 0x7f;
pub const I64: u8 = 0x7e;
pub const END: u8 = 0x0b;
const NOTHING: u8 = 0x40;
const DROP: u8 = 0x1a;
const MEMORY_BYTES: i64 = 64 * 1024;

pub struct Body<'a> {
    pub random: &'a mut Random,
    /// The signatures of all functions, imported ones first.
    pub signatures: &'a [Signature],
    pub locals: Vec<u8>,
    /// The type that a branch to each open block takes, the outermost block first.
    pub labels: Vec<Option<u8>>,
    pub output: Vec<u8>,
    /// How much of this function may still be written.
    pub left: usize,
}

impl Body<'_> {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.random.below(from.len())]
    }

    fn op(&mut self, opcode: u8, index: usize) {
        self.output.push(opcode);
        write_unsigned(&mut self.output, index as u32);
    }

    /// Writes checks of the arguments' numbers that end the run, as contracts have them.
    pub fn checks(&mut self) {
        for _ in 0..1 + self.random.below(4) {
            self.comparison();
            if self.random.one_in(4) {
                self.comparison();
                // i32.and, i32.or
                let joined = self.pick(&[0x71, 0x72]);
                self.output.push(joined);
            }
            // if, unreachable, end
            self.output.extend([0x04, NOTHING, 0x00, END]);
        }
    }

    /// Writes a comparison of an argument's number with a constant or with the other argument's
    /// number.
    fn comparison(&mut self) {
        self.number_in_argument();
        match self.random.one_in(3) {
            true => self.number_in_argument(),
            false => {
                self.output.push(0x41);
                let constant = self.random.below(8) as i64;
                write_signed_64(&mut self.output, constant);
            }
        }
        let compared = 0x46 + self.random.below(10) as u8;
        self.output.push(compared);
    }

    fn number_in_argument(&mut self) {
        let argument = self.random.below(2);
        self.op(0x20, argument);
        // i64.const 32, i64.shr_u, i32.wrap_i64
        self.output.extend([0x42, 32, 0x88, 0xa7]);
    }

    /// Writes an instruction after its operands.
    fn with(&mut self, operands: &[u8], opcode: u8) {
        for of_type in operands {
            self.value(*of_type);
        }
        self.output.push(opcode);
    }

    pub fn block(&mut self, result: Option<u8>) {
        for _ in 0..self.random.below(5) {
            self.statement();
        }
        self.optional(result);
    }

    fn optional(&mut self, of_type: Option<u8>) {
        if let Some(of_type) = of_type {
            self.value(of_type);
        }
    }

    /// Writes a block, a loop, or an if whose condition was written.
    fn nested(&mut self, opcode: u8, result: Option<u8>) {
        self.output.extend([opcode, result.unwrap_or(NOTHING)]);
        self.labels.push(if opcode == 0x03 { None } else { result });
        self.block(result);
        if opcode == 0x04 && (result.is_some() || self.random.one_in(2)) {
            self.output.push(0x05);
            self.block(result);
        }
        self.labels.pop();
        self.output.push(END);
    }

    /// The type that a branch to an open block takes. The innermost block is 0.
    fn taken_by(&self, depth: usize) -> Option<u8> {
        self.labels[self.labels.len() - 1 - depth]
    }

    fn statement(&mut self) {
        self.left = self.left.saturating_sub(1);
        let some = self.pick(&[I32, I64]);
        let depth = self.random.below(self.labels.len());
        let taken = self.taken_by(depth);
        match self.random.below(if self.left == 0 { 3 } else { 22 }) {
            0 => self.output.push(0x01),
            1 | 2 => self.set_local(),
            3 => {
                self.value(some);
                self.op(0x24, usize::from(some == I64));
            }
            4..=6 => {
                let narrow = [0x36, 0x3a, 0x3b, 0x3b];
                let opcode =
                    self.pick(if some == I32 { &narrow } else { &[0x37, 0x3c, 0x3d, 0x3e] });
                self.address();
                self.value(some);
                self.memory_argument(opcode);
            }
            7 => self.with(&[some], DROP),
            8 => self.nested(0x02, None),
            9 => self.nested(0x03, None),
            10 | 11 => {
                self.value(I32);
                self.nested(0x04, None);
            }
            12..=14 => {
                self.optional(taken);
                self.value(I32);
                self.op(0x0d, depth);
                self.output.extend(taken.map(|_| DROP));
            }
            15 if self.random.one_in(3) => {
                self.optional(taken);
                self.op(0x0c, depth);
            }
            16 if self.random.one_in(2) => self.branch_table(taken),
            17 if self.random.one_in(6) => {
                self.optional(self.labels[0]);
                self.output.push(0x0f);
            }
            17 if self.random.one_in(10) => self.output.push(0x00),
            18 => self.bulk(),
            _ => {
                let function = self.random.below(self.signatures.len());
                self.call(function);
                self.output.extend(self.signatures[function].result.map(|_| DROP));
            }
        }
    }

    fn set_local(&mut self) {
        if self.locals.is_empty() {
            return;
        }
        let local = self.random.below(self.locals.len());
        self.value(self.locals[local]);
        if self.random.one_in(2) {
            return self.op(0x21, local);
        }
        self.op(0x22, local);
        self.output.push(DROP);
    }

    fn branch_table(&mut self, taken: Option<u8>) {
        let fits = |depth: &usize| self.taken_by(*depth) == taken;
        let fitting: Vec<usize> = (0..self.labels.len()).filter(fits).collect();
        self.optional(taken);
        self.small(6);
        let count = self.random.below(5);
        self.op(0x0e, count);
        for _ in 0..=count {
            let target = self.pick(&fitting);
            write_unsigned(&mut self.output, target as u32);
        }
    }

    /// memory.init, memory.copy, memory.fill or data.drop.
    fn bulk(&mut self) {
        const OPCODES: [&[u8]; 4] = [&[8, 1, 0], &[10, 0, 0], &[11, 0], &[9, 1]];
        let kind = self.random.below(4);
        if kind < 3 {
            self.address();
            self.address();
            self.small(if kind == 0 { 12 } else { 300 });
        }
        self.output.push(0xfc);
        self.output.extend(OPCODES[kind]);
    }

    fn call(&mut self, function: usize) {
        for of_type in &self.signatures[function].parameters {
            self.value(*of_type);
        }
        if self.random.one_in(3) {
            self.small(10);
            self.op(0x11, function);
            self.output.push(0);
        } else {
            self.op(0x10, function);
        }
    }

    /// Calls the host and then the function itself, until the stack is full.
    pub fn recursion(&mut self, function: usize) {
        self.output.extend([0x10, 0, DROP]);
        for of_type in &self.signatures[function].parameters {
            self.constant(*of_type, 1);
        }
        self.op(0x10, function);
        self.output.extend(self.signatures[function].result.map(|_| DROP));
    }

    fn constant(&mut self, of_type: u8, number: i64) {
        let narrow = of_type == I32;
        self.output.push(if narrow { 0x41 } else { 0x42 });
        write_signed_64(&mut self.output, if narrow { i64::from(number as i32) } else { number });
    }

    /// A number that is often below `end`.
    fn small(&mut self, end: i64) {
        if self.random.one_in(4) {
            self.value(I32);
            self.constant(I32, end);
            self.output.push(0x70);
        } else {
            let number = self.random.below(end as usize + 1);
            self.constant(I32, number as i64);
        }
    }

    fn address(&mut self) {
        match self.random.below(12) {
            0 => self.value(I32),
            1 => self.constant(I32, MEMORY_BYTES - 9),
            _ => self.small(400),
        }
    }

    fn memory_argument(&mut self, opcode: u8) {
        let offset = if self.random.one_in(20) { 0xffff } else { self.random.below(40) };
        self.output.extend([opcode, 0]);
        write_unsigned(&mut self.output, offset as u32);
    }

    fn value(&mut self, of_type: u8) {
        self.left = self.left.saturating_sub(1);
        let wide = of_type == I64;
        match self.random.below(if self.left == 0 { 3 } else { 20 }) {
            1 | 2 if self.locals.contains(&of_type) => {
                let fits = |local: &usize| self.locals[*local] == of_type;
                let fitting: Vec<usize> = (0..self.locals.len()).filter(fits).collect();
                let local = self.pick(&fitting);
                self.op(0x20, local);
            }
            3 => self.op(0x23, usize::from(wide)),
            // The quotient of these two overflows.
            4 if self.random.one_in(12) => {
                self.constant(of_type, if wide { i64::MIN } else { i64::from(i32::MIN) });
                self.constant(of_type, -1);
                self.output.push(if wide { 0x7f } else { 0x6d });
            }
            4..=7 => {
                let opcode = if wide { 0x7c } else { 0x6a } + self.random.below(15) as u8;
                self.with(&[of_type, of_type], opcode);
            }
            8 if !wide => {
                let operand = self.pick(&[I32, I64]);
                let opcode = if operand == I32 { 0x46 } else { 0x51 } + self.random.below(10) as u8;
                self.with(&[operand, operand], opcode);
            }
            8 => {
                let opcode = self.pick(&[0xac, 0xad]);
                self.with(&[I32], opcode);
            }
            9 => {
                let narrow = [0x45, 0x67, 0x68, 0x69, 0xc0, 0xc1];
                let opcode = if wide { [0x79, 0x7a, 0x7b, 0xc2, 0xc3, 0xc4] } else { narrow };
                let opcode = self.pick(&opcode);
                self.with(&[of_type], opcode);
            }
            10 if !wide => {
                let opcode = self.pick(&[0x50, 0xa7]);
                self.with(&[I64], opcode);
            }
            10..=12 => {
                let opcode = match wide {
                    true => self.pick(&[0x29, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35]),
                    false => self.pick(&[0x28, 0x2c, 0x2d, 0x2e, 0x2f]),
                };
                self.address();
                self.memory_argument(opcode);
            }
            13 => self.with(&[of_type, of_type, I32], 0x1b),
            14 => self.nested(0x02, Some(of_type)),
            15 => self.nested(0x03, Some(of_type)),
            16 => {
                self.value(I32);
                self.nested(0x04, Some(of_type));
            }
            17 | 18 => {
                let function = self.random.below(self.signatures.len());
                match self.signatures[function].result == Some(of_type) {
                    true => self.call(function),
                    false => self.value(of_type),
                }
            }
            19 if !wide && self.random.one_in(3) => {
                self.small(3);
                self.output.extend([0x40, 0]);
            }
            19 if !wide => self.output.extend([0x3f, 0]),
            _ => {
                let number = self.random.number();
                self.constant(of_type, number);
            }
        }
    }
}
