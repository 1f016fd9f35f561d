// Fails in its constructor, in more ways than one, and where it spends assets. A constructor's
// arguments come from the transaction, or from the contract that deploys it. What an asset's
// contract refuses comes from arguments, from a list, from storage or from a computation.
// tests/explain/constructors.test.ts and tests/explain/refused-tokens.test.ts have what the source
// means.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractimpl, contracttype, panic_with_error, symbol_short,
    token::TokenClient, Address, BytesN, Env, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum FoundedError {
    NegativeAmount = 1,
    FeeOutOfRange = 2,
    NotSeven = 3,
    UnknownPlan = 4,
}

#[contracttype]
#[derive(Clone)]
pub enum DataKey {
    Plan(u32),
}

#[contract]
pub struct Founded;

#[contractimpl]
impl Founded {
    /// `how` selects what is checked.
    pub fn __constructor(
        env: Env,
        how: u32,
        amount: i128,
        fee: u32,
        owner: Address,
    ) -> Result<(), FoundedError> {
        match how {
            0 => {}
            1 => {
                if amount < 0 {
                    panic_with_error!(&env, FoundedError::NegativeAmount);
                }
            }
            2 => {
                if !(10..=1_000).contains(&fee) {
                    return Err(FoundedError::FeeOutOfRange);
                }
            }
            3 => assert!(amount == 7),
            4 => {
                let total = fee + 4_000_000_000;
                env.storage()
                    .instance()
                    .set(&symbol_short!("total"), &total);
            }
            5 => {
                let plan: u32 = env.storage().persistent().get(&DataKey::Plan(fee)).unwrap();
                env.storage().instance().set(&symbol_short!("plan"), &plan);
            }
            6 => {
                if !env.storage().persistent().has(&DataKey::Plan(fee)) {
                    return Err(FoundedError::UnknownPlan);
                }
            }
            7 => {
                let share = 1_000 / fee;
                env.storage()
                    .instance()
                    .set(&symbol_short!("share"), &share);
            }
            8 => {
                owner.require_auth();
                if amount > 500 {
                    return Err(FoundedError::NotSeven);
                }
            }
            _ => return Err(FoundedError::UnknownPlan),
        }
        env.storage()
            .instance()
            .set(&symbol_short!("owner"), &owner);
        Ok(())
    }

    /// Creates another contract of the same code, whose constructor gets `amount + 1`.
    pub fn found(
        env: Env,
        code: BytesN<32>,
        how: u32,
        amount: i128,
        fee: u32,
        owner: Address,
    ) -> Address {
        env.deployer()
            .with_current_contract(BytesN::from_array(&env, &[6; 32]))
            .deploy_v2(code, (how, amount + 1, fee, owner))
    }

    pub fn pay(env: Env, token: Address, to: Address, amount: i128) {
        TokenClient::new(&env, &token).transfer(&env.current_contract_address(), &to, &amount);
    }

    pub fn pay_with_tip(env: Env, token: Address, to: Address, amount: i128, tip: i128) {
        Self::pay(env, token, to, amount + tip);
    }

    pub fn pay_through(env: Env, other: Address, token: Address, to: Address, amount: i128) {
        FoundedClient::new(&env, &other).pay(&token, &to, &amount);
    }

    pub fn pay_all(env: Env, token: Address, to: Address, amounts: Vec<i128>) {
        for amount in amounts.iter() {
            Self::pay(env.clone(), token.clone(), to.clone(), amount);
        }
    }

    pub fn pay_twice(env: Env, token: Address, to: Address, amount: i128) {
        Self::pay(env.clone(), token.clone(), to.clone(), amount);
        Self::pay(env, token, to, amount);
    }

    pub fn pay_stored(env: Env, token: Address, to: Address) {
        let amount = env
            .storage()
            .instance()
            .get(&symbol_short!("amount"))
            .unwrap();
        Self::pay(env, token, to, amount);
    }

    pub fn pay_constant(env: Env, token: Address, to: Address) {
        Self::pay(env, token, to, 1_000_000_000_000);
    }

    /// A second check comes after the asset's own one.
    pub fn pay_checked(env: Env, token: Address, to: Address, amount: i128, most: i128) {
        Self::pay(env.clone(), token, to, amount);
        if amount > most {
            panic_with_error!(&env, FoundedError::FeeOutOfRange);
        }
    }

    pub fn collect(env: Env, token: Address, from: Address, amount: i128) {
        from.require_auth();
        TokenClient::new(&env, &token).transfer(&from, &env.current_contract_address(), &amount);
    }

    /// Both have to authorize it, and the transfers below it.
    pub fn swap(
        env: Env,
        token: Address,
        one: Address,
        other: Address,
        amount: i128,
        back: i128,
    ) -> Result<(), FoundedError> {
        one.require_auth();
        other.require_auth();
        let token = TokenClient::new(&env, &token);
        token.transfer(&one, &other, &amount);
        token.transfer(&other, &one, &back);
        if back > amount {
            return Err(FoundedError::FeeOutOfRange);
        }
        Ok(())
    }

    pub fn pull(env: Env, token: Address, from: Address, amount: i128) {
        let own = env.current_contract_address();
        TokenClient::new(&env, &token).transfer_from(&own, &from, &own, &amount);
    }

    pub fn allow(env: Env, token: Address, spender: Address, amount: i128, until: u32) {
        let own = env.current_contract_address();
        TokenClient::new(&env, &token).approve(&own, &spender, &amount, &until);
    }

    pub fn burn(env: Env, token: Address, amount: i128) {
        TokenClient::new(&env, &token).burn(&env.current_contract_address(), &amount);
    }
}
