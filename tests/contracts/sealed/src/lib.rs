//! Money that is kept by keys of ML-DSA (CAP-87), for addresses with an id (CAP-84). Its functions
//! fail in the ways that these two bring with them.
#![no_std]
use soroban_sdk::{
    contract, contracterror, contractevent, contractimpl, contracttype, symbol_short, Address,
    Bytes, BytesN, Env, MuxedAddress, Symbol, Val,
};

#[contract]
pub struct Sealed;

#[contracterror]
#[derive(Copy, Clone, Debug, Eq, PartialEq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Error {
    /// An id of another customer.
    UnknownCustomer = 1,
    /// The address has no id.
    IdMissing = 2,
}

#[contracttype]
pub enum Key {
    Held(Address),
}

#[contractevent]
pub struct Deposited {
    #[topic]
    pub to: Address,
    pub to_muxed_id: Option<u64>,
    pub amount: i128,
}

/// Ids that are given out end before this.
const IDS: u64 = 1000;

#[cfg(target_family = "wasm")]
mod host {
    #[link(wasm_import_module = "c")]
    extern "C" {
        /// verify_sig_ml_dsa_44, with arguments of any length.
        #[link_name = "A"]
        pub fn verify(key: u64, message: u64, signature: u64, context: u64) -> u64;
    }
    #[link(wasm_import_module = "a")]
    extern "C" {
        /// require_auth, with any value.
        #[link_name = "0"]
        pub fn require_auth(address: u64) -> u64;
    }
}

#[contractimpl]
impl Sealed {
    /// Counts how often the key has signed.
    pub fn open(
        env: Env,
        key: BytesN<1312>,
        message: Bytes,
        signature: BytesN<2420>,
        context: Bytes,
    ) -> u32 {
        env.crypto().ml_dsa_44_verify(&key, &message, &signature, &context);
        let opened = symbol_short!("opened");
        let count = env.storage().instance().get(&opened).unwrap_or(0u32) + 1;
        env.storage().instance().set(&opened, &count);
        count
    }

    /// The same with whatever lengths the caller has.
    pub fn open_any(env: Env, key: Bytes, message: Bytes, signature: Bytes, context: Bytes) {
        #[cfg(target_family = "wasm")]
        unsafe {
            host::verify(
                key.to_val().get_payload(),
                message.to_val().get_payload(),
                signature.to_val().get_payload(),
                context.to_val().get_payload(),
            );
        }
        let _ = (env, key, message, signature, context);
    }

    /// Keeps the amount for the contract or account; the id is only in the event.
    pub fn deposit(env: Env, to: MuxedAddress, amount: i128) -> Result<i128, Error> {
        let to_muxed_id = to.id();
        if let Some(id) = to_muxed_id {
            if id >= IDS {
                return Err(Error::UnknownCustomer);
            }
        }
        let key = Key::Held(to.address());
        let held: i128 = env.storage().persistent().get(&key).unwrap_or(0) + amount;
        env.storage().persistent().set(&key, &held);
        Deposited { to: to.address(), to_muxed_id, amount }.publish(&env);
        Ok(held)
    }

    /// Only for addresses with an id.
    pub fn deposit_for(env: Env, to: MuxedAddress, amount: i128) -> Result<i128, Error> {
        if to.id().is_none() {
            return Err(Error::IdMissing);
        }
        Self::deposit(env, to, amount)
    }

    /// A storage key with an id, which the host refuses.
    pub fn keep(env: Env, of: MuxedAddress, amount: i128) {
        env.storage().persistent().set(&(symbol_short!("kept"), of.to_val()), &amount);
    }

    /// An address without an id, as the SDK checks.
    pub fn plain(env: Env, of: Address) -> Option<i128> {
        env.storage().persistent().get(&Key::Held(of))
    }

    /// An address without an id, as the host checks.
    pub fn authorized(env: Env, of: Val) {
        #[cfg(target_family = "wasm")]
        unsafe {
            host::require_auth(of.get_payload());
        }
        let _ = (env, of);
    }

    /// The asset contract of the token takes an address with an id as recipient only.
    pub fn pay(env: Env, token: Address, to: MuxedAddress, amount: i128) {
        let own = env.current_contract_address();
        soroban_sdk::token::TokenClient::new(&env, &token).transfer(&own, &to, &amount);
    }

    /// The strkey of an address.
    pub fn named(env: Env, of: MuxedAddress) -> soroban_sdk::String {
        let _ = Symbol::new(&env, "named");
        of.to_strkey()
    }
}
