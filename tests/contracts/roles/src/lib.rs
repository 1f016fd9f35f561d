// Checks with several ways to pass, or several ways to fail: names of roles, of which some are
// short and compared letter by letter, joined conditions on who may do something, and allowances
// that are over. tests/explain/deciding-roles.test.ts has for each failure what the source means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, symbol_short, Address,
    Bytes, Env, String, Symbol,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    BadRole = 1,
    NoAction = 2,
    BadKind = 3,
    Unauthorized = 4,
    Refused = 5,
    Negative = 6,
    BadUntil = 7,
    TooSmall = 8,
    NotHeld = 9,
    NoAdmin = 10,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Admin,
    EmergencyAdmin,
    RewardsAdmin,
    OperationsAdmin,
    PauseAdmin,
    EmergencyPauseAdmin,
    SystemFeeAdmin,
}

#[contracttype]
#[derive(Clone)]
pub struct Allowance {
    pub amount: i128,
    pub live_until: u32,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Admin,
    Future(u32),
    Held(Address, Symbol),
    RoleAdmin(Symbol),
    Allowance(Address),
    Paused,
    Frozen(Address),
    Limit,
    Used,
}

fn role_in(env: &Env, name: Symbol) -> Role {
    if name == Symbol::new(env, "Admin") {
        return Role::Admin;
    } else if name == Symbol::new(env, "EmergencyAdmin") {
        return Role::EmergencyAdmin;
    } else if name == Symbol::new(env, "RewardsAdmin") {
        return Role::RewardsAdmin;
    } else if name == Symbol::new(env, "OperationsAdmin") {
        return Role::OperationsAdmin;
    } else if name == Symbol::new(env, "PauseAdmin") {
        return Role::PauseAdmin;
    } else if name == Symbol::new(env, "EmergencyPauseAdmin") {
        return Role::EmergencyPauseAdmin;
    } else if name == Symbol::new(env, "SystemFeeAdmin") {
        return Role::SystemFeeAdmin;
    }
    panic_with_error!(env, Error::BadRole);
}

fn admin(env: &Env) -> Option<Address> {
    env.storage().instance().get(&DataKey::Admin)
}

fn holds(env: &Env, who: &Address, role: &Symbol) -> Option<u32> {
    env.storage()
        .persistent()
        .get(&DataKey::Held(who.clone(), role.clone()))
}

fn role_admin(env: &Env, role: &Symbol) -> Option<Symbol> {
    env.storage()
        .persistent()
        .get(&DataKey::RoleAdmin(role.clone()))
}

/// An allowance whose ledger is over counts as none.
fn allowance(env: &Env, owner: &Address) -> Allowance {
    let key = DataKey::Allowance(owner.clone());
    let none = Allowance {
        amount: 0,
        live_until: 0,
    };
    let known = env.storage().temporary().get(&key).unwrap_or(none.clone());
    if known.live_until < env.ledger().sequence() {
        none
    } else {
        known
    }
}

#[contract]
pub struct Roles;

#[contractimpl]
impl Roles {
    // Names of which some are short.

    pub fn number(env: Env, role: Symbol) -> u32 {
        role_in(&env, role) as u32
    }

    /// Only one of the names is taken in the end; the others have the same error.
    pub fn members(env: Env, role: Symbol) -> u32 {
        match role_in(&env, role) {
            Role::EmergencyPauseAdmin => 7,
            _ => panic_with_error!(&env, Error::BadRole),
        }
    }

    /// Two of the names are taken, and then look something up.
    pub fn future(env: Env, role: Symbol) -> Address {
        let role = role_in(&env, role);
        let at = match role {
            Role::Admin | Role::EmergencyAdmin => role as u32,
            _ => panic_with_error!(&env, Error::BadRole),
        };
        match env.storage().persistent().get(&DataKey::Future(at)) {
            Some(found) => found,
            None => panic_with_error!(&env, Error::NoAction),
        }
    }

    pub fn kind(_env: Env, kind: Symbol) -> Result<u32, Error> {
        if kind == symbol_short!("buy") {
            Ok(1)
        } else if kind == symbol_short!("sell") {
            Ok(2)
        } else if kind == symbol_short!("swap") {
            Ok(3)
        } else {
            Err(Error::BadKind)
        }
    }

