// More failures whose condition is in plain sight, in the shapes that contracts in production have:
// tests/explain/deciding-shapes.test.ts has for each the sentence that its source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, symbol_short, Address,
    Bytes, BytesN, Duration, Env, Map, String, Symbol, Timepoint, Vec, I256, U256,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq)]
#[repr(u32)]
pub enum Failed {
    NotFound = 1,
    Invalid = 2,
    TooSmall = 3,
    TooLarge = 4,
    Late = 5,
    Denied = 6,
    Overflow = 7,
}

#[contracttype]
#[derive(Clone)]
pub enum Key {
    Balance(Symbol),
    Flags,
    Hash,
    Owner,
    Start,
}

#[contracttype]
#[derive(Clone)]
pub struct Token {
    pub amount: i128,
    pub asset: Address,
    pub decimals: u32,
}

#[contracttype]
#[derive(Clone)]
pub struct Limits {
    pub least: i128,
    pub most: i128,
}

#[contracttype]
#[derive(Clone)]
pub struct Order {
    pub id: u64,
    pub limits: Limits,
    pub memo: Option<Symbol>,
    pub tokens: Vec<Token>,
}

#[contracttype]
#[derive(Clone)]
pub struct Config {
    pub cap: i128,
    pub fee: u32,
    pub limits: Limits,
    pub owner: Address,
    pub paused: bool,
}

#[contracttype]
#[derive(Clone)]
pub struct Pair(pub u32, pub i128);

#[contracttype]
#[derive(Clone)]
pub enum Action {
    Market,
    Limit(i128),
    Stop(u32, u64),
}

#[contracttype]
#[derive(Copy, Clone, PartialEq)]
#[repr(u32)]
pub enum Status {
    Open = 0,
    Paused = 1,
    Closed = 2,
}

const CONFIG: Symbol = symbol_short!("config");
const DAY: u64 = 86_400;

#[contract]
pub struct Shapes;

#[inline(never)]
fn require(env: &Env, holds: bool, error: Failed) {
    if !holds {
        panic_with_error!(env, error);
    }
}

#[inline(never)]
fn stop(env: &Env, error: Failed) -> ! {
    panic_with_error!(env, error)
}

#[inline(never)]
fn not_negative(env: &Env, amount: i128) {
    if amount < 0 {
        stop(env, Failed::TooSmall)
    }
}

#[inline(never)]
fn fee_of(amount: i128, basis_points: u32) -> Result<i128, Failed> {
    let product = amount.checked_mul(basis_points as i128).ok_or(Failed::Overflow)?;
    Ok(product / 10_000)
}

#[inline(never)]
fn after_fee(amount: i128, basis_points: u32, least: i128) -> Result<i128, Failed> {
    let fee = fee_of(amount, basis_points)?;
    let rest = amount - fee;
    if rest < least {
        return Err(Failed::TooSmall);
    }
    Ok(rest)
}

#[inline(never)]
fn config(env: &Env) -> Result<Config, Failed> {
    env.storage().instance().get(&CONFIG).ok_or(Failed::NotFound)
}

#[inline(never)]
fn open_config(env: &Env) -> Result<Config, Failed> {
    let config = config(env)?;
    if config.paused {
        return Err(Failed::Denied);
    }
    Ok(config)
}

