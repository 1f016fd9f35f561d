// Calls that the host refuses, and calls between contracts: what they were made of is in plain
// sight here, and tests/explain/refused-calls.test.ts has for each the sentence that its source
// means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, Address, BytesN, Env,
    Map, Symbol, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq)]
#[repr(u32)]
pub enum Failed {
    Early = 1,
    TooLarge = 2,
}

#[contracttype]
pub enum Key {
    Block(u64),
    Pail(Address, u32),
    Index,
    Opened,
    Owner,
    Live,
    Ended,
    Draft(u32),
    Round(u32),
}

#[contracttype]
#[derive(Clone)]
pub struct Order {
    pub amount: i128,
    pub number: u32,
}

#[contracttype]
#[derive(Clone)]
pub struct Round {
    pub opened: u64,
    pub sown: i128,
    pub largest: i128,
    pub seed: BytesN<32>,
}

#[contract]
pub struct Keys;

fn new_round(env: &Env, last: &Option<Round>) -> Round {
    let opened = env.ledger().timestamp();
    match last {
        Some(Round { largest, seed, .. }) => {
            Round { opened, sown: 0, largest: (*largest).max(1), seed: seed.clone() }
        }
        None => Round { opened, sown: 0, largest: 0, seed: BytesN::from_array(env, &[0; 32]) },
    }
}

fn index_of(env: &Env) -> u32 {
    env.storage().persistent().get(&Key::Index).unwrap()
}

fn opened_at(env: &Env) -> u64 {
    env.storage().persistent().get(&Key::Opened).unwrap()
}

fn block(env: &Env, number: u64) -> u64 {
    env.storage().persistent().get(&Key::Block(number)).unwrap_or(0)
}

#[contractimpl]
impl Keys {
    pub fn by_time(env: Env) -> u64 {
        block(&env, env.ledger().timestamp() / 300)
    }
    pub fn by_sequence(env: Env) -> u64 {
        block(&env, u64::from(env.ledger().sequence()) / 10)
    }
    pub fn by_index(env: Env) -> u64 {
        block(&env, u64::from(index_of(&env)))
    }
    pub fn given(env: Env, number: u64) -> u64 {
        block(&env, number)
    }
    /// The clock decides whether one is added.
    pub fn next(env: Env, farmer: Address) -> u32 {
        let mut index = index_of(&env);
        if env.ledger().timestamp() >= opened_at(&env) + 300 {
            index += 1;
        }
        env.storage().temporary().get(&Key::Pail(farmer, index)).unwrap_or(0)
    }
    /// The clock decides that it is not set back.
    pub fn stays(env: Env, farmer: Address) -> u32 {
        let mut index = index_of(&env) + 1;
        if env.ledger().timestamp() < opened_at(&env) + 300 {
            index = index_of(&env);
            env.storage().persistent().set(&Key::Index, &index);
        }
        env.storage().temporary().get(&Key::Pail(farmer, index)).unwrap_or(0)
    }
    pub fn both(env: Env) -> u64 {
        block(&env, u64::from(index_of(&env)) + env.ledger().timestamp() / 300)
    }
    pub fn chance(env: Env) -> u64 {
        block(&env, env.prng().gen_range(10..1000))
    }
    pub fn chance_decides(env: Env) -> u64 {
        let mut number = u64::from(index_of(&env));
        if env.prng().gen_range::<u64>(0..1_000_000) > 0 {
            number += 1;
        }
        block(&env, number)
    }
    /// The clock refuses, and does not choose.
    pub fn guarded(env: Env) -> Result<u64, Failed> {
        if env.ledger().timestamp() < opened_at(&env) {
            return Err(Failed::Early);
        }
        Ok(block(&env, u64::from(index_of(&env))))
    }
    pub fn guarded_panic(env: Env) -> u64 {
        if env.ledger().timestamp() < opened_at(&env) {
            panic!();
        }
        block(&env, u64::from(index_of(&env)))
    }
    /// Which of two keys without parts.
    pub fn ended(env: Env) -> u32 {
        let ended = env.ledger().timestamp() >= opened_at(&env) + 300;
        if ended {
            env.storage().persistent().get(&Key::Ended).unwrap_or(0)
        } else {
            env.storage().persistent().get(&Key::Live).unwrap_or(1)
        }
    }
    /// The clock is only noted.
    pub fn noted(env: Env) -> u64 {
        let now = env.ledger().timestamp();
        env.storage().persistent().set(&Key::Opened, &now);
        block(&env, u64::from(index_of(&env)))
    }
    /// By way of an entry that it writes.
    pub fn rewritten(env: Env) -> u64 {
        let mut index = index_of(&env);
        if env.ledger().timestamp() >= opened_at(&env) + 300 {
            index += 1;
        }
        env.storage().persistent().set(&Key::Index, &index);
        block(&env, u64::from(index_of(&env)))
    }
    /// By way of memory.
    pub fn slot(env: Env) -> u64 {
        let index = u64::from(index_of(&env));
        let slots = [index, index + 7, index + 9];
        block(&env, slots[(env.ledger().timestamp() / 300 % 3) as usize])
    }
    pub fn sum(env: Env, numbers: Vec<u64>) -> u64 {
        block(&env, numbers.iter().sum())
    }
    pub fn draft(env: Env) -> u64 {
        let is_draft = env.storage().temporary().has(&Key::Draft(1));
        block(&env, u64::from(index_of(&env)) + if is_draft { 1 } else { 0 })
    }
    pub fn remove(env: Env, number: u64) {
        env.storage().persistent().remove(&Key::Block(number * 2));
    }
    pub fn keep(env: Env, number: u64) {
        env.storage().persistent().extend_ttl(&Key::Block(number + 1), 10, 20);
    }

