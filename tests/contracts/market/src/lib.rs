// A market, a vault, locks and votes, as such contracts are written: failures whose condition is in
// plain sight, which tests/explain/deciding-market.test.ts has for each.
#![no_std]
use soroban_sdk::{
    assert_with_error, contract, contractclient, contracterror, contractimpl, contracttype,
    panic_with_error, vec, Address, Bytes, BytesN, Env, Map, String, Symbol, TryFromVal, Val, Vec,
    I256, U256,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Failed {
    NotFound = 1,
    Invalid = 2,
    TooSmall = 3,
    TooLarge = 4,
    Late = 5,
    Denied = 6,
    Overflow = 7,
    Slippage = 8,
    Called = 9,
}

#[contracttype]
#[derive(Clone)]
pub enum Key {
    Admin,
    Allowance(Address, Address),
    Balance(Address),
    Balances,
    Bits,
    Draft(u32),
    Lock,
    Members,
    Position(Address, u32),
    Reserves,
    Role(Address),
    Stage,
    Unlocks,
}

#[contracttype]
#[derive(Clone)]
pub struct Reserves {
    pub a: i128,
    pub b: i128,
    pub shares: i128,
}

#[contracttype]
#[derive(Clone)]
pub struct Unlock {
    pub amount: i128,
    pub at: u64,
}

#[contracttype]
#[derive(Clone)]
pub struct Allowance {
    pub amount: i128,
    pub until: u32,
}

#[contracttype]
#[derive(Clone)]
pub struct Draft {
    pub against: u32,
    pub ends: u64,
    pub executed: bool,
    pub quorum: Option<u32>,
    pub voted: u32,
}

#[contracttype]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stage {
    New = 0,
    Open = 1,
    Paused = 2,
    Closed = 3,
}

#[contracttype]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Admin,
    Trader,
    Reader,
}

#[contracttype]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asset {
    Stellar(Address),
    Other(Symbol),
}

const SCALE: i128 = 10_000_000;
const YEAR: u64 = 31_536_000;
const ALLOWED: u32 = 0b1011;

macro_rules! require {
    ($condition:expr, $error:expr) => {
        if !$condition {
            return Err($error);
        }
    };
}

macro_rules! ensure {
    ($env:expr, $condition:expr, $error:expr) => {
        if !($condition) {
            panic_with_error!($env, $error)
        }
    };
}

fn reserves(env: &Env) -> Reserves {
    env.storage().persistent().get(&Key::Reserves).unwrap()
}

/// As libraries for fixed-point numbers do: in 256 bits where the product needs them.
fn mul_div(env: &Env, a: i128, b: i128, by: i128) -> Option<i128> {
    match a.checked_mul(b) {
        Some(product) => floor(product, by),
        None => {
            let product = I256::from_i128(env, a).mul(&I256::from_i128(env, b));
            product.div(&I256::from_i128(env, by)).to_i128()
        }
    }
}

fn floor(product: i128, by: i128) -> Option<i128> {
    if by == 0 {
        return None;
    }
    let is_negative = (product < 0) != (by < 0);
    let quotient = product.checked_div(by)?;
    if is_negative && product % by != 0 {
        return quotient.checked_sub(1);
    }
    Some(quotient)
}

trait Checked {
    fn add_or(self, other: i128) -> Result<i128, Failed>;
    fn sub_or(self, other: i128) -> Result<i128, Failed>;
}

impl Checked for i128 {
    fn add_or(self, other: i128) -> Result<i128, Failed> {
        self.checked_add(other).ok_or(Failed::Overflow)
    }
    fn sub_or(self, other: i128) -> Result<i128, Failed> {
        self.checked_sub(other).ok_or(Failed::Overflow)
    }
}

fn stage(env: &Env) -> Stage {
    env.storage().persistent().get(&Key::Stage).unwrap_or(Stage::New)
}

fn admin(env: &Env) -> Result<Address, Failed> {
    env.storage().instance().get(&Key::Admin).ok_or(Failed::NotFound)
}

fn balance(env: &Env, of: &Address) -> i128 {
    env.storage().persistent().get(&Key::Balance(of.clone())).unwrap_or(0)
}

fn check_not_negative(amount: i128) {
    if amount < 0 {
        panic!("negative amount is not allowed: {}", amount)
    }
}

