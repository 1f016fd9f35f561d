// A vault, an escrow and their rules in other people's handwriting: checked sums with `ok_or`,
// stored states, searches, deadlines, basis points, defaults, allowances.
// tests/explain/deciding-vault.test.ts has for each failure the sentence that its source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, symbol_short, Address,
    Bytes, BytesN, Env, Map, Symbol, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum VaultError {
    NotFound = 1,
    Insufficient = 2,
    BadState = 3,
    Unauthorized = 4,
    Expired = 5,
    TooEarly = 6,
    Slippage = 7,
    Overflow = 8,
    Invalid = 9,
    Stale = 10,
}

#[contracttype]
#[derive(Clone)]
pub struct AllowanceKey {
    pub from: Address,
    pub spender: Address,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Allowance(AllowanceKey),
    Balance(Address),
    Config,
    Counts,
    Escrow(u32),
    Names,
    Nonce(Address),
    Owners,
    Total,
}

#[contracttype]
#[derive(Clone)]
pub struct AllowanceValue {
    pub amount: i128,
    pub expiration_ledger: u32,
}

#[contracttype]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asset {
    Native,
    Token(Address),
    Code(Symbol),
}

#[contracttype]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Escrow {
    Created,
    Funded(i128),
    Released(u64, i128),
    Closed,
}

#[contracttype]
#[derive(Clone)]
pub struct Price {
    pub at: u64,
    pub value: i128,
}

#[contracttype]
#[derive(Clone)]
pub struct Terms {
    pub floor: Price,
    pub slots: u32,
}

#[contracttype]
#[derive(Clone)]
pub struct Config {
    pub admin: Address,
    pub asset: Asset,
    pub enabled: bool,
    pub fee_bps: u32,
    pub pending: Option<Address>,
    pub terms: Terms,
}

#[contracttype]
#[derive(Clone)]
pub struct Offer {
    pub id: u32,
    pub terms: Terms,
}

const BPS: i128 = 10_000;
const LOCK: Symbol = symbol_short!("lock");
const PRICE: Symbol = symbol_short!("price");
const STATUS: Symbol = symbol_short!("status");
const MAX_AGE: u64 = 300;

macro_rules! require {
    ($cond:expr, $err:expr) => {
        if !($cond) {
            return Err($err);
        }
    };
}

fn read_config(env: &Env) -> Result<Config, VaultError> {
    env.storage().instance().get(&DataKey::Config).ok_or(VaultError::NotFound)
}

fn check_admin(env: &Env, caller: &Address) -> Result<Config, VaultError> {
    let config = read_config(env)?;
    if config.admin != *caller {
        return Err(VaultError::Unauthorized);
    }
    Ok(config)
}

fn read_balance(env: &Env, of: &Address) -> i128 {
    env.storage().persistent().get(&DataKey::Balance(of.clone())).unwrap_or_default()
}

#[contract]
pub struct Vault;

#[contractimpl]
impl Vault {
    // Sums.
    pub fn withdraw(env: Env, of: Address, amount: i128) -> Result<i128, VaultError> {
        require!(amount > 0, VaultError::Invalid);
        let left = read_balance(&env, &of).checked_sub(amount).ok_or(VaultError::Overflow)?;
        if left < 0 {
            return Err(VaultError::Insufficient);
        }
        Ok(left)
    }
    pub fn take(env: Env, amount: u128) -> Result<u128, VaultError> {
        let total: u128 = env.storage().persistent().get(&DataKey::Total).unwrap_or(0);
        total.checked_sub(amount).ok_or(VaultError::Insufficient)
    }
    pub fn count_up(env: Env, by: u32) -> Result<u32, VaultError> {
        let count: u32 = env.storage().persistent().get(&STATUS).unwrap_or(0);
        count.checked_add(by).ok_or(VaultError::Overflow)
    }
    pub fn sum_all(_env: Env, amounts: Vec<i128>, expected: i128) -> Result<i128, VaultError> {
        let mut total: i128 = 0;
        for amount in amounts.iter() {
            if amount <= 0 {
                return Err(VaultError::Invalid);
            }
            total = total.checked_add(amount).ok_or(VaultError::Overflow)?;
        }
        require!(total == expected, VaultError::Slippage);
        Ok(total)
    }
    pub fn shares_of(_env: Env, parts: Vec<u32>) -> Result<u32, VaultError> {
        let mut total = 0u32;
        for part in parts.iter() {
            total += part;
        }
        if total != 10_000 {
            return Err(VaultError::Invalid);
        }
        Ok(total)
    }
    pub fn scale(_env: Env, amount: i128, decimals: u32) -> Result<i128, VaultError> {
        require!(decimals <= 38, VaultError::Invalid);
        amount.checked_mul(10i128.pow(decimals)).ok_or(VaultError::Overflow)
    }
    pub fn down(_env: Env, amount: i128, from: u32, to: u32) -> Result<i128, VaultError> {
        let scaled = amount / 10i128.pow(from - to);
        require!(scaled != 0, VaultError::Invalid);
        Ok(scaled)
    }
    pub fn vested(env: Env, total: i128, start: u64, amount: i128) -> Result<i128, VaultError> {
        let passed = env.ledger().timestamp().saturating_sub(start).min(1_000_000);
        let vested = total * passed as i128 / 1_000_000;
        if amount > vested {
            return Err(VaultError::TooEarly);
        }
        Ok(vested - amount)
    }

