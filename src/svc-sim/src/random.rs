// Random numbers for tests. A seed gives the same numbers everywhere.

/// The splitmix64 generator.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    /// A number that is small, near a power of two, or arbitrary.
    pub fn number(&mut self) -> i64 {
        match self.below(4) {
            0 => self.below(5) as i64 - 2,
            1 => (1i64 << self.below(64)).wrapping_sub(self.below(3) as i64),
            2 => self.next() as i32 as i64,
            _ => self.next() as i64,
        }
    }

    /// Valid bytes with a few changes, which a reader of bytes must survive.
    pub fn mutated(&mut self, valid: &[u8]) -> Vec<u8> {
        let mut bytes = valid.to_vec();
        for _ in 0..=self.below(4) {
            let length = bytes.len().max(1);
            let at = self.below(length);
            let end = (at + 1 + self.below(16)).min(bytes.len());
            match self.below(8) {
                0 => bytes.truncate(at),
                1 => _ = bytes.drain(at..end),
                2 => bytes.splice(at..at, valid[..end.min(valid.len())].to_vec()).for_each(drop),
                3 => bytes[at..end].fill(0xff),
                4 => bytes[at..end].fill(0),
                // The bytes of a large number in wasm and DWARF.
                5 => _ = bytes.splice(at..end, [0xff, 0xff, 0xff, 0xff, 0x0f]),
                6 if at < bytes.len() => bytes[at] = self.next() as u8,
                _ if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                _ => {}
            }
        }
        bytes
    }
}