/// Many instructions.
#[inline(never)]
fn work(rounds: u32, seed: u32) -> u32 {
    let mut hash = seed;
    for round in 0..rounds {
        hash = (hash ^ round).wrapping_mul(16_777_619).rotate_left(5);
    }
    hash
}

#[inline(never)]
fn keep(kept: &mut [i128; 4], amounts: &Vec<i128>) {
    for (place, amount) in kept.iter_mut().zip(amounts.iter()) {
        *place = amount;
    }
}

#[inline(never)]
fn take_fee(kept: &mut [i128; 4], seed: u32) {
    kept[(seed % 2) as usize + 2] = kept[0] - 3;
    kept[3 - (seed % 2) as usize] = kept[0] - 3;
}

#[inline(never)]
fn check(kept: &[i128; 4], index: u32, least: i128) -> Result<(), Failed> {
    require!(kept[index as usize % 4] >= least, Failed::TooSmall);
    Ok(())
}

#[contractclient(name = "OtherClient")]
pub trait Other {
    fn quote(env: Env, amount: i128) -> Result<i128, Failed>;
}

#[contract]
pub struct Market;

#[contractimpl]
impl Market {
    // A pool.
    pub fn swap(env: Env, amount: i128, least: i128) -> Result<i128, Failed> {
        let Reserves { a, b, .. } = reserves(&env);
        let with_fee = amount.checked_mul(997).ok_or(Failed::Overflow)?;
        let above = with_fee.checked_mul(b).ok_or(Failed::Overflow)?;
        let below = a.checked_mul(1000).ok_or(Failed::Overflow)?.add_or(with_fee)?;
        let out = above.checked_div(below).ok_or(Failed::Invalid)?;
        require!(out >= least, Failed::Slippage);
        require!(out < b, Failed::TooLarge);
        Ok(out)
    }
    pub fn price(env: Env, least: i128) -> Result<i128, Failed> {
        let Reserves { a, b, .. } = reserves(&env);
        let price = a * SCALE / b;
        if price < least {
            return Err(Failed::TooSmall);
        }
        Ok(price)
    }
    pub fn shares(env: Env, amount: i128, least: i128) -> Result<i128, Failed> {
        let Reserves { a, shares, .. } = reserves(&env);
        let minted = mul_div(&env, amount, shares, a).ok_or(Failed::Overflow)?;
        require!(minted >= least, Failed::Slippage);
        Ok(minted)
    }
    pub fn minted(env: Env, amount: i128) -> Result<i128, Failed> {
        let Reserves { a, shares, .. } = reserves(&env);
        let minted = amount * shares / a;
        require!(minted > 0, Failed::TooSmall);
        Ok(minted)
    }
    pub fn remove(env: Env, shares: i128, least_a: i128, least_b: i128) -> Result<i128, Failed> {
        let Reserves { a, b, shares: all } = reserves(&env);
        require!(shares <= all, Failed::TooLarge);
        let (out_a, out_b) = (a * shares / all, b * shares / all);
        if out_a < least_a || out_b < least_b {
            return Err(Failed::Slippage);
        }
        Ok(out_a)
    }
    pub fn add(env: Env, amounts: Vec<i128>) -> Result<i128, Failed> {
        let mut sum = 0i128;
        for amount in amounts.iter() {
            require!(amount >= 0, Failed::TooSmall);
            sum = sum.add_or(amount)?;
        }
        require!(sum != 0, Failed::TooSmall);
        ensure!(&env, amounts.len() == 2, Failed::Invalid);
        Ok(sum)
    }
    pub fn invariant(env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        let before = reserves(&env);
        if a * b < before.a * before.b {
            return Err(Failed::Invalid);
        }
        Ok(a * b)
    }
    pub fn wide_mul_div(env: Env, a: i128, b: i128, by: i128) -> Result<i128, Failed> {
        mul_div(&env, a, b, by).ok_or(Failed::Overflow)
    }
    pub fn utilization(_env: Env, borrowed: i128, supplied: i128) -> Result<i128, Failed> {
        let used = if supplied == 0 { 0 } else { borrowed * SCALE / supplied };
        if used > 9_500_000 {
            return Err(Failed::TooLarge);
        }
        Ok(used)
    }
    pub fn interest(env: Env, rate: u64, since: u64) -> Result<u64, Failed> {
        let passed = env.ledger().timestamp().checked_sub(since).ok_or(Failed::Late)?;
        let owed = rate.checked_mul(passed).ok_or(Failed::Overflow)? / YEAR;
        require!(owed <= 100, Failed::TooLarge);
        Ok(owed)
    }
    pub fn fee(env: Env, amount: i128, points: u32) -> i128 {
        ensure!(&env, points <= 10_000, Failed::TooLarge);
        let fee = (amount * points as i128 + 9_999) / 10_000;
        ensure!(&env, fee < amount, Failed::TooSmall);
        amount - fee
    }
    pub fn decimals(_env: Env, decimals: u32) -> Result<i128, Failed> {
        10i128.checked_pow(decimals).ok_or(Failed::Overflow)
    }
    pub fn root(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        let product = a.checked_mul(b).ok_or(Failed::Overflow)?;
        let mut root = product;
        let mut next = (product + 1) / 2;
        while next < root {
            root = next;
            next = (next + product / next) / 2;
        }
        require!(root > 1000, Failed::TooSmall);
        Ok(root)
    }
    pub fn deviation(_env: Env, price: i128, last: i128) -> Result<i128, Failed> {
        let change = (price - last).abs();
        if change * 10_000 > last * 500 {
            return Err(Failed::TooLarge);
        }
        Ok(change)
    }
    pub fn clamped(_env: Env, amount: i128) -> Result<i128, Failed> {
        let amount = amount.clamp(0, 1000);
        require!(amount != 0, Failed::TooSmall);
        Ok(amount)
    }
    pub fn least_of(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        let least = a.min(b);
        require!(least >= 10, Failed::TooSmall);
        Ok(least)
    }
    pub fn most_of(_env: Env, a: u64, b: u64) -> Result<u64, Failed> {
        let most = a.max(b);
        require!(most <= 10, Failed::TooLarge);
        Ok(most)
    }
    pub fn chain(_env: Env, a: i128, b: i128, c: i128) -> Result<i128, Failed> {
        let sum = a.checked_add(b).and_then(|sum| sum.checked_sub(c)).ok_or(Failed::Overflow)?;
        sum.checked_mul(2).filter(|double| *double > 0).ok_or(Failed::TooSmall)
    }
    pub fn u256(env: Env, a: U256, b: U256) -> Result<U256, Failed> {
        let sum = a.add(&b);
        if sum > U256::from_u32(&env, 1000) {
            return Err(Failed::TooLarge);
        }
        Ok(sum)
    }
    pub fn i256(_env: Env, a: I256) -> Result<i128, Failed> {
        a.to_i128().ok_or(Failed::Overflow)
    }
    pub fn u256_u64(_env: Env, a: U256) -> u64 {
        a.to_u128().unwrap().try_into().unwrap()
    }