    // Stored states.
    pub fn release(env: Env, id: u32, least: i128) -> Result<i128, VaultError> {
        let escrow: Escrow =
            env.storage().persistent().get(&DataKey::Escrow(id)).ok_or(VaultError::NotFound)?;
        match escrow {
            Escrow::Funded(amount) if amount >= least => Ok(amount),
            Escrow::Funded(_) => Err(VaultError::Insufficient),
            Escrow::Created => Err(VaultError::BadState),
            Escrow::Released(at, _) if at > env.ledger().timestamp() => Err(VaultError::TooEarly),
            Escrow::Released(..) | Escrow::Closed => Err(VaultError::Expired),
        }
    }
    pub fn is_state(env: Env, id: u32, state: Escrow) -> Result<u32, VaultError> {
        let escrow: Escrow = env.storage().persistent().get(&DataKey::Escrow(id)).unwrap();
        require!(escrow == state, VaultError::BadState);
        Ok(id)
    }
    pub fn pays_in(env: Env, asset: Asset) -> Result<u32, VaultError> {
        let config = read_config(&env)?;
        if asset != config.asset {
            return Err(VaultError::Invalid);
        }
        Ok(1)
    }
    pub fn not_in(env: Env, asset: Asset) -> Result<u32, VaultError> {
        let config = read_config(&env)?;
        if asset == config.asset {
            return Err(VaultError::Invalid);
        }
        Ok(1)
    }
    pub fn locked(env: Env) -> Result<u32, VaultError> {
        if env.storage().instance().get(&LOCK).unwrap_or(false) {
            return Err(VaultError::BadState);
        }
        Ok(1)
    }
    pub fn status(env: Env, wanted: Symbol) -> Result<u32, VaultError> {
        let status: Symbol = env.storage().instance().get(&STATUS).unwrap();
        if status != wanted {
            return Err(VaultError::BadState);
        }
        Ok(1)
    }
    pub fn enabled(env: Env) -> Result<u32, VaultError> {
        let config = read_config(&env)?;
        require!(config.enabled && config.fee_bps < 500, VaultError::BadState);
        Ok(config.fee_bps)
    }
    pub fn accept(env: Env, caller: Address) -> Result<u32, VaultError> {
        let config = read_config(&env)?;
        match config.pending {
            Some(pending) if pending == caller => Ok(1),
            Some(_) => Err(VaultError::Unauthorized),
            None => Err(VaultError::NotFound),
        }
    }
    pub fn is_pending(env: Env, caller: Address) -> Result<u32, VaultError> {
        if read_config(&env)?.pending != Some(caller) {
            return Err(VaultError::Unauthorized);
        }
        Ok(1)
    }
    pub fn as_admin(env: Env, caller: Address, bps: u32) -> Result<u32, VaultError> {
        let config = check_admin(&env, &caller)?;
        if bps > config.fee_bps * 2 {
            return Err(VaultError::Invalid);
        }
        Ok(bps)
    }