    /// An entry that has to be there.
    pub fn must(env: Env, number: u64) -> u64 {
        let next = u64::from(index_of(&env)) + number;
        env.storage().persistent().get(&Key::Block(next)).unwrap()
    }
    /// One of the clock.
    pub fn must_next(env: Env) -> u64 {
        let mut next = u64::from(index_of(&env));
        if env.ledger().timestamp() >= opened_at(&env) + 300 {
            next += 1;
        }
        env.storage().persistent().get(&Key::Block(next)).unwrap()
    }
    /// A round that is too old is followed by another, in much code that knows of it.
    pub fn sow(env: Env, farmer: Address, amount: i128) {
        farmer.require_auth();
        let storage = env.storage();
        let mut index: u32 = storage.instance().get(&Key::Index).unwrap_or(0);
        let last: Option<Round> = storage.instance().get(&Key::Live);
        let is_paused: bool = storage.instance().get(&Key::Ended).unwrap_or(false);
        let mut round = match storage.temporary().get::<Key, Round>(&Key::Round(index)) {
            Some(round) if env.ledger().timestamp() < round.opened + 300 => round,
            found => {
                let next = new_round(&env, &found.or(last));
                index += 1;
                storage.instance().set(&Key::Index, &index);
                next
            }
        };
        if is_paused {
            panic_with_error!(&env, Failed::Early);
        }
        if amount < 0 {
            panic_with_error!(&env, Failed::TooLarge);
        }
        if storage.temporary().has(&Key::Pail(farmer.clone(), index)) {
            panic_with_error!(&env, Failed::TooLarge);
        }
        round.sown += amount;
        round.largest = round.largest.max(amount);
        storage.temporary().set(&Key::Pail(farmer, index), &amount);
        storage.temporary().set(&Key::Round(index), &round);
    }

    // Between contracts.
    pub fn round(env: Env) -> u64 {
        env.ledger().timestamp() / 300
    }
    pub fn index(env: Env) -> u32 {
        index_of(&env)
    }
    pub fn stored(env: Env) -> i128 {
        env.storage().persistent().get(&Key::Live).unwrap_or(0)
    }
    pub fn least(_env: Env, amount: i128, least: i128) -> i128 {
        if amount < least {
            panic!();
        }
        amount
    }
    pub fn by_round_of(env: Env, other: Address) -> u64 {
        block(&env, KeysClient::new(&env, &other).round())
    }
    pub fn by_index_of(env: Env, other: Address) -> u64 {
        block(&env, u64::from(KeysClient::new(&env, &other).index()))
    }
    pub fn ask(env: Env, other: Address, number: u64) -> u64 {
        KeysClient::new(&env, &other).given(&(number + 1))
    }
    pub fn ask_by_time(env: Env, other: Address) -> u64 {
        KeysClient::new(&env, &other).given(&(env.ledger().timestamp() / 300))
    }
    pub fn ask_when(env: Env, other: Address, number: u64) -> u64 {
        if env.ledger().timestamp() >= opened_at(&env) + 300 {
            return KeysClient::new(&env, &other).given(&number);
        }
        number
    }
    pub fn chain(env: Env, others: Vec<Address>, number: u64) -> u64 {
        let mut others = others;
        match others.pop_front() {
            Some(next) => KeysClient::new(&env, &next).chain(&others, &number),
            None => block(&env, number),
        }
    }
    pub fn at_least(env: Env, other: Address, amount: i128) -> i128 {
        KeysClient::new(&env, &other).least(&amount, &700)
    }
    pub fn order_least(env: Env, other: Address, order: Order) -> i128 {
        KeysClient::new(&env, &other).least(&order.amount, &700)
    }
    pub fn spend(env: Env, other: Address, amount: i128) -> Result<i128, Failed> {
        let stored = KeysClient::new(&env, &other).stored();
        if amount > stored {
            return Err(Failed::TooLarge);
        }
        Ok(stored - amount)
    }

    // Refused for other reasons.
    pub fn owned(env: Env) -> bool {
        let owner: Address = env.storage().persistent().get(&Key::Owner).unwrap();
        owner.require_auth();
        true
    }
    pub fn signed(_env: Env, from: Address) -> bool {
        from.require_auth();
        true
    }
    pub fn signed_if(env: Env, from: Address, amount: i128) -> bool {
        if amount > 100 {
            from.require_auth();
        }
        env.ledger().sequence() > 0
    }
    pub fn at(_env: Env, values: Vec<u32>, index: u32) -> u32 {
        values.get_unchecked(index)
    }
    pub fn field(_env: Env, order: Order) -> u32 {
        order.number
    }
    pub fn of_map(_env: Env, map: Map<u32, u32>, key: u32) -> u32 {
        map.get_unchecked(key)
    }
    pub fn call(env: Env, other: Address, function: Symbol) -> u32 {
        env.invoke_contract(&other, &function, Vec::new(&env))
    }
}
