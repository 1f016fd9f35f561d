// The linear memory of a machine.

use super::{
    checkpoint::BLOCK_BYTES,
    code::{Code, Op, PAGE_BYTES},
    machine::Machine,
    read_code::MAX_PAGES,
    record::FrameRecord,
    stop::{Stop, Trap},
};

impl Machine {
    /// Runs the operations that grow memory or work on a range of it.
    pub fn in_bulk(&mut self, code: &Code, frame: &FrameRecord, op: &Op) -> Result<(), Stop> {
        let mut pop = || self.stack.pop().ok_or(Stop::Differs("the stack is empty".into()));
        let count = pop()? as u32 as usize;
        if matches!(op, Op::MemoryGrow) {
            return self.grow(code, frame, count);
        }
        let (from, to) = (pop()?, u64::from(pop()? as u32));
        self.spend(frame, count / 64)?;
        let at = from as u32 as usize;
        let range = at..at.saturating_add(count);
        let bytes = match op {
            Op::MemoryCopy => self.memory.get(range),
            Op::MemoryInit(segment) => {
                let dropped = self.dropped.get(*segment as usize) != Some(&false);
                let data = code.data.get(*segment as usize).filter(|_| !dropped);
                data.map_or(&[][..], |(_, data)| data).get(range)
            }
            // The range is checked before it is filled, so that an invalid one takes no memory.
            _ => self.bytes(to, count),
        };
        let bytes = match (op, bytes) {
            (_, None) => return Err(OUT_OF_BOUNDS),
            (Op::MemoryFill, Some(_)) => vec![from as u8; count],
            (_, Some(bytes)) => bytes.to_vec(),
        };
        self.write(to, &bytes).ok_or(OUT_OF_BOUNDS)
    }

    fn grow(&mut self, code: &Code, frame: &FrameRecord, pages: usize) -> Result<(), Stop> {
        if pages <= 65_536 {
            self.spend(frame, pages * PAGE_BYTES / 64)?;
        }
        let before = self.memory.len() / PAGE_BYTES;
        let after = before + pages;
        let fits = after <= code.max_memory_pages && after <= 65_536;
        if fits && after > MAX_PAGES {
            return Err(Stop::Trapped(Trap::LimitExceeded));
        }
        if fits {
            self.memory.resize(after * PAGE_BYTES, 0);
            self.saved.resize(self.memory.len() / BLOCK_BYTES, None);
            self.changed.resize(self.memory.len() / BLOCK_BYTES, false);
        }
        self.stack.push(if fits { before as u64 } else { u64::from(u32::MAX) });
        Ok(())
    }

    fn spend(&mut self, frame: &FrameRecord, fuel: usize) -> Result<(), Stop> {
        self.fuel += fuel as u64;
        match self.fuel > frame.fuel_before(self.host_calls) {
            true => Err(Stop::Trapped(Trap::LimitExceeded)),
            false => Ok(()),
        }
    }

    pub fn bytes(&self, at: u64, count: usize) -> Option<&[u8]> {
        let at = usize::try_from(at).ok()?;
        self.memory.get(at..at.checked_add(count)?)
    }

    pub fn write(&mut self, at: u64, bytes: &[u8]) -> Option<()> {
        let at = usize::try_from(at).ok()?;
        self.memory.get_mut(at..at.checked_add(bytes.len())?)?.copy_from_slice(bytes);
        if let Some(last) = bytes.len().checked_sub(1) {
            for block in at / BLOCK_BYTES..=(at + last) / BLOCK_BYTES {
                self.changed[block] = true;
            }
        }
        Some(())
    }

    pub fn load(&self, opcode: u8, at: u64) -> Option<u64> {
        let byte = |count| self.bytes(at, count);
        Some(match opcode {
            0x28 | 0x35 => u64::from(u32::from_le_bytes(byte(4)?.try_into().ok()?)),
            0x29 => u64::from_le_bytes(byte(8)?.try_into().ok()?),
            0x2c => u64::from(i32::from(byte(1)?[0] as i8) as u32),
            0x2d | 0x31 => u64::from(byte(1)?[0]),
            0x2e => u64::from(i32::from(i16::from_le_bytes(byte(2)?.try_into().ok()?)) as u32),
            0x2f | 0x33 => u64::from(u16::from_le_bytes(byte(2)?.try_into().ok()?)),
            0x30 => i64::from(byte(1)?[0] as i8) as u64,
            0x32 => i64::from(i16::from_le_bytes(byte(2)?.try_into().ok()?)) as u64,
            // 0x34, i64.load32_s
            _ => i64::from(i32::from_le_bytes(byte(4)?.try_into().ok()?)) as u64,
        })
    }
}

pub const OUT_OF_BOUNDS: Stop = Stop::Trapped(Trap::MemoryOutOfBounds);

pub fn stored_bytes(opcode: u8) -> usize {
    match opcode {
        0x37 => 8,
        0x36 | 0x3e => 4,
        0x3b | 0x3d => 2,
        _ => 1,
    }
}