    // Searches.
    pub fn owner_only(env: Env, who: Address) -> Result<u32, VaultError> {
        let owners: Vec<Address> = env.storage().persistent().get(&DataKey::Owners).unwrap();
        if !owners.contains(&who) {
            return Err(VaultError::Unauthorized);
        }
        Ok(owners.len())
    }
    pub fn new_owner(env: Env, who: Address) -> Result<u32, VaultError> {
        let owners: Vec<Address> = env.storage().persistent().get(&DataKey::Owners).unwrap();
        if owners.iter().any(|owner| owner == who) {
            return Err(VaultError::Invalid);
        }
        Ok(owners.len())
    }
    pub fn named(env: Env, name: Symbol) -> Result<u32, VaultError> {
        let names: Vec<Symbol> = env.storage().persistent().get(&DataKey::Names).unwrap();
        match names.iter().position(|known| known == name) {
            Some(at) => Ok(at as u32),
            None => Err(VaultError::NotFound),
        }
    }
    pub fn sorted_has(_env: Env, ids: Vec<u32>, id: u32) -> Result<u32, VaultError> {
        ids.binary_search(id).map_err(|_| VaultError::NotFound)
    }
    pub fn find_id(_env: Env, ids: Vec<u32>, id: u32) -> Result<u32, VaultError> {
        for known in ids.iter() {
            if known == id {
                return Ok(id);
            }
        }
        Err(VaultError::NotFound)
    }
    pub fn rising(_env: Env, ids: Vec<u32>) -> Result<u32, VaultError> {
        let mut last: Option<u32> = None;
        for id in ids.iter() {
            if let Some(last) = last {
                require!(last < id, VaultError::Invalid);
            }
            last = Some(id);
        }
        last.ok_or(VaultError::NotFound)
    }
    pub fn signed_by(env: Env, signers: Vec<Address>, threshold: u32) -> Result<u32, VaultError> {
        let owners: Vec<Address> = env.storage().persistent().get(&DataKey::Owners).unwrap();
        let mut count = 0;
        for signer in signers.iter() {
            if owners.contains(&signer) {
                count += 1;
            }
        }
        if count < threshold {
            return Err(VaultError::Unauthorized);
        }
        Ok(count)
    }
    pub fn counted(env: Env, name: Symbol, most: u32) -> Result<u32, VaultError> {
        let counts: Map<Symbol, u32> =
            env.storage().persistent().get(&DataKey::Counts).unwrap_or(Map::new(&env));
        let count = counts.get(name).unwrap_or_default();
        if count >= most {
            return Err(VaultError::Invalid);
        }
        Ok(count + 1)
    }

    // Time.
    pub fn wait(env: Env, start: u64, wait: u64) -> Result<u64, VaultError> {
        let passed = env.ledger().timestamp().saturating_sub(start);
        if passed < wait {
            return Err(VaultError::TooEarly);
        }
        Ok(passed)
    }
    pub fn grace(env: Env, deadline: u64, grace: u64) -> Result<u64, VaultError> {
        let now = env.ledger().timestamp();
        require!(now <= deadline.saturating_add(grace), VaultError::Expired);
        Ok(now)
    }
    pub fn fresh(env: Env, most: i128) -> Result<i128, VaultError> {
        let price: Price = env.storage().persistent().get(&PRICE).ok_or(VaultError::NotFound)?;
        if env.ledger().timestamp() - price.at > MAX_AGE {
            return Err(VaultError::Stale);
        }
        require!(price.value <= most, VaultError::Slippage);
        Ok(price.value)
    }
    pub fn spend(env: Env, from: Address, spender: Address, amount: i128) {
        let key = DataKey::Allowance(AllowanceKey { from, spender });
        let allowance = env.storage().temporary().get::<_, AllowanceValue>(&key);
        let usable = match allowance {
            Some(allowance) if allowance.expiration_ledger >= env.ledger().sequence() => {
                allowance.amount
            }
            _ => 0,
        };
        if usable < amount {
            panic_with_error!(&env, VaultError::Insufficient);
        }
    }
    pub fn allow(env: Env, amount: i128, expiration_ledger: u32) {
        let most = env.storage().max_ttl() + env.ledger().sequence();
        if amount > 0 && (expiration_ledger < env.ledger().sequence() || expiration_ledger > most) {
            panic!("bad expiration");
        }
    }
    pub fn nonce(env: Env, of: Address, nonce: u64) -> Result<u64, VaultError> {
        let last: u64 = env.storage().persistent().get(&DataKey::Nonce(of)).unwrap_or(0);
        if nonce != last + 1 {
            return Err(VaultError::Invalid);
        }
        Ok(nonce)
    }