    pub fn kind_any(_env: Env, kind: Symbol) -> Result<(), Error> {
        let known = [
            symbol_short!("buy"),
            symbol_short!("sell"),
            symbol_short!("swap"),
        ];
        if !known.iter().any(|name| *name == kind) {
            return Err(Error::BadKind);
        }
        Ok(())
    }

    /// By the host's whole value of a short symbol.
    pub fn kind_packed(_env: Env, kind: Symbol) -> Result<u32, Error> {
        let payload = kind.to_val().get_payload();
        if payload == symbol_short!("buy").to_val().get_payload() {
            Ok(1)
        } else if payload == symbol_short!("sell").to_val().get_payload() {
            Ok(2)
        } else if payload == symbol_short!("swap").to_val().get_payload() {
            Ok(3)
        } else {
            Err(Error::BadKind)
        }
    }

    pub fn not_kind(_env: Env, kind: Symbol) -> Result<(), Error> {
        if kind == symbol_short!("buy") || kind == symbol_short!("sell") {
            return Err(Error::BadKind);
        }
        Ok(())
    }

    /// One of the names is taken only beside a number.
    pub fn kind_beside(_env: Env, kind: Symbol, number: u32) -> Result<u32, Error> {
        if kind == symbol_short!("buy") {
            return Ok(1);
        }
        if kind == symbol_short!("sell") && number > 5 {
            return Ok(2);
        }
        Err(Error::BadKind)
    }

    /// By a comparison of memory.
    pub fn asset(_env: Env, name: String) -> Result<u32, Error> {
        let mut letters = [0u8; 4];
        if name.len() != 4 {
            return Err(Error::BadKind);
        }
        name.copy_into_slice(&mut letters);
        match &letters {
            b"USDC" => Ok(1),
            b"EURC" => Ok(2),
            b"AQUA" => Ok(3),
            _ => Err(Error::BadRole),
        }
    }

    pub fn selector(_env: Env, data: Bytes) -> Result<u32, Error> {
        let mut letters = [0u8; 12];
        if data.len() != 12 {
            return Err(Error::BadKind);
        }
        data.copy_into_slice(&mut letters);
        if letters == *b"transfer_all" || letters == *b"withdraw_all" {
            return Ok(1);
        }
        Err(Error::BadRole)
    }

    pub fn asset_named(env: Env, name: String) -> Result<u32, Error> {
        if name == String::from_str(&env, "USDC") {
            return Ok(1);
        }
        if name == String::from_str(&env, "EURC") {
            return Ok(2);
        }
        Err(Error::BadKind)
    }

    // Joined conditions.

    pub fn revoke(env: Env, role: Symbol, caller: Address) -> Result<(), Error> {
        let is_admin = match admin(&env) {
            Some(admin) => caller == admin,
            None => false,
        };
        let is_role_admin = match role_admin(&env, &role) {
            Some(above) => holds(&env, &caller, &above).is_some(),
            None => false,
        };
        if !is_admin && !is_role_admin {
            return Err(Error::Unauthorized);
        }
        Ok(())
    }

    pub fn revoke_or_panic(env: Env, role: Symbol, caller: Address) {
        let is_admin = match admin(&env) {
            Some(admin) => caller == admin,
            None => false,
        };
        let is_role_admin = match role_admin(&env, &role) {
            Some(above) => holds(&env, &caller, &above).is_some(),
            None => false,
        };
        if !is_admin && !is_role_admin {
            panic_with_error!(&env, Error::Unauthorized);
        }
        if holds(&env, &caller, &role).is_none() {
            panic_with_error!(&env, Error::NotHeld);
        }
        env.storage()
            .persistent()
            .remove(&DataKey::Held(caller, role));
    }

    pub fn renounce(env: Env, role: Symbol, caller: Address) -> Result<(), Error> {
        if holds(&env, &caller, &role).is_none() {
            return Err(Error::NotHeld);
        }
        env.storage()
            .persistent()
            .remove(&DataKey::Held(caller, role));
        Ok(())
    }

