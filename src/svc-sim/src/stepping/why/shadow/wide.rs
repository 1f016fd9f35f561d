// The routines with which a compiler multiplies, divides and shifts 128-bit numbers. The shadow
// takes a call of one for a single operation.

use super::{super::super::machine::Machine, routine::proven, Id, Kind, Shadow, UNKNOWN};
use wasmparser::ValType;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WideOp {
    Multiply,
    MultiplyUnsigned,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
}

impl WideOp {
    const SHIFTS: [WideOp; 3] = [WideOp::ShiftLeft, WideOp::ShiftRight, WideOp::ShiftRightUnsigned];
    const ALL: [WideOp; 5] = [
        WideOp::Multiply,
        WideOp::Divide,
        WideOp::DivideUnsigned,
        WideOp::Remainder,
        WideOp::RemainderUnsigned,
    ];

    pub fn operator(self) -> &'static str {
        match self {
            WideOp::Multiply | WideOp::MultiplyUnsigned => "*",
            WideOp::Divide | WideOp::DivideUnsigned => "/",
            WideOp::Remainder | WideOp::RemainderUnsigned => "%",
            WideOp::ShiftLeft => "<<",
            WideOp::ShiftRight | WideOp::ShiftRightUnsigned => ">>",
        }
    }

    /// The lower half of the result, its upper half, or whether it overflows.
    pub fn part(self, a: u128, b: u128, part: u8) -> Option<u64> {
        let (x, y) = (a as i128, b as i128);
        let by = u32::try_from(b).unwrap_or(u32::MAX);
        let made = match self {
            WideOp::ShiftLeft => a.checked_shl(by)?,
            WideOp::ShiftRight => x.checked_shr(by)? as u128,
            WideOp::ShiftRightUnsigned => a.checked_shr(by)?,
            WideOp::Multiply | WideOp::MultiplyUnsigned => a.wrapping_mul(b),
            WideOp::Divide => x.checked_div(y)? as u128,
            WideOp::DivideUnsigned => a.checked_div(b)?,
            WideOp::Remainder => x.checked_rem(y)? as u128,
            WideOp::RemainderUnsigned => a.checked_rem(b)?,
        };
        Some(match (part, self) {
            (0, _) => made as u64,
            (1, _) => (made >> 64) as u64,
            (_, WideOp::MultiplyUnsigned) => a.checked_mul(b).is_none().into(),
            _ => x.checked_mul(y).is_none().into(),
        })
    }
}

pub struct Wide {
    pub function: u32,
    pub parts: [Id; 4],
}

impl Shadow {
    /// Notes a call that may be a compiler's routine for 128 bits. Its arguments are (result
    /// pointer, a, b), and for a product that may overflow a pointer to the flag; b of a shift is
    /// narrow. Runs with other numbers (`routine.rs`) and all its calls show what it is.
    pub(super) fn note_wide(&mut self, machine: &Machine, ended: u32) {
        let function = self.activations[ended as usize].function;
        let (to, parts, flag) = match self.activations[ended as usize].arguments[..] {
            [to, a, b, by] => (to, [a, b, by, UNKNOWN], None),
            [to, a, b, c, d] => (to, [a, b, c, d], None),
            [to, a, b, c, d, flag] => (to, [a, b, c, d], Some(flag)),
            _ => return,
        };
        let shifts = parts[3] == UNKNOWN;
        let is_routine = self.code.signature_of(function).is_some_and(|signature| {
            let is = |at: usize, of_type| signature.parameters.get(at) == Some(&of_type);
            let count = if shifts { 3 } else { 5 };
            is(0, ValType::I32)
                && (1..count).all(|at| is(at, ValType::I64))
                && (!shifts || is(3, ValType::I32))
                && (flag.is_none() || is(5, ValType::I32))
        });
        if !is_routine {
            return;
        }
        let parts = match shifts {
            true => [parts[0], parts[1], parts[2], self.none()],
            false => parts,
        };
        let value = |id: Id| self.get(id).value;
        let at = u64::from(value(to) as u32);
        let flag_at = flag.map(|flag| u64::from(value(flag) as u32));
        let (Some(lo), Some(hi)) = (machine.load(0x29, at), machine.load(0x29, at + 8)) else {
            return;
        };
        let overflow = flag_at.map(|at| machine.load(0x28, at));
        if overflow == Some(None) {
            return;
        }
        let wide = |lo: Id, hi: Id| (u128::from(value(hi)) << 64) | u128::from(value(lo));
        let (a, b) = (wide(parts[0], parts[1]), wide(parts[2], parts[3]));
        let made = [Some(lo), Some(hi), overflow.flatten()];
        let fits = |op: &WideOp| {
            let parts = [0, 1, 2].map(|part| op.part(a, b, part));
            parts[..2] == made[..2] && (flag.is_none() || parts[2] == made[2])
        };
        let code = self.code.clone();
        let known = self.wide_ops.entry(function).or_insert_with(|| {
            let may_be = match flag {
                Some(_) => vec![WideOp::Multiply, WideOp::MultiplyUnsigned],
                None if shifts => WideOp::SHIFTS.to_vec(),
                None => WideOp::ALL.to_vec(),
            };
            proven(&code, function, (shifts, flag.is_some()), may_be)
        });
        known.retain(fits);
        if known.is_empty() || parts.iter().all(|id| self.nodes[*id as usize].constant) {
            return;
        }
        let wide = self.wides.len() as u32;
        self.wides.push(Wide { function, parts });
        let written = [(0, at, 8), (1, at + 8, 8), (2, flag_at.unwrap_or(0), 4)];
        for (part, at, size) in written {
            let Some(value) = made[usize::from(part)] else { continue };
            let id = self.node(Kind::Wide, part, self.last_op, (0, 0, wide), false);
            self.nodes[id as usize].value = value;
            self.write(at, size, id);
        }
    }

    /// The node of the constant zero.
    fn none(&mut self) -> Id {
        self.node(Kind::Const, 0, self.last_op, (0, 0, 0), true)
    }
}
