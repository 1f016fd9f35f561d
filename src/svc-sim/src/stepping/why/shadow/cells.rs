// The nodes of the values in memory, byte by byte, and the node of what is read from there.

use super::{Id, Kind, Shadow, OLDER, UNKNOWN};

#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    pub(super) node: Id,
    pub(super) byte: u8,
    pub(super) size: u8,
}

impl Shadow {
    pub(super) fn cell(&self, at: u64) -> Cell {
        match self.memory.get(&(at >> 3)) {
            Some(cells) => cells[(at & 7) as usize],
            None => self.fresh(at >> 3),
        }
    }

    /// A word that was not written while the run was watched.
    fn fresh(&self, word: u64) -> Cell {
        let known = self.lost_words.is_empty() || !self.lost_words.contains_key(&word);
        Cell { node: if known { OLDER } else { UNKNOWN }, ..Cell::default() }
    }

    pub(super) fn set_cell(&mut self, at: u64, cell: Cell) {
        let fresh = self.fresh(at >> 3);
        self.memory.entry(at >> 3).or_insert([fresh; 8])[(at & 7) as usize] = cell;
    }

    pub(super) fn write(&mut self, at: u64, size: u8, node: Id) {
        for byte in 0..size {
            self.set_cell(at + u64::from(byte), Cell { node, byte, size });
        }
    }

    pub(super) fn load(&mut self, op: u32, (at, size): (u64, u8), address: Id, value: u64) -> Id {
        // The stored parts of nodes, in order.
        let mut parts: Vec<(Cell, u8)> = vec![];
        for byte in 0..size {
            let cell = self.cell(at + u64::from(byte));
            match parts.last_mut() {
                Some((first, length))
                    if first.node == cell.node
                        && (cell.node <= UNKNOWN || first.byte + *length == cell.byte) =>
                {
                    *length += 1
                }
                _ => parts.push((cell, 1)),
            }
        }
        if parts.iter().any(|(cell, _)| cell.node == UNKNOWN) {
            let words = (at >> 3)..=((at + u64::from(size) - 1) >> 3);
            let when = words.filter_map(|word| self.lost_words.get(&word)).max();
            let when = when.copied().unwrap_or(0);
            return self.lost(op, when, value);
        }
        let mut made = OLDER;
        let mut below = 0;
        for (cell, length) in parts {
            let part = match (cell.node, cell.byte == 0 && cell.size == length) {
                // A word of the contract's own data, or zero.
                (OLDER, _) => self.node(Kind::Const, 0, op, (0, 0, 0), self.from_start),
                (node, true) => node,
                (node, false) => self.part(op, node, u32::from(cell.byte), length),
            };
            if matches!(self.get(part).kind, Kind::Part) || cell.node == OLDER {
                let mask = if length >= 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
                self.nodes[part as usize].value = (value >> (8 * below).min(63)) & mask;
            }
            made = match below {
                0 => part,
                _ => {
                    let constant = self.constant(made) && self.constant(part);
                    self.node(Kind::Join, below, op, (made, part, 0), constant)
                }
            };
            below += length;
            let mask = if below >= 8 { u64::MAX } else { (1 << (8 * below)) - 1 };
            if matches!(self.get(made).kind, Kind::Join) {
                self.nodes[made as usize].value = value & mask;
            }
        }
        let fixed = self.constant(address) || address <= UNKNOWN;
        let constant = self.constant(made) && fixed;
        if !constant && fixed && self.get(made).value == value {
            return made;
        }
        let id = self.node(Kind::Load, size, op, (made, address, 0), constant);
        self.nodes[id as usize].value = value;
        id
    }

    /// Bytes of a node, taken from the nodes that it was composed of.
    fn part(&mut self, op: u32, node: Id, from: u32, length: u8) -> Id {
        let of = self.get(node);
        let (size, below) = (u32::from(length), u32::from(of.extra));
        match (of.kind, of.a, of.b) {
            (Kind::Join, low, _) if from == 0 && size == below => low,
            (Kind::Join, low, _) if from + size <= below => self.part(op, low, from, length),
            (Kind::Join, _, high) if from >= below => self.part(op, high, from - below, length),
            (Kind::Part, whole, _) if from + size <= below => {
                let begins = of.c;
                self.part(op, whole, from + begins, length)
            }
            (Kind::Unpacked, ..) if from == 0 && length == 1 && of.value < 256 => node,
            _ => {
                let constant = of.constant;
                self.node(Kind::Part, length, op, (node, 0, from), constant)
            }
        }
    }
}

pub(super) fn loaded_bytes(opcode: u8) -> u8 {
    match opcode {
        0x29 => 8,
        0x28 | 0x34 | 0x35 => 4,
        0x2e | 0x2f | 0x32 | 0x33 => 2,
        _ => 1,
    }
}