    // Tokens.
    pub fn transfer(env: Env, from: Address, to: Address, amount: i128) {
        check_not_negative(amount);
        let own = balance(&env, &from);
        if own < amount {
            panic!("insufficient balance")
        }
        env.storage().persistent().set(&Key::Balance(from), &(own - amount));
        let other = balance(&env, &to);
        env.storage().persistent().set(&Key::Balance(to), &(other + amount));
    }
    pub fn spend_allowance(env: Env, from: Address, spender: Address, amount: i128) {
        let key = Key::Allowance(from, spender);
        let allowance = match env.storage().temporary().get::<_, Allowance>(&key) {
            Some(allowance) if allowance.until < env.ledger().sequence() => {
                Allowance { amount: 0, until: allowance.until }
            }
            Some(allowance) => allowance,
            None => Allowance { amount: 0, until: 0 },
        };
        if allowance.amount < amount {
            panic!("insufficient allowance");
        }
    }
    pub fn approve(env: Env, amount: i128, until: u32) {
        if amount > 0 && until < env.ledger().sequence() {
            panic!("expiration_ledger is less than ledger seq when amount > 0")
        }
    }
    pub fn admin_only(env: Env, caller: Address) -> Result<(), Failed> {
        if caller != admin(&env)? {
            return Err(Failed::Denied);
        }
        Ok(())
    }
    pub fn initialize(env: Env, admin: Address) -> Result<(), Failed> {
        require!(!env.storage().instance().has(&Key::Admin), Failed::Denied);
        env.storage().instance().set(&Key::Admin, &admin);
        Ok(())
    }
    pub fn map_balance(env: Env, of: Address, amount: i128) -> Result<i128, Failed> {
        let balances: Map<Address, i128> = env.storage().persistent().get(&Key::Balances).unwrap();
        let own = balances.get(of).unwrap_or(0);
        own.sub_or(amount).and_then(|left| match left {
            left if left < 0 => Err(Failed::TooLarge),
            left => Ok(left),
        })
    }
    pub fn member(env: Env, who: Address) -> Result<u32, Failed> {
        let members: Vec<Address> = env.storage().persistent().get(&Key::Members).unwrap();
        members.first_index_of(&who).ok_or(Failed::NotFound)
    }
    pub fn not_member(env: Env, who: Address) -> Result<(), Failed> {
        let members: Vec<Address> = env.storage().persistent().get(&Key::Members).unwrap();
        require!(!members.contains(&who), Failed::Denied);
        Ok(())
    }