    /// Both of these stop it.
    pub fn blocked(env: Env, who: Address, amount: i128) -> Result<i128, Error> {
        let paused: bool = env
            .storage()
            .instance()
            .get(&DataKey::Paused)
            .unwrap_or(false);
        let frozen: bool = env
            .storage()
            .persistent()
            .get(&DataKey::Frozen(who))
            .unwrap_or(false);
        if paused || frozen {
            return Err(Error::Refused);
        }
        Ok(amount)
    }

    pub fn blocked_after(env: Env, who: Address, amount: i128) -> Result<i128, Error> {
        let paused: bool = env
            .storage()
            .instance()
            .get(&DataKey::Paused)
            .unwrap_or(false);
        if paused || env.storage().persistent().has(&DataKey::Frozen(who)) {
            return Err(Error::Refused);
        }
        Ok(amount)
    }

    pub fn beyond(env: Env, amount: i128, other: i128) -> Result<i128, Error> {
        let limit: i128 = env.storage().instance().get(&DataKey::Limit).unwrap_or(0);
        if amount > limit || other > limit {
            return Err(Error::Refused);
        }
        Ok(amount)
    }

    pub fn within(env: Env, amount: i128) -> Result<i128, Error> {
        let limit: i128 = env.storage().instance().get(&DataKey::Limit).unwrap_or(0);
        let used: i128 = env.storage().instance().get(&DataKey::Used).unwrap_or(0);
        if amount <= 0 || amount > limit || used + amount > limit {
            return Err(Error::Refused);
        }
        Ok(amount)
    }

    pub fn neither(env: Env, caller: Address, number: u32) -> Result<u32, Error> {
        let is_admin = admin(&env).map_or(false, |admin| admin == caller);
        if !is_admin && number < 100 {
            return Err(Error::Unauthorized);
        }
        Ok(number)
    }

    // Allowances.

    pub fn approve(env: Env, owner: Address, amount: i128, live_until: u32) -> Result<(), Error> {
        if amount < 0 {
            return Err(Error::Negative);
        }
        let now = env.ledger().sequence();
        if live_until > env.ledger().max_live_until_ledger() || (amount > 0 && live_until < now) {
            return Err(Error::BadUntil);
        }
        let key = DataKey::Allowance(owner);
        env.storage()
            .temporary()
            .set(&key, &Allowance { amount, live_until });
        if amount > 0 {
            let live_for = live_until - now;
            env.storage()
                .temporary()
                .extend_ttl(&key, live_for, live_for);
        }
        Ok(())
    }

    pub fn approve_or_panic(env: Env, owner: Address, amount: i128, live_until: u32) {
        if amount < 0 {
            panic!("negative amount");
        }
        let now = env.ledger().sequence();
        if amount > 0 && live_until < now {
            panic!("live_until is less than ledger seq when amount > 0");
        }
        let key = DataKey::Allowance(owner);
        env.storage()
            .temporary()
            .set(&key, &Allowance { amount, live_until });
        if amount > 0 {
            let live_for = live_until.checked_sub(now).unwrap();
            env.storage()
                .temporary()
                .extend_ttl(&key, live_for, live_for);
        }
    }

    /// Only the subtraction fails.
    pub fn approve_checked(env: Env, owner: Address, amount: i128, live_until: u32) {
        let now = env.ledger().sequence();
        let key = DataKey::Allowance(owner);
        env.storage()
            .temporary()
            .set(&key, &Allowance { amount, live_until });
        if amount > 0 {
            let live_for = live_until.checked_sub(now).unwrap();
            env.storage()
                .temporary()
                .extend_ttl(&key, live_for, live_for);
        }
    }

    pub fn spend(env: Env, owner: Address, amount: i128) -> Result<i128, Error> {
        if amount < 0 {
            return Err(Error::Negative);
        }
        let known = allowance(&env, &owner);
        if known.amount < amount {
            return Err(Error::TooSmall);
        }
        Ok(known.amount - amount)
    }

    pub fn spend_or_panic(env: Env, owner: Address, amount: i128) {
        let known = allowance(&env, &owner);
        if known.amount < amount {
            panic!("insufficient allowance");
        }
        let key = DataKey::Allowance(owner);
        let left = Allowance {
            amount: known.amount - amount,
            live_until: known.live_until,
        };
        env.storage().temporary().set(&key, &left);
    }
}
