// The arithmetic of wasm, by opcode. A 32-bit value is in the lower half of its word; the upper
// half is zero.

use super::stop::Trap;

pub fn unary(opcode: u8, a: u64) -> u64 {
    let narrow = a as u32;
    match opcode {
        0x45 => u64::from(narrow == 0),
        0x50 => u64::from(a == 0),
        0x67 => u64::from(narrow.leading_zeros()),
        0x68 => u64::from(narrow.trailing_zeros()),
        0x69 => u64::from(narrow.count_ones()),
        0x79 => u64::from(a.leading_zeros()),
        0x7a => u64::from(a.trailing_zeros()),
        0x7b => u64::from(a.count_ones()),
        0xa7 | 0xad => u64::from(narrow),
        0xac => i64::from(narrow as i32) as u64,
        0xc0 => u64::from(i32::from(a as i8) as u32),
        0xc1 => u64::from(i32::from(a as i16) as u32),
        0xc2 => i64::from(a as i8) as u64,
        0xc3 => i64::from(a as i16) as u64,
        // 0xc4, i64.extend32_s
        _ => i64::from(a as i32) as u64,
    }
}

pub fn binary(opcode: u8, a: u64, b: u64) -> Result<u64, Trap> {
    match opcode {
        0x46..=0x4f | 0x6a..=0x78 => binary_32(opcode, a as u32, b as u32).map(u64::from),
        _ => binary_64(opcode, a, b),
    }
}

fn binary_32(opcode: u8, a: u32, b: u32) -> Result<u32, Trap> {
    let (sa, sb) = (a as i32, b as i32);
    Ok(match opcode {
        0x46 => u32::from(a == b),
        0x47 => u32::from(a != b),
        0x48 => u32::from(sa < sb),
        0x49 => u32::from(a < b),
        0x4a => u32::from(sa > sb),
        0x4b => u32::from(a > b),
        0x4c => u32::from(sa <= sb),
        0x4d => u32::from(a <= b),
        0x4e => u32::from(sa >= sb),
        0x4f => u32::from(a >= b),
        0x6a => a.wrapping_add(b),
        0x6b => a.wrapping_sub(b),
        0x6c => a.wrapping_mul(b),
        0x6d..=0x70 if b == 0 => return Err(Trap::DivisionByZero),
        0x6d => sa.checked_div(sb).ok_or(Trap::IntegerOverflow)? as u32,
        0x6e => a / b,
        0x6f => sa.wrapping_rem(sb) as u32,
        0x70 => a % b,
        0x71 => a & b,
        0x72 => a | b,
        0x73 => a ^ b,
        0x74 => a.wrapping_shl(b),
        0x75 => sa.wrapping_shr(b) as u32,
        0x76 => a.wrapping_shr(b),
        0x77 => a.rotate_left(b & 31),
        // 0x78, i32.rotr
        _ => a.rotate_right(b & 31),
    })
}

fn binary_64(opcode: u8, a: u64, b: u64) -> Result<u64, Trap> {
    let (sa, sb) = (a as i64, b as i64);
    Ok(match opcode {
        0x51 => u64::from(a == b),
        0x52 => u64::from(a != b),
        0x53 => u64::from(sa < sb),
        0x54 => u64::from(a < b),
        0x55 => u64::from(sa > sb),
        0x56 => u64::from(a > b),
        0x57 => u64::from(sa <= sb),
        0x58 => u64::from(a <= b),
        0x59 => u64::from(sa >= sb),
        0x5a => u64::from(a >= b),
        0x7c => a.wrapping_add(b),
        0x7d => a.wrapping_sub(b),
        0x7e => a.wrapping_mul(b),
        0x7f..=0x82 if b == 0 => return Err(Trap::DivisionByZero),
        0x7f => sa.checked_div(sb).ok_or(Trap::IntegerOverflow)? as u64,
        0x80 => a / b,
        0x81 => sa.wrapping_rem(sb) as u64,
        0x82 => a % b,
        0x83 => a & b,
        0x84 => a | b,
        0x85 => a ^ b,
        0x86 => a.wrapping_shl(b as u32),
        0x87 => sa.wrapping_shr(b as u32) as u64,
        0x88 => a.wrapping_shr(b as u32),
        0x89 => a.rotate_left((b & 63) as u32),
        // 0x8a, i64.rotr
        _ => a.rotate_right((b & 63) as u32),
    })
}