    // Stages, roles and votes.
    pub fn open_only(env: Env) -> Result<(), Failed> {
        require!(stage(&env) == Stage::Open, Failed::Denied);
        Ok(())
    }
    pub fn active(env: Env) -> Result<(), Failed> {
        if !matches!(stage(&env), Stage::Open | Stage::Paused) {
            return Err(Failed::Denied);
        }
        Ok(())
    }
    pub fn advance(env: Env, next: Stage) -> Result<u32, Failed> {
        match (stage(&env), next) {
            (Stage::New, Stage::Open) | (Stage::Open, Stage::Paused) => Ok(1),
            (Stage::Paused, Stage::Closed) => Ok(2),
            _ => Err(Failed::Invalid),
        }
    }
    pub fn role(env: Env, who: Address) -> Result<(), Failed> {
        let role: Role = env.storage().persistent().get(&Key::Role(who)).ok_or(Failed::NotFound)?;
        if role != Role::Admin {
            return Err(Failed::Denied);
        }
        Ok(())
    }
    pub fn given_role(_env: Env, role: Role) -> Result<(), Failed> {
        match role {
            Role::Admin | Role::Trader => Ok(()),
            Role::Reader => Err(Failed::Denied),
        }
    }
    pub fn asset(env: Env, asset: Asset, other: Asset) -> Result<(), Failed> {
        if asset == other {
            return Err(Failed::Invalid);
        }
        if let Asset::Other(symbol) = asset {
            require!(symbol != Symbol::new(&env, "USD"), Failed::Denied);
        }
        Ok(())
    }
    pub fn vote(env: Env, number: u32, weight: u32) -> Result<u32, Failed> {
        let draft: Draft =
            env.storage().persistent().get(&Key::Draft(number)).ok_or(Failed::NotFound)?;
        if draft.executed {
            return Err(Failed::Denied);
        }
        if env.ledger().timestamp() > draft.ends {
            return Err(Failed::Late);
        }
        draft.voted.checked_add(weight).ok_or(Failed::Overflow)
    }
    pub fn execute(env: Env, number: u32) -> Result<u32, Failed> {
        let draft: Draft =
            env.storage().persistent().get(&Key::Draft(number)).ok_or(Failed::NotFound)?;
        let all = draft.voted + draft.against;
        if draft.quorum.map_or(false, |quorum| all < quorum) {
            return Err(Failed::TooSmall);
        }
        if draft.voted * 100 < all * 60 {
            return Err(Failed::Denied);
        }
        Ok(draft.voted)
    }
    pub fn position(env: Env, of: Address, number: u32) -> Result<i128, Failed> {
        env.storage().persistent().get(&Key::Position(of, number)).ok_or(Failed::NotFound)
    }

