// Wasm's variable-length integers.

pub fn write_unsigned(output: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        output.push(number as u8 | 0x80);
        number >>= 7;
    }
    output.push(number as u8);
}

#[cfg(test)]
pub fn write_signed_64(output: &mut Vec<u8>, mut number: i64) {
    loop {
        let byte = number as u8 & 0x7f;
        number >>= 7;
        // The sixth bit of the last byte is the sign.
        let done = (number == 0 && byte & 0x40 == 0) || (number == -1 && byte & 0x40 != 0);
        if done {
            return output.push(byte);
        }
        output.push(byte | 0x80);
    }
}