    // Prices.
    pub fn min_out(_env: Env, out: i128, quote: i128, bps: u32) -> Result<i128, VaultError> {
        let min_out = quote * (BPS - bps as i128) / BPS;
        if out < min_out {
            return Err(VaultError::Slippage);
        }
        Ok(min_out)
    }
    pub fn slipped(_env: Env, out: i128, quote: i128, bps: i128) -> Result<i128, VaultError> {
        require!(out * BPS >= quote * (BPS - bps), VaultError::Slippage);
        Ok(out)
    }
    pub fn fee(_env: Env, amount: i128, bps: u32, most: i128) -> Result<i128, VaultError> {
        let fee = amount
            .checked_mul(bps as i128)
            .and_then(|product| product.checked_div(BPS))
            .ok_or(VaultError::Overflow)?;
        if fee > most {
            return Err(VaultError::Slippage);
        }
        Ok(fee)
    }
    pub fn band(_env: Env, price: i128, last: i128) -> Result<i128, VaultError> {
        if price < last * 9 / 10 || price > last * 11 / 10 {
            return Err(VaultError::Slippage);
        }
        Ok(price)
    }
    pub fn collateral(_env: Env, debt: i128, value: i128) -> Result<i128, VaultError> {
        let ratio = value.checked_mul(BPS).ok_or(VaultError::Overflow)? / debt;
        require!(ratio >= 15_000, VaultError::Insufficient);
        Ok(ratio)
    }
    pub fn offered(env: Env, offer: Offer) -> Result<u32, VaultError> {
        let config = read_config(&env)?;
        if offer.terms.floor.value < config.terms.floor.value {
            return Err(VaultError::Slippage);
        }
        if offer.terms.slots > config.terms.slots {
            return Err(VaultError::Invalid);
        }
        Ok(offer.id)
    }
    pub fn sign(_env: Env, amount: i128) -> Result<i128, VaultError> {
        if amount.signum() != 1 {
            return Err(VaultError::Invalid);
        }
        Ok(amount)
    }
    pub fn change(_env: Env, before: i128, after: i128, most: i128) -> Result<i128, VaultError> {
        let change = after.abs_diff(before);
        require!(change <= most as u128, VaultError::Slippage);
        Ok(after)
    }
    pub fn tens(_env: Env, amount: i128) -> Result<i128, VaultError> {
        if amount % 10 != 0 {
            return Err(VaultError::Invalid);
        }
        Ok(amount)
    }
    pub fn in_range(_env: Env, number: u64) -> Result<u64, VaultError> {
        require!((60..=86_400).contains(&number), VaultError::Invalid);
        Ok(number)
    }

    // Hashes and names.
    pub fn revealed(env: Env, secret: BytesN<32>, hash: BytesN<32>) -> Result<u32, VaultError> {
        let bytes: Bytes = secret.into();
        if env.crypto().keccak256(&bytes).to_bytes() != hash {
            return Err(VaultError::Invalid);
        }
        Ok(1)
    }
    pub fn not_zero(env: Env, hash: BytesN<32>) -> Result<u32, VaultError> {
        if hash == BytesN::from_array(&env, &[0u8; 32]) {
            return Err(VaultError::Invalid);
        }
        Ok(1)
    }
    pub fn all_zero(_env: Env, hash: BytesN<32>) -> Result<u32, VaultError> {
        if hash.to_array().iter().all(|byte| *byte == 0) {
            return Err(VaultError::Invalid);
        }
        Ok(1)
    }
    pub fn same_name(_env: Env, a: Symbol, b: Symbol) -> Result<u32, VaultError> {
        require!(a != b, VaultError::Invalid);
        Ok(1)
    }
    pub fn is_usd(_env: Env, code: Symbol) -> Result<u32, VaultError> {
        if code != symbol_short!("USD") {
            return Err(VaultError::Invalid);
        }
        Ok(1)
    }
}