    // Locks.
    pub fn claim(env: Env, amount: i128) -> Result<i128, Failed> {
        let unlocks: Vec<Unlock> = env.storage().persistent().get(&Key::Unlocks).unwrap();
        let now = env.ledger().timestamp();
        let free: i128 = unlocks.iter().filter(|of| of.at <= now).map(|of| of.amount).sum();
        require!(amount <= free, Failed::TooLarge);
        Ok(free)
    }
    pub fn claim_one(env: Env, index: u32) -> Result<i128, Failed> {
        let unlocks: Vec<Unlock> = env.storage().persistent().get(&Key::Unlocks).unwrap();
        let unlock = unlocks.get(index).ok_or(Failed::NotFound)?;
        if env.ledger().timestamp() < unlock.at {
            return Err(Failed::Late);
        }
        Ok(unlock.amount)
    }
    pub fn in_window(env: Env, begins: u64, ends: u64) -> Result<u64, Failed> {
        let now = env.ledger().timestamp();
        if now < begins || now > ends {
            return Err(Failed::Late);
        }
        Ok(now)
    }
    pub fn cooled(env: Env, wait: u64) -> Result<u64, Failed> {
        let last: u64 = env.storage().persistent().get(&Key::Lock).unwrap_or(0);
        let now = env.ledger().timestamp();
        if last != 0 && now - last < wait {
            return Err(Failed::Late);
        }
        Ok(now)
    }
    pub fn deadline(env: Env, deadline: u64) -> Result<u64, Failed> {
        if deadline <= env.ledger().timestamp() {
            return Err(Failed::Late);
        }
        Ok(deadline)
    }
    pub fn mature(env: Env, from: u32) -> Result<u32, Failed> {
        if env.ledger().sequence() < from.saturating_add(17_280) {
            return Err(Failed::Late);
        }
        Ok(from)
    }

    // Lists.
    pub fn weights(_env: Env, weights: Vec<u32>) -> Result<u32, Failed> {
        let sum: u32 = weights.iter().sum();
        require!(sum == 10_000, Failed::Invalid);
        Ok(sum)
    }
    pub fn any_zero(_env: Env, amounts: Vec<i128>) -> Result<u32, Failed> {
        if amounts.iter().any(|amount| amount == 0) {
            return Err(Failed::TooSmall);
        }
        Ok(amounts.len())
    }
    pub fn all_even(_env: Env, numbers: Vec<u32>) -> Result<u32, Failed> {
        require!(numbers.iter().all(|number| number % 2 == 0), Failed::Invalid);
        Ok(numbers.len())
    }
    pub fn find(_env: Env, unlocks: Vec<Unlock>, at: u64) -> Result<i128, Failed> {
        unlocks.iter().find(|of| of.at == at).map(|of| of.amount).ok_or(Failed::NotFound)
    }
    pub fn find_small(_env: Env, unlocks: Vec<Unlock>, at: u64) -> Result<i128, Failed> {
        let found = unlocks.iter().find(|of| of.at == at).ok_or(Failed::NotFound)?;
        require!(found.amount > 5, Failed::TooSmall);
        Ok(found.amount)
    }
    pub fn pairs(_env: Env, path: Vec<Address>, amounts: Vec<i128>) -> Result<u32, Failed> {
        if path.len() < 2 {
            return Err(Failed::TooSmall);
        }
        if path.len() != amounts.len() + 1 {
            return Err(Failed::Invalid);
        }
        Ok(path.len())
    }
    pub fn ends_differ(_env: Env, path: Vec<Address>) -> Result<(), Failed> {
        let (first, last) = (path.first().unwrap(), path.last().unwrap());
        if first == last {
            return Err(Failed::Invalid);
        }
        Ok(())
    }
    pub fn ordered(_env: Env, a: Address, b: Address) -> Result<(), Failed> {
        if a >= b {
            return Err(Failed::Invalid);
        }
        Ok(())
    }
    pub fn unique(env: Env, items: Vec<u32>) -> Result<u32, Failed> {
        let mut seen: Map<u32, bool> = Map::new(&env);
        for item in items.iter() {
            if seen.contains_key(item) {
                return Err(Failed::Invalid);
            }
            seen.set(item, true);
        }
        Ok(seen.len())
    }
    pub fn most(_env: Env, items: Vec<u32>, most: u32) -> Result<u32, Failed> {
        let found = items.iter().max().ok_or(Failed::NotFound)?;
        require!(found <= most, Failed::TooLarge);
        Ok(found)
    }
    pub fn count_of(_env: Env, items: Vec<bool>, least: u32) -> Result<u32, Failed> {
        let count = items.iter().filter(|item| *item).count() as u32;
        require!(count >= least, Failed::TooSmall);
        Ok(count)
    }
    pub fn zipped(_env: Env, amounts: Vec<i128>, leasts: Vec<i128>) -> Result<u32, Failed> {
        for (amount, least) in amounts.iter().zip(leasts.iter()) {
            if amount < least {
                return Err(Failed::Slippage);
            }
        }
        Ok(amounts.len())
    }
    pub fn listed(env: Env, of: Symbol) -> Result<(), Failed> {
        let known = vec![&env, Symbol::new(&env, "XLM"), Symbol::new(&env, "BTC")];
        require!(known.contains(of), Failed::NotFound);
        Ok(())
    }
    pub fn popped(_env: Env, items: Vec<u32>) -> Result<u32, Failed> {
        let mut items = items;
        let last = items.pop_back().ok_or(Failed::NotFound)?;
        require!(last < 100, Failed::TooLarge);
        Ok(last)
    }

