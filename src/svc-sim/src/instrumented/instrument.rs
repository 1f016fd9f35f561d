// Instruments wasm: adds calls of the host's log, which the mark hook reads. wasmi reports neither
// where a trap was nor which function runs; these marks show both.
//
// There is a mark where a function begins, and before and after every call and every instruction
// that traps on purpose or by its divisor. There are too many accesses to memory to mark them all,
// so they are marked in one function, on demand.

use super::{
    leb::{write_signed_64, write_unsigned},
    module::{unsupported, Module, Result},
};
use crate::{
    apply::InstrumentedCode,
    hosts::marks::{mark, MarkedFunction, MAX_CODES},
};
use std::{collections::hash_map::RandomState, hash::BuildHasher};
use wasmparser::{FunctionBody, Operator};

/// Code that replaces contracts' own.
pub struct Instrumentation {
    /// It is part of every mark, and no contract knows it.
    pub secret: [u32; 2],
    pub codes: Vec<InstrumentedCode>,
}

impl Instrumentation {
    pub fn new() -> Instrumentation {
        let random = RandomState::new().hash_one("svc-sim");
        Instrumentation { secret: [random as u32, (random >> 32) as u32], codes: vec![] }
    }

    /// `memory_of`: the function whose accesses to memory are marked too.
    ///
    /// # Errors
    /// What the wasm has that is not supported.
    pub fn add(&mut self, wasm: &[u8], hash: [u8; 32], memory_of: Option<u32>) -> Result<()> {
        let marking = Marking {
            secret: self.secret,
            code: u32::try_from(self.codes.len()).unwrap_or(u32::MAX),
            memory_of,
        };
        if marking.code >= MAX_CODES {
            return unsupported("more code");
        }
        let module = Module::read(wasm)?;
        let bodies = (module.imported_functions..).zip(&module.bodies);
        let bodies = bodies.map(|(index, body)| instrumented(&module, wasm, index, body, marking));
        let wasm = module.write(wasm, &bodies.collect::<Result<Vec<_>>>()?)?;
        self.codes.push(InstrumentedCode { hash, wasm });
        Ok(())
    }
}

/// What all marks of one code have in common.
#[derive(Clone, Copy)]
struct Marking {
    secret: [u32; 2],
    /// The code's index.
    code: u32,
    memory_of: Option<u32>,
}

fn instrumented(
    module: &Module,
    wasm: &[u8],
    function: u32,
    body: &FunctionBody,
    Marking { secret, code, memory_of }: Marking,
) -> Result<Vec<u8>> {
    let marks = Marks { log: module.imported_functions, secret };
    let operators = body.get_operators_reader()?;
    let mut output = wasm[body.range().start..operators.original_position()].to_vec();
    let entered = MarkedFunction { code, index: function };
    marks.write(&mut output, mark::ENTER, entered.to_mark());
    let operators = operators.into_iter_with_offsets().collect::<wasmparser::Result<Vec<_>>>()?;
    let ends = operators.iter().skip(1).map(|(_, offset)| *offset).chain([body.range().end]);
    for ((operator, offset), end) in operators.iter().zip(ends) {
        let (opcode, address) = (wasm[*offset], (offset - module.code_start) as u32);
        let watched = may_not_return(opcode)
            || memory_of == Some(function) && accesses_memory(opcode, operator);
        if watched {
            marks.write(&mut output, mark::AT, address);
        }
        match operator {
            Operator::Call { function_index } => {
                output.push(opcode);
                write_unsigned(&mut output, module.moved(*function_index));
            }
            Operator::RefFunc { .. }
            | Operator::ReturnCall { .. }
            | Operator::ReturnCallIndirect { .. } => return unsupported("a tail call"),
            _ => output.extend(&wasm[*offset..end]),
        }
        if watched && !matches!(operator, Operator::Unreachable) {
            marks.write(&mut output, mark::BACK, address);
        }
    }
    Ok(output)
}

/// `unreachable`, calls, and the divisions and remainders of both integer types.
fn may_not_return(opcode: u8) -> bool {
    matches!(opcode, 0x00 | 0x10 | 0x11 | 0x6d..=0x70 | 0x7f..=0x82)
}

/// Loads and stores have opcodes of one byte, operators on blocks of memory have two.
fn accesses_memory(opcode: u8, operator: &Operator) -> bool {
    use Operator::{MemoryCopy, MemoryFill, MemoryInit};
    matches!(opcode, 0x28..=0x3e)
        || matches!(operator, MemoryCopy { .. } | MemoryFill { .. } | MemoryInit { .. })
}

struct Marks {
    /// The function index of the log.
    log: u32,
    secret: [u32; 2],
}

impl Marks {
    /// `drop(log(kind, value, secret…))`, whose arguments are U32Vals. wasmi charges a block of
    /// code to its end when the block begins. A mark is in a loop of its own, so it is charged when
    /// it is reached.
    fn write(&self, output: &mut Vec<u8>, kind: u32, value: u32) {
        const I64_CONST: u8 = 0x42;
        const CALL: u8 = 0x10;
        const DROP: u8 = 0x1a;
        const LOOP: u8 = 0x03;
        const NOTHING: u8 = 0x40;
        const END: u8 = 0x0b;
        output.extend([LOOP, NOTHING]);
        for number in [kind, value, self.secret[0], self.secret[1]] {
            output.push(I64_CONST);
            write_signed_64(output, u32_val(number));
        }
        output.push(CALL);
        write_unsigned(output, self.log);
        output.extend([DROP, END]);
    }
}

/// A `Val` of tag U32Val (4) with the number in its upper half.
fn u32_val(number: u32) -> i64 {
    ((u64::from(number) << 32) | 4) as i64
}
