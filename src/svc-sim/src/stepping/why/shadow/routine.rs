// Finds out whether a function with the signature of a compiler's routine for 128 bits is one. A
// helper that takes a key apart has the same signature, and one result proves nothing. So the
// function runs with other numbers, and must not ask the host for anything.

use super::{
    super::super::{
        code::{Code, Op},
        host_effects::Objects,
        machine::Machine,
        record::FrameRecord,
        stop::Stop,
    },
    WideOp,
};
use crate::hosts::recorded::RecordedRun;
use std::rc::Rc;

/// Pairs whose quotients, remainders, products and shifts all differ.
const NUMBERS: [(i128, i128); 12] = [
    (1, 1),
    (7, 3),
    (-7, 3),
    (7, -3),
    (-7, -3),
    (1_000_000, 1),
    (0, 5),
    (1 << 90, 1 << 20),
    (-(1 << 90), (1 << 70) + 12_345),
    (i128::MAX, 10),
    (i128::MIN, 7),
    ((1 << 100) + 99, (1 << 40) + 77),
];
const SHIFTS: [u32; 6] = [0, 1, 31, 64, 65, 127];
const MOST_INSTRUCTIONS: u64 = 20_000;
/// The room for the result and the overflow flag, below the stack of the code.
const ROOM: u64 = 64;

/// The operations that the function performs for all numbers. `shifts` is true if the second
/// operand is narrow; `flags`, if it reports whether the product overflows.
pub fn proven(
    code: &Rc<Code>,
    function: u32,
    (shifts, flags): (bool, bool),
    mut may_be: Vec<WideOp>,
) -> Vec<WideOp> {
    let tries: Vec<(u128, u128)> = match shifts {
        true => NUMBERS
            .iter()
            .flat_map(|(a, _)| SHIFTS.map(|by| (*a as u128, u128::from(by))))
            .collect(),
        false => NUMBERS.iter().map(|(a, b)| (*a as u128, *b as u128)).collect(),
    };
    for (a, b) in tries {
        let Some(made) = run(code, function, (a, b), (shifts, flags)) else { return vec![] };
        may_be.retain(|op| {
            let parts = [0, 1, 2].map(|part| op.part(a, b, part));
            parts[..2] == made[..2] && (!flags || parts[2] == made[2])
        });
        if may_be.is_empty() {
            break;
        }
    }
    may_be
}

/// The lower and the upper half of the result, and whether it overflows.
fn run(
    code: &Rc<Code>,
    function: u32,
    (a, b): (u128, u128),
    (shifts, flags): (bool, bool),
) -> Option<[Option<u64>; 3]> {
    let halves = |number: u128| [number as u64, (number >> 64) as u64];
    let mut machine = Machine::start(code.clone(), function, vec![])?;
    // A called function does not touch the stack of its caller.
    let stack = machine.globals.first_mut()?;
    let to = stack.checked_sub(ROOM)? & !15;
    *stack = to;
    let mut arguments = vec![to];
    arguments.extend(halves(a));
    match shifts {
        true => arguments.push(b as u64),
        false => arguments.extend(halves(b)),
    }
    arguments.extend(flags.then_some(to + 32));
    machine.stack.get_mut(..arguments.len())?.copy_from_slice(&arguments);
    let unmetered = FrameRecord { fuel: u64::MAX, ok: true, ..FrameRecord::default() };
    let (record, mut known) = (RecordedRun::default(), vec![]);
    let mut objects = Objects { run: &record, known: &mut known };
    let imported = code.imported();
    let asks = |_: &Machine, op: u32| match &code.ops[op as usize] {
        Op::Call(callee) => *callee < imported,
        Op::CallIndirect(_) => true,
        _ => false,
    };
    match machine.run(&unmetered, &mut objects, MOST_INSTRUCTIONS, asks) {
        Stop::Returned(_) => {}
        _ => return None,
    }
    let flag = if flags { Some(machine.load(0x28, to + 32)?) } else { None };
    Some([Some(machine.load(0x29, to)?), Some(machine.load(0x29, to + 8)?), flag])
}