    // Bits.
    pub fn no_others(_env: Env, flags: u32) -> Result<u32, Failed> {
        require!(flags & !ALLOWED == 0, Failed::Invalid);
        Ok(flags)
    }
    pub fn few_bits(_env: Env, flags: u32) -> Result<u32, Failed> {
        require!(flags.count_ones() <= 3, Failed::Invalid);
        Ok(flags)
    }
    pub fn is_set(env: Env, index: u32) -> Result<u32, Failed> {
        let bits: u128 = env.storage().persistent().get(&Key::Bits).unwrap_or(0);
        if bits & (1u128 << (index * 2)) == 0 {
            return Err(Failed::Denied);
        }
        Ok(index)
    }
    pub fn claimed(env: Env, words: Vec<u64>, index: u32) -> Result<u32, Failed> {
        let word = words.get(index / 64).ok_or(Failed::NotFound)?;
        ensure!(&env, word & (1 << (index % 64)) == 0, Failed::Denied);
        Ok(index)
    }
    pub fn power(_env: Env, number: u64) -> Result<u64, Failed> {
        require!(number.is_power_of_two(), Failed::Invalid);
        Ok(number)
    }

    // Bytes and texts.
    pub fn unlock(env: Env, secret: Bytes, hash: BytesN<32>) -> Result<(), Failed> {
        let found: BytesN<32> = env.crypto().sha256(&secret).to_bytes();
        if found != hash {
            return Err(Failed::Invalid);
        }
        Ok(())
    }
    pub fn prefix(env: Env, data: Bytes) -> Result<(), Failed> {
        require!(data.len() >= 4, Failed::TooSmall);
        if data.slice(0..4) != Bytes::from_array(&env, &[1, 2, 3, 4]) {
            return Err(Failed::Invalid);
        }
        Ok(())
    }
    pub fn version(_env: Env, data: Bytes) -> Result<u32, Failed> {
        match data.get(0) {
            Some(1) => Ok(1),
            Some(_) => Err(Failed::Invalid),
            None => Err(Failed::NotFound),
        }
    }
    pub fn zero(_env: Env, hash: BytesN<32>) -> Result<(), Failed> {
        require!(hash.to_array() != [0; 32], Failed::Invalid);
        Ok(())
    }
    pub fn named(_env: Env, name: String) -> Result<(), Failed> {
        require!(!name.is_empty() && name.len() <= 32, Failed::Invalid);
        Ok(())
    }
    pub fn first_letter(_env: Env, name: String) -> Result<(), Failed> {
        let mut text = [0u8; 56];
        require!(name.len() == 56, Failed::Invalid);
        name.copy_into_slice(&mut text);
        require!(text[0] == b'G', Failed::Invalid);
        Ok(())
    }
    pub fn signature(_env: Env, signature: Bytes) -> Result<u32, Failed> {
        let fixed = BytesN::<64>::try_from(signature).map_err(|_| Failed::Invalid)?;
        Ok(fixed.len())
    }

