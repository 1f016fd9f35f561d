// Finds which bits of a host value a node has, through the shifts and masks with which code takes a
// payload apart and composes it again.

use super::{
    shadow::{Id, Kind, Node},
    term::Terms,
};

/// Bits of a value from the host.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bits {
    pub leaf: Id,
    pub lowest: u8,
    pub length: u8,
    pub signed: bool,
}

impl Terms<'_> {
    pub fn bits(&self, id: Id) -> Option<Bits> {
        self.bits_within(id, 0)
    }

    fn bits_within(&self, id: Id, depth: usize) -> Option<Bits> {
        let node = self.node(id);
        if depth > 24 {
            return None;
        }
        let of = |id: Id| self.bits_within(id, depth + 1);
        let made = match node.kind {
            Kind::Argument => Some(Bits { leaf: id, lowest: 0, length: 64, signed: false }),
            Kind::Host if !node.constant && !is_raw(self.host_call(node).function) => {
                Some(Bits { leaf: id, lowest: 0, length: 64, signed: false })
            }
            Kind::Unpacked if self.host_call(node).function.contains("unpack") => {
                Some(Bits { leaf: id, lowest: 0, length: 64, signed: false })
            }
            Kind::Unary => of(node.a).and_then(|bits| unary_bits(node.extra, bits)),
            Kind::Binary => match self.constant_of(node.b) {
                Some(by) => of(node.a).and_then(|bits| binary_bits(node.extra, bits, by)),
                None => None,
            },
            Kind::Part => of(node.a).and_then(|bits| {
                let (from, length) = (8 * node.c as u8, 8 * node.extra);
                let fits = from + length <= bits.length;
                fits.then_some(Bits { lowest: bits.lowest + from, length, signed: false, ..bits })
            }),
            Kind::Join => match (of(node.a), of(node.b)) {
                (Some(low), Some(high))
                    if low.leaf == high.leaf && low.lowest + 8 * node.extra == high.lowest =>
                {
                    let length = (8 * node.extra + high.length).min(64);
                    Some(Bits { length, signed: false, ..low })
                }
                _ => None,
            },
            Kind::Load | Kind::Select => {
                let same = self.same(node)?;
                of(same)
            }
            _ => None,
        };
        made.or_else(|| self.put_together(id))
    }

    /// The node with the same value from which the node was made unchanged.
    pub fn same(&self, node: &Node) -> Option<Id> {
        let of = match node.kind {
            Kind::Load => node.a,
            Kind::Part if node.c == 0 => node.a,
            Kind::Select => self.chosen(node),
            _ => return None,
        };
        (self.node(of).value == node.value).then_some(of)
    }

    /// The node that a choice selected.
    pub fn chosen(&self, node: &Node) -> Id {
        match self.node(node.c).value as u32 {
            0 => node.b,
            _ => node.a,
        }
    }

    /// The same, unless it is a constant: the choice of a constant has its own reason.
    pub fn varying(&self, node: &Node) -> Option<Id> {
        self.same(node).filter(|of| self.takes_chosen.get() || !self.node(*of).constant)
    }

    /// A payload that was taken apart and composed again.
    fn put_together(&self, id: Id) -> Option<Bits> {
        let node = self.node(id);
        if node.kind == Kind::Binary && node.extra == 0x83 {
            // The number and its tag are kept in full.
            let keeps = self.constant_of(node.b)? >> 32 == 0xffff_ffff;
            let bits = self.bits(node.a).filter(|bits| keeps && is_whole(bits))?;
            return (self.node(bits.leaf).value == node.value).then_some(bits);
        }
        if node.kind != Kind::Binary || !matches!(node.extra, 0x84 | 0x7c) {
            return None;
        }
        if self.constant_of(node.b).is_none() {
            return self.halves_together(node);
        }
        let (above, tag) = (self.node(node.a), self.constant_of(node.b)?);
        let by = self.constant_of(above.b)?;
        let from = match above.extra {
            0x86 if matches!(by, 8 | 32) => by,
            0x83 if matches!(by, 0xffff_ffff_0000_0000 | 0xffff_ffff_ffff_ff00) => 0,
            _ => return None,
        };
        let bits = self.bits(above.a).filter(|_| above.kind == Kind::Binary && tag < 256)?;
        let same = self.node(bits.leaf).value == node.value && u64::from(bits.lowest) == from;
        same.then_some(Bits { lowest: 0, length: 64, signed: false, ..bits })
    }

    /// The upper and lower half of a payload, composed again.
    fn halves_together(&self, node: &Node) -> Option<Bits> {
        let part = |id: Id, first: u8| {
            let bits = self.bits(id).filter(|bits| bits.lowest == first && bits.length == 32)?;
            (self.node(bits.leaf).value == node.value).then_some(bits)
        };
        let (above, below) = (self.node(node.a), part(node.b, 0)?);
        let shifts = above.extra == 0x86 && self.constant_of(above.b) == Some(32);
        let upper = part(above.a, 32).filter(|_| above.kind == Kind::Binary && shifts)?;
        let same = upper.leaf == below.leaf;
        same.then_some(Bits { lowest: 0, length: 64, signed: false, ..below })
    }

    /// The node that first had the value, if it was only passed on.
    pub fn original_node(&self, id: Id) -> Id {
        self.bits(id).filter(is_whole).map_or(id, |bits| bits.leaf)
    }
}

/// Says whether a host function returns a bare number.
pub fn is_raw(function: &str) -> bool {
    function.starts_with("obj_to_")
        || matches!(
            function,
            "timepoint_obj_to_u64"
                | "duration_obj_to_u64"
                | "prng_u64_in_inclusive_range"
                | "obj_cmp"
                | "vec_binary_search"
        )
}

pub fn is_whole(bits: &Bits) -> bool {
    bits.lowest == 0 && bits.length == 64
}

fn unary_bits(opcode: u8, bits: Bits) -> Option<Bits> {
    match opcode {
        0xa7 if bits.length > 32 => Some(Bits { length: 32, signed: false, ..bits }),
        0xa7 => Some(bits),
        0xad if !bits.signed || bits.length == 32 => Some(Bits { signed: false, ..bits }),
        0xac if bits.length == 32 => Some(Bits { signed: true, ..bits }),
        0xac => Some(bits),
        _ => None,
    }
}

fn binary_bits(opcode: u8, bits: Bits, by: u64) -> Option<Bits> {
    let shift = (by & 63) as u8;
    match opcode {
        0x88 | 0x76 if !bits.signed && shift < bits.length => {
            Some(Bits { lowest: bits.lowest + shift, length: bits.length - shift, ..bits })
        }
        0x87 if (bits.length == 64 || bits.signed) && shift < bits.length => Some(Bits {
            lowest: bits.lowest + shift,
            length: bits.length - shift,
            signed: true,
            ..bits
        }),
        0x83 | 0x71 if by != 0 && by & by.wrapping_add(1) == 0 => {
            let kept = by.trailing_ones() as u8;
            let length = bits.length.min(kept);
            (!bits.signed || kept <= bits.length).then_some(Bits { length, signed: false, ..bits })
        }
        _ => None,
    }
}
