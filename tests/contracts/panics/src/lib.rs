//! A contract that panics three functions below the one that is called. It needs no SDK: arguments
//! and results are the contract host's 64-bit values.

#![no_std]

/// The host's protocol that the contract is for: SCEnvMetaEntry, protocol 20.
#[link_section = "contractenvmetav0"]
#[used]
static PROTOCOL: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 0];

#[panic_handler]
fn halt(_: &core::panic::PanicInfo) -> ! {
    core::arch::wasm32::unreachable()
}

/// A U32Val holds its number in the upper half.
fn number(value: u64) -> u32 {
    (value >> 32) as u32
}

fn value(number: u32) -> u64 {
    (u64::from(number) << 32) | 4
}

/// Of the name and arguments that the recorded transaction calls (README.md).
#[export_name = "fail"]
pub extern "C" fn fail(amount: u64) -> u64 {
    value(take(number(amount)))
}

#[inline(never)]
fn take(amount: u32) -> u32 {
    check(amount) + 1
}

#[inline(never)]
fn check(amount: u32) -> u32 {
    if amount < 100 {
        refuse();
    }
    amount
}

#[cold]
#[inline(never)]
fn refuse() -> ! {
    panic!("less than the least")
}