    // Options and values of any type.
    pub fn nested(_env: Env, limit: Option<Unlock>, amount: i128) -> Result<i128, Failed> {
        match limit {
            Some(limit) if limit.amount < amount => Err(Failed::TooLarge),
            Some(limit) => Ok(limit.amount),
            None => Ok(amount),
        }
    }
    pub fn either(_env: Env, a: Option<i128>, b: Option<i128>) -> Result<i128, Failed> {
        let found = a.or(b).ok_or(Failed::NotFound)?;
        require!(found > 0, Failed::TooSmall);
        Ok(found)
    }
    pub fn both(_env: Env, a: Option<u32>, b: Option<u32>) -> Result<u32, Failed> {
        if let (Some(a), Some(b)) = (a, b) {
            require!(a <= b, Failed::Invalid);
        }
        Ok(1)
    }
    pub fn some_and(_env: Env, limit: Option<u64>) -> Result<u32, Failed> {
        require!(limit.is_some_and(|limit| limit > 5), Failed::TooSmall);
        Ok(1)
    }
    pub fn any_value(env: Env, value: Val) -> Result<u32, Failed> {
        let number = u32::try_from_val(&env, &value).map_err(|_| Failed::Invalid)?;
        require!(number > 3, Failed::TooSmall);
        Ok(number)
    }
    pub fn flagged(_env: Env, paused: bool, amount: i128) -> Result<i128, Failed> {
        if paused && amount > 100 {
            return Err(Failed::Denied);
        }
        Ok(amount)
    }
    pub fn asserted(env: Env, a: u32, b: u32) -> u32 {
        assert_with_error!(&env, a != b, Failed::Invalid);
        a
    }
    pub fn one_of_two(_env: Env, a: i128, b: i128) -> Result<i128, Failed> {
        if (a == 0 && b == 0) || (a > 0 && b > 0) {
            return Err(Failed::Invalid);
        }
        Ok(a)
    }

    // Long runs: what decides is made in the middle of them, and kept in a local or in memory.
    pub fn found(_env: Env, rounds: u32, items: Vec<u32>) -> Result<u32, Failed> {
        let seed = work(rounds, 17);
        let found = items.get(seed % 2).ok_or(Failed::NotFound)?;
        let seed = work(rounds, seed);
        require!(found < 10, Failed::TooLarge);
        Ok(seed)
    }
    pub fn settle(_env: Env, rounds: u32, amounts: Vec<i128>, least: i128) -> Result<u32, Failed> {
        let mut kept = [0; 4];
        let seed = work(rounds, 17);
        keep(&mut kept, &amounts);
        let seed = work(rounds, seed);
        check(&kept, 1, least)?;
        Ok(seed)
    }
    pub fn settle_fee(
        _env: Env,
        rounds: u32,
        amounts: Vec<i128>,
        least: i128,
    ) -> Result<u32, Failed> {
        let mut kept = [0; 4];
        let seed = work(rounds, 17);
        keep(&mut kept, &amounts);
        let seed = work(rounds, seed);
        take_fee(&mut kept, seed);
        let seed = work(rounds, seed);
        check(&kept, 2, least)?;
        Ok(seed)
    }
    /// The check stands in the middle, what is done with its result at the end.
    pub fn checked_before(_env: Env, rounds: u32, amount: i128) -> Result<u32, Failed> {
        let seed = work(rounds, 17);
        let fits = amount < 1000;
        let seed = work(rounds, seed);
        require!(fits, Failed::TooLarge);
        Ok(seed)
    }

    // Between contracts.
    pub fn quote(_env: Env, amount: i128) -> Result<i128, Failed> {
        if amount > 1000 {
            return Err(Failed::TooLarge);
        }
        Ok(amount / 3)
    }
    pub fn quoted(env: Env, other: Address, amount: i128, least: i128) -> Result<i128, Failed> {
        let quote = OtherClient::new(&env, &other).quote(&amount);
        require!(quote >= least, Failed::Slippage);
        Ok(quote)
    }
    pub fn tried(env: Env, other: Address, amount: i128) -> Result<i128, Failed> {
        match OtherClient::new(&env, &other).try_quote(&amount) {
            Ok(Ok(quote)) => Ok(quote),
            Ok(Err(_)) => Err(Failed::Invalid),
            Err(_) => Err(Failed::Called),
        }
    }
    pub fn tried_or(env: Env, other: Address, amount: i128, least: i128) -> Result<i128, Failed> {
        let quote = OtherClient::new(&env, &other).try_quote(&amount).unwrap_or(Ok(0)).unwrap_or(0);
        require!(quote >= least, Failed::Slippage);
        Ok(quote)
    }
}