#[contractimpl]
impl Shapes {
    // Products, quotients and sums of 128 bits.
    pub fn mul_i128(_env: Env, a: i128, b: i128) -> i128 {
        a * b
    }
    pub fn mul_u128(_env: Env, a: u128, b: u128) -> u128 {
        a * b
    }
    pub fn checked_mul(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        a.checked_mul(b).ok_or(Failed::Overflow)
    }
    pub fn checked_mul_u128(_env: Env, a: u128, b: u128) -> Result<u128, Failed> {
        a.checked_mul(b).ok_or(Failed::Overflow)
    }
    pub fn checked_add(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        a.checked_add(b).ok_or(Failed::Overflow)
    }
    pub fn checked_add_u128(_env: Env, a: u128, b: u128) -> Result<u128, Failed> {
        a.checked_add(b).ok_or(Failed::Overflow)
    }
    pub fn checked_sub(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        a.checked_sub(b).ok_or(Failed::Overflow)
    }
    pub fn checked_sub_u128(_env: Env, a: u128, b: u128) -> Result<u128, Failed> {
        a.checked_sub(b).ok_or(Failed::Overflow)
    }
    pub fn mul_div(_env: Env, a: i128, b: i128, c: i128) -> Result<i128, Failed> {
        let product = a.checked_mul(b).ok_or(Failed::Overflow)?;
        product.checked_div(c).ok_or(Failed::Invalid)
    }
    pub fn fee(_env: Env, amount: i128, basis_points: u32) -> i128 {
        amount.checked_mul(basis_points as i128).unwrap() / 10_000
    }
    pub fn percent(env: Env, amount: i128, most: i128) -> i128 {
        let fee = amount * 5 / 100;
        if fee > most {
            panic_with_error!(&env, Failed::TooLarge);
        }
        fee
    }
    pub fn divide_u128(_env: Env, a: u128, b: u128) -> u128 {
        a / b
    }
    pub fn checked_divide(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        a.checked_div(b).ok_or(Failed::Invalid)
    }
    pub fn negate(_env: Env, a: i128) -> i128 {
        a.checked_neg().unwrap()
    }
    pub fn output(env: Env, amount: i128, from: i128, to: i128, least: i128) -> i128 {
        let out = amount * to / (from + amount);
        if out < least {
            panic_with_error!(&env, Failed::TooSmall);
        }
        out
    }
    pub fn above_const(env: Env, amount: i128) -> i128 {
        if amount > 1_000_000_000_000 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        amount
    }
    pub fn above_big(env: Env, amount: i128) -> i128 {
        if amount > 100_000_000_000_000_000_000_000 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        amount
    }
    pub fn below_minus(env: Env, amount: i128) -> i128 {
        if amount < -5 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        amount
    }
    pub fn not_const(env: Env, amount: i128) -> i128 {
        if amount != 500 {
            panic_with_error!(&env, Failed::Invalid);
        }
        amount
    }
    pub fn not_equal_u128(env: Env, a: u128, b: u128) -> u128 {
        if a != b {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    pub fn within_i128(env: Env, amount: i128) -> i128 {
        if !(10..=20).contains(&amount) {
            panic_with_error!(&env, Failed::Invalid);
        }
        amount
    }
    // 64 and 32 bits.
    pub fn checked_mul_u64(_env: Env, a: u64, b: u64) -> Result<u64, Failed> {
        a.checked_mul(b).ok_or(Failed::Overflow)
    }
    pub fn checked_mul_i64(_env: Env, a: i64, b: i64) -> Result<i64, Failed> {
        a.checked_mul(b).ok_or(Failed::Overflow)
    }
    pub fn checked_mul_u32(_env: Env, a: u32, b: u32) -> Result<u32, Failed> {
        a.checked_mul(b).ok_or(Failed::Overflow)
    }
    pub fn checked_mul_i32(_env: Env, a: i32, b: i32) -> Result<i32, Failed> {
        a.checked_mul(b).ok_or(Failed::Overflow)
    }
    pub fn checked_sub_u64(_env: Env, a: u64, b: u64) -> Result<u64, Failed> {
        a.checked_sub(b).ok_or(Failed::Overflow)
    }
    pub fn checked_sub_i64(_env: Env, a: i64, b: i64) -> Result<i64, Failed> {
        a.checked_sub(b).ok_or(Failed::Overflow)
    }
    pub fn checked_sub_i32(_env: Env, a: i32, b: i32) -> Result<i32, Failed> {
        a.checked_sub(b).ok_or(Failed::Overflow)
    }
    pub fn checked_add_u64(_env: Env, a: u64, b: u64) -> Result<u64, Failed> {
        a.checked_add(b).ok_or(Failed::Overflow)
    }
    pub fn checked_add_i64(_env: Env, a: i64, b: i64) -> Result<i64, Failed> {
        a.checked_add(b).ok_or(Failed::Overflow)
    }
    pub fn less_i64(env: Env, a: i64, b: i64) -> i64 {
        if a < b {
            panic_with_error!(&env, Failed::TooSmall);
        }
        a
    }
    pub fn below_i64(env: Env, a: i64) -> i64 {
        if a <= -7 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        a
    }
    pub fn wide(env: Env, a: u32, b: u32) -> u64 {
        let product = a as u64 * b as u64;
        if product > 1000 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        product
    }
    pub fn smaller(env: Env, a: u32, b: u32) -> u32 {
        let least = a.min(b);
        if least == 0 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        least
    }
    pub fn distance(env: Env, a: u32, b: u32) -> u32 {
        let distance = a.abs_diff(b);
        if distance > 5 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        distance
    }
    pub fn left(env: Env, most: u32, used: u32) -> u32 {
        let left = most.saturating_sub(used);
        if left == 0 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        left
    }
    // Remainders and bits.
    pub fn multiple(env: Env, amount: u32, of: u32) -> u32 {
        if amount % of != 0 {
            panic_with_error!(&env, Failed::Invalid);
        }
        amount
    }
    pub fn odd(env: Env, amount: u32) -> u32 {
        if amount % 2 == 1 {
            panic_with_error!(&env, Failed::Invalid);
        }
        amount
    }
    pub fn minutes(env: Env, seconds: u64) -> u64 {
        if seconds % 60 != 0 {
            panic_with_error!(&env, Failed::Invalid);
        }
        seconds
    }
    pub fn multiple_i128(env: Env, amount: i128, of: i128) -> i128 {
        if amount % of != 0 {
            panic_with_error!(&env, Failed::Invalid);
        }
        amount
    }
    pub fn tens(env: Env, amount: i128) -> i128 {
        if amount % 10 != 0 {
            panic_with_error!(&env, Failed::Invalid);
        }
        amount
    }
    pub fn flag(env: Env, flags: u32) -> u32 {
        if flags & 4 == 0 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn no_flag(env: Env, flags: u32) -> u32 {
        if flags & 0x10 != 0 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn both_flags(env: Env, flags: u32) -> u32 {
        if flags & 6 != 6 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn flag_u64(env: Env, flags: u64) -> u64 {
        if flags & (1 << 40) == 0 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn flag_at(env: Env, flags: u32, bit: u32) -> u32 {
        if (flags >> bit) & 1 == 0 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn flag_at_u128(env: Env, flags: u128, bit: u32) -> u128 {
        if bit > 127 || flags & (1 << bit) == 0 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn stored_flag(env: Env, mask: u32) -> u32 {
        let flags: u32 = env.storage().persistent().get(&Key::Flags).unwrap();
        if flags & mask == 0 {
            panic_with_error!(&env, Failed::Denied);
        }
        flags
    }
    pub fn chosen(env: Env, code: u32) -> u32 {
        if matches!(code, 33 | 35 | 40 | 60 | 61) {
            stop(&env, Failed::Invalid);
        }
        code
    }
    pub fn upper(env: Env, packed: u64) -> u64 {
        if packed >> 32 > 9 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        packed
    }
    pub fn status(env: Env, status: Status) -> u32 {
        if status != Status::Open {
            panic_with_error!(&env, Failed::Denied);
        }
        status as u32
    }
    pub fn named_status(env: Env, status: u32) -> u32 {
        match status {
            0 => 5,
            1 => panic_with_error!(&env, Failed::Denied),
            2 => panic_with_error!(&env, Failed::Late),
            _ => panic_with_error!(&env, Failed::Invalid),
        }
    }
    // Casts.
    pub fn to_u32(_env: Env, amount: i128) -> u32 {
        u32::try_from(amount).unwrap()
    }
    pub fn to_u64(_env: Env, amount: i128) -> Result<u64, Failed> {
        u64::try_from(amount).map_err(|_| Failed::Overflow)
    }
    pub fn to_u128(_env: Env, amount: i128) -> u128 {
        amount.try_into().expect("not negative")
    }
    pub fn to_i128(_env: Env, amount: u128) -> Result<i128, Failed> {
        amount.try_into().map_err(|_| Failed::Overflow)
    }
    pub fn narrow(_env: Env, amount: u64) -> u32 {
        amount.try_into().unwrap()
    }
    pub fn narrow_u8(_env: Env, amount: u32) -> u32 {
        let byte: u8 = amount.try_into().unwrap();
        byte as u32
    }
    pub fn fixed(_env: Env, bytes: Bytes) -> u32 {
        let fixed: BytesN<32> = bytes.try_into().unwrap();
        fixed.get_unchecked(0) as u32
    }
    // Equality of what is compared by the host.
    pub fn same_hash(env: Env, a: BytesN<32>, b: BytesN<32>) -> u32 {
        if a != b {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn zero_hash(env: Env, hash: BytesN<32>) -> u32 {
        if hash == BytesN::from_array(&env, &[0; 32]) {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn stored_hash(env: Env, hash: BytesN<32>) -> u32 {
        let known: BytesN<32> = env.storage().persistent().get(&Key::Hash).unwrap();
        if known != hash {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn owner(env: Env, caller: Address) -> u32 {
        let owner: Address = env.storage().persistent().get(&Key::Owner).unwrap();
        if caller != owner {
            panic_with_error!(&env, Failed::Denied);
        }
        1
    }
    pub fn itself(env: Env, to: Address) -> u32 {
        if to == env.current_contract_address() {
            panic_with_error!(&env, Failed::Denied);
        }
        1
    }
    pub fn text(env: Env, text: String) -> u32 {
        if text != String::from_str(&env, "hello") {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn long_name(env: Env, name: Symbol) -> u32 {
        if name != Symbol::new(&env, "transfer_from") {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn two_names(env: Env, a: Symbol, b: Symbol) -> u32 {
        if a == b {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn first_byte(env: Env, hash: BytesN<32>) -> u32 {
        if hash.to_array()[0] != 7 {
            panic_with_error!(&env, Failed::Invalid);
        }
        1
    }
    pub fn byte_at(env: Env, bytes: Bytes, index: u32) -> u32 {
        let byte = bytes.get(index).unwrap();
        if byte > 9 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        byte as u32
    }
    // Vectors and maps.
    pub fn same_length(env: Env, a: Vec<u32>, b: Vec<u32>) -> u32 {
        if a.len() != b.len() {
            panic_with_error!(&env, Failed::Invalid);
        }
        a.len()
    }
    pub fn at_most_three(env: Env, list: Vec<u32>) -> u32 {
        if list.len() > 3 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        list.len()
    }
    pub fn text_length(env: Env, text: String) -> u32 {
        if text.len() > 4 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        text.len()
    }
    pub fn has(env: Env, map: Map<Symbol, i128>, key: Symbol) -> u32 {
        if !map.contains_key(key) {
            panic_with_error!(&env, Failed::NotFound);
        }
        map.len()
    }
    pub fn has_not(env: Env, map: Map<Symbol, i128>, key: Symbol) -> u32 {
        if map.contains_key(key) {
            panic_with_error!(&env, Failed::Invalid);
        }
        map.len()
    }
    pub fn value(_env: Env, map: Map<Symbol, i128>, key: Symbol) -> i128 {
        map.get(key).unwrap()
    }
    pub fn value_least(env: Env, map: Map<Symbol, i128>, key: Symbol, least: i128) -> i128 {
        let value = map.get(key).unwrap_or(0);
        if value < least {
            panic_with_error!(&env, Failed::TooSmall);
        }
        value
    }
    pub fn at(env: Env, list: Vec<i128>, index: u32) -> i128 {
        let value = list.get(index).unwrap();
        if value < 0 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        value
    }
    pub fn first(_env: Env, list: Vec<u32>) -> u32 {
        list.first().unwrap()
    }
    pub fn last(env: Env, list: Vec<u32>) -> u32 {
        let last = list.last().unwrap();
        if last > 9 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        last
    }
    pub fn contains(env: Env, list: Vec<u32>, wanted: u32) -> u32 {
        if !list.contains(wanted) {
            panic_with_error!(&env, Failed::NotFound);
        }
        wanted
    }
    pub fn empty_map(env: Env, map: Map<Symbol, i128>) -> u32 {
        if map.is_empty() {
            panic_with_error!(&env, Failed::Invalid);
        }
        map.len()
    }
    // Structs, tuples, enums and options.
    pub fn action(env: Env, action: Action) -> u32 {
        match action {
            Action::Market => panic_with_error!(&env, Failed::Denied),
            Action::Limit(price) => {
                if price < 10 {
                    panic_with_error!(&env, Failed::TooSmall);
                }
                1
            }
            Action::Stop(count, time) => {
                if time > 1000 {
                    panic_with_error!(&env, Failed::Late);
                }
                count
            }
        }
    }
    pub fn pair(env: Env, pair: Pair) -> u32 {
        if pair.1 < 100 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        pair.0
    }
    pub fn tuple(env: Env, both: (u32, i128)) -> u32 {
        if both.0 > 5 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        both.0
    }
    pub fn third(env: Env, order: Order) -> i128 {
        let token = order.tokens.get(2).unwrap();
        if token.amount < 1 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        token.amount
    }
    pub fn limits(env: Env, order: Order) -> i128 {
        if order.limits.least > order.limits.most {
            panic_with_error!(&env, Failed::Invalid);
        }
        order.limits.least
    }
    pub fn memo(env: Env, order: Order) -> Symbol {
        match order.memo {
            Some(memo) => memo,
            None => panic_with_error!(&env, Failed::NotFound),
        }
    }
    pub fn decimals(env: Env, order: Order) -> u32 {
        for token in order.tokens.iter() {
            if token.decimals > 18 {
                panic_with_error!(&env, Failed::TooLarge);
            }
        }
        order.tokens.len()
    }
    pub fn option(env: Env, limit: Option<i128>) -> i128 {
        let limit = limit.unwrap_or(5);
        if limit < 10 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        limit
    }
    pub fn option_some(env: Env, limit: Option<i128>, amount: i128) -> i128 {
        if let Some(limit) = limit {
            if amount > limit {
                panic_with_error!(&env, Failed::TooLarge);
            }
        }
        amount
    }
    pub fn needed(_env: Env, who: Option<Address>) -> Address {
        who.expect("nobody")
    }
    // Loops.
    pub fn by_index(env: Env, list: Vec<i128>) -> u32 {
        for index in 0..list.len() {
            if list.get_unchecked(index) == 0 {
                panic_with_error!(&env, Failed::Invalid);
            }
        }
        list.len()
    }
    pub fn sorted(env: Env, list: Vec<u32>) -> u32 {
        let mut last = 0;
        for value in list.iter() {
            if value < last {
                panic_with_error!(&env, Failed::Invalid);
            }
            last = value;
        }
        last
    }
    pub fn total(env: Env, list: Vec<i128>, most: i128) -> i128 {
        let mut total = 0i128;
        for value in list.iter() {
            total = total.checked_add(value).unwrap();
        }
        if total > most {
            panic_with_error!(&env, Failed::TooLarge);
        }
        total
    }
    pub fn map_values(env: Env, map: Map<Symbol, i128>) -> u32 {
        for (_key, value) in map.iter() {
            if value <= 0 {
                panic_with_error!(&env, Failed::TooSmall);
            }
        }
        map.len()
    }
    pub fn matrix(env: Env, rows: Vec<Vec<u32>>) -> u32 {
        for row in rows.iter() {
            for value in row.iter() {
                if value == 13 {
                    panic_with_error!(&env, Failed::Invalid);
                }
            }
        }
        rows.len()
    }
    pub fn twins(env: Env, list: Vec<Address>) -> u32 {
        for one in 0..list.len() {
            for other in one + 1..list.len() {
                if list.get_unchecked(one) == list.get_unchecked(other) {
                    panic_with_error!(&env, Failed::Invalid);
                }
            }
        }
        list.len()
    }
    // 256 bits, times.
    pub fn u256_above(env: Env, a: U256, b: U256) -> u32 {
        if a > b {
            panic_with_error!(&env, Failed::TooLarge);
        }
        1
    }
    pub fn i256_negative(env: Env, a: I256) -> u32 {
        if a < I256::from_i32(&env, 0) {
            panic_with_error!(&env, Failed::TooSmall);
        }
        1
    }
    pub fn u256_fits(_env: Env, a: U256) -> u128 {
        a.to_u128().unwrap()
    }
    pub fn wide_mul_div(env: Env, a: i128, b: i128, c: i128) -> i128 {
        if c == 0 {
            panic_with_error!(&env, Failed::Invalid);
        }
        let product = I256::from_i128(&env, a).mul(&I256::from_i128(&env, b));
        product.div(&I256::from_i128(&env, c)).to_i128().unwrap()
    }
    pub fn after(env: Env, time: Timepoint) -> u64 {
        if env.ledger().timestamp() < time.to_unix() {
            panic_with_error!(&env, Failed::Late);
        }
        time.to_unix()
    }
    pub fn at_least_a_day(env: Env, duration: Duration) -> u64 {
        if duration.to_seconds() < DAY {
            panic_with_error!(&env, Failed::TooSmall);
        }
        duration.to_seconds()
    }
    pub fn unlocked(env: Env, wait: u64) -> u64 {
        let start: u64 = env.storage().persistent().get(&Key::Start).unwrap();
        if env.ledger().timestamp() < start + wait {
            panic_with_error!(&env, Failed::Late);
        }
        start
    }
    pub fn valid(env: Env, amount: i128, until: u32) -> u32 {
        if amount > 0 && until < env.ledger().sequence() {
            panic_with_error!(&env, Failed::Late);
        }
        until
    }
    // Conditions of several parts.
    pub fn all_of(env: Env, a: u32, b: u32, c: u32) -> u32 {
        if !(a > 0 && b > 10 && c < 20) {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    pub fn any_of(env: Env, a: i128, b: i128, c: bool) -> i128 {
        if a <= 0 || b <= 0 || c {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    pub fn mixed(env: Env, a: u32, b: u32, c: u32) -> u32 {
        if (a > 5 && b > 5) || c > 5 {
            panic_with_error!(&env, Failed::Invalid);
        }
        a
    }
    pub fn required(env: Env, amount: i128, most: i128) -> i128 {
        require(&env, amount > 0, Failed::TooSmall);
        require(&env, amount <= most, Failed::TooLarge);
        amount
    }
    pub fn asserted(_env: Env, amount: u64) -> u64 {
        assert!(amount >= 5, "too small");
        amount
    }
    pub fn asserted_equal(_env: Env, a: u32, b: u32) -> u32 {
        assert_eq!(a, b);
        a
    }
    pub fn checked(env: Env, amount: i128) -> i128 {
        not_negative(&env, amount);
        amount
    }
    // Results through functions.
    pub fn net(_env: Env, amount: i128, basis_points: u32, least: i128) -> Result<i128, Failed> {
        after_fee(amount, basis_points, least)
    }
    pub fn configured(env: Env, amount: i128) -> Result<i128, Failed> {
        let config = open_config(&env)?;
        if amount > config.cap {
            return Err(Failed::TooLarge);
        }
        if amount < config.limits.least {
            return Err(Failed::TooSmall);
        }
        Ok(config.cap)
    }
    pub fn initialize(env: Env) -> Result<(), Failed> {
        if env.storage().instance().has(&CONFIG) {
            return Err(Failed::Invalid);
        }
        Ok(())
    }
    pub fn spend(env: Env, from: Symbol, to: Symbol, amount: i128) -> Result<(), Failed> {
        not_negative(&env, amount);
        let key = Key::Balance(from);
        let balance: i128 = env.storage().persistent().get(&key).unwrap_or_default();
        if balance < amount {
            return Err(Failed::TooLarge);
        }
        env.storage().persistent().set(&key, &(balance - amount));
        let key = Key::Balance(to);
        let other: i128 = env.storage().persistent().get(&key).unwrap_or_default();
        env.storage().persistent().set(&key, &(other.checked_add(amount).unwrap()));
        Ok(())
    }
    /// A default of another kind: nothing is too small.
    pub fn least_stored(env: Env, key: Symbol, most: i128) -> i128 {
        let balance = env.storage().persistent().get(&Key::Balance(key)).unwrap_or(1000i128);
        if balance > most {
            panic_with_error!(&env, Failed::TooLarge);
        }
        balance
    }
    /// The same helper, on the good path and on the bad one.
    pub fn twice(env: Env, a: i128, b: i128) -> i128 {
        not_negative(&env, a);
        not_negative(&env, b);
        a
    }
    /// Many instructions before the check.
    pub fn busy(env: Env, rounds: u32, amount: i128, limit: u32) -> u32 {
        let mut hash: u32 = 17;
        let mut round = 0u32;
        while round < rounds {
            hash = (hash ^ round).wrapping_mul(16_777_619).rotate_left(5);
            round = round.wrapping_add(1);
        }
        if amount < 7 {
            panic_with_error!(&env, Failed::TooSmall);
        }
        if limit < 5 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        hash
    }
    /// The value that decides is computed in the middle of a long run.
    pub fn busy_between(env: Env, rounds: u32, list: Vec<u32>) -> u32 {
        let mut hash: u32 = 17;
        let mut round = 0u32;
        while round < rounds {
            hash = (hash ^ round).wrapping_mul(16_777_619).rotate_left(5);
            round = round.wrapping_add(1);
        }
        let found = list.get(hash % 1).unwrap();
        round = 0;
        while round < rounds {
            hash = (hash ^ round).wrapping_mul(16_777_619).rotate_left(5);
            round = round.wrapping_add(1);
        }
        if found > 9 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        hash
    }
}
