//! The contract that most transactions of the recorded network call. Only its source is here: its
//! wasm is in the network's ledgers.

#![no_std]
use soroban_sdk::{
    contract, contracterror, contractevent, contractimpl, contracttype, panic_with_error,
    symbol_short, token, vec, Address, Bytes, BytesN, Env, IntoVal, Map, String, Symbol, Val, Vec,
};

#[contracterror]
#[derive(Copy, Clone, Debug, Eq, PartialEq, PartialOrd, Ord)]
#[repr(u32)]
pub enum LabError {
    NotFound = 1,
    TooBig = 2,
    Teapot = 418,
}

#[contracttype]
#[derive(Clone)]
pub enum Key {
    Admin,
    Count(Symbol),
    Blob(u32),
}

#[contracttype]
#[derive(Clone)]
pub struct Info {
    pub count: u32,
    pub who: Address,
    pub tags: Vec<Symbol>,
    pub note: Option<String>,
}

#[contractevent(topics = ["lab", "bump"])]
pub struct Bump {
    #[topic]
    pub key: Symbol,
    pub value: u32,
}

#[contract]
pub struct Kitchen;

#[contractimpl]
impl Kitchen {
    pub fn __constructor(env: Env, admin: Address, start: u32) {
        admin.require_auth();
        env.storage().instance().set(&Key::Admin, &admin);
        env.storage()
            .persistent()
            .set(&Key::Count(symbol_short!("main")), &start);
    }
    pub fn inc(env: Env, key: Symbol) -> u32 {
        let k = Key::Count(key.clone());
        let v: u32 = env.storage().persistent().get(&k).unwrap_or(0) + 1;
        env.storage().persistent().set(&k, &v);
        Bump { key, value: v }.publish(&env);
        v
    }
    pub fn inc_temp(env: Env, key: Symbol) -> u32 {
        let k = Key::Count(key);
        let v: u32 = env.storage().temporary().get(&k).unwrap_or(0) + 1;
        env.storage().temporary().set(&k, &v);
        v
    }
    pub fn inc_inst(env: Env, key: Symbol) -> u32 {
        let k = Key::Count(key);
        let v: u32 = env.storage().instance().get(&k).unwrap_or(0) + 1;
        env.storage().instance().set(&k, &v);
        v
    }
    pub fn get(env: Env, key: Symbol) -> Result<u32, LabError> {
        env.storage()
            .persistent()
            .get(&Key::Count(key))
            .ok_or(LabError::NotFound)
    }
    pub fn del(env: Env, key: Symbol) {
        env.storage().persistent().remove(&Key::Count(key));
    }
    pub fn bump_ttl(env: Env, key: Symbol, threshold: u32, to: u32) {
        env.storage()
            .persistent()
            .extend_ttl(&Key::Count(key), threshold, to);
    }
    pub fn info(env: Env, who: Address, note: Option<String>) -> Info {
        env.logs().add("info asked", &[who.to_val()]);
        Info {
            count: env.ledger().sequence(),
            who,
            tags: vec![&env, symbol_short!("a"), symbol_short!("b")],
            note,
        }
    }
    pub fn fail(_env: Env, code: u32) -> Result<u32, LabError> {
        match code {
            1 => Err(LabError::NotFound),
            2 => Err(LabError::TooBig),
            418 => Err(LabError::Teapot),
            n => Ok(n),
        }
    }
    pub fn fail_panic(env: Env) {
        panic_with_error!(&env, LabError::Teapot)
    }
    pub fn trap(_env: Env) {
        panic!("on purpose")
    }
    pub fn add(_env: Env, a: u32, b: u32) -> u32 {
        a + b
    }
    pub fn set_then_trap(env: Env, key: Symbol) {
        env.storage().persistent().set(&Key::Count(key), &99u32);
        panic!("after write")
    }
    pub fn spin(env: Env, n: u32) -> BytesN<32> {
        let mut b = Bytes::from_array(&env, &[7u8; 64]);
        for _ in 0..n {
            let h = env.crypto().sha256(&b);
            b = Bytes::from_array(&env, &h.to_array());
        }
        b.try_into().unwrap()
    }
    pub fn mem(env: Env, n: u32) -> u32 {
        let mut v: Vec<Bytes> = Vec::new(&env);
        for i in 0..n {
            v.push_back(Bytes::from_array(&env, &[(i & 255) as u8; 1024]));
        }
        v.len()
    }
    pub fn blob(env: Env, id: u32, len: u32) -> u32 {
        let mut b = Bytes::new(&env);
        let chunk = Bytes::from_array(&env, &[0xabu8; 512]);
        while b.len() + 512 <= len {
            b.append(&chunk);
        }
        env.storage().persistent().set(&Key::Blob(id), &b);
        b.len()
    }
    pub fn prng(env: Env, n: u32) -> (u64, Vec<u32>, Bytes) {
        let mut v: Vec<u32> = Vec::new(&env);
        for i in 0..n {
            v.push_back(i);
        }
        env.prng().shuffle(&mut v);
        let r: u64 = env.prng().gen_range(1000..=2000);
        let b: Bytes = env.prng().gen_len(16);
        (r, v, b)
    }
    pub fn crypto(env: Env, data: Bytes) -> Map<Symbol, Bytes> {
        let mut m = Map::new(&env);
        m.set(
            symbol_short!("sha256"),
            Bytes::from_array(&env, &env.crypto().sha256(&data).to_array()),
        );
        m.set(
            symbol_short!("keccak"),
            Bytes::from_array(&env, &env.crypto().keccak256(&data).to_array()),
        );
        m
    }
    pub fn ed_verify(env: Env, pk: BytesN<32>, msg: Bytes, sig: BytesN<64>) {
        env.crypto().ed25519_verify(&pk, &msg, &sig);
    }
    pub fn send(env: Env, tok: Address, from: Address, to: Address, amount: i128) {
        from.require_auth();
        token::Client::new(&env, &tok).transfer(&from, &to, &amount);
    }
    pub fn admin_set(env: Env, key: Symbol, value: u32) {
        let admin: Address = env.storage().instance().get(&Key::Admin).unwrap();
        admin.require_auth();
        env.storage().persistent().set(&Key::Count(key), &value);
    }
    pub fn fwd(env: Env, other: Address, f: Symbol, args: Vec<Val>) -> Val {
        env.invoke_contract::<Val>(&other, &f, args)
    }
    pub fn fwd_try(env: Env, other: Address, f: Symbol, args: Vec<Val>) -> bool {
        env.try_invoke_contract::<Val, soroban_sdk::Error>(&other, &f, args)
            .is_ok()
    }
    pub fn deep(env: Env, n: u32) -> u32 {
        if n == 0 {
            return 0;
        }
        // contract re-entry is forbidden: fails for n > 0
        let me = env.current_contract_address();
        env.invoke_contract::<u32>(
            &me,
            &symbol_short!("deep"),
            vec![&env, (n - 1).into_val(&env)],
        )
    }
    pub fn spawn(env: Env, wasm: BytesN<32>, salt: BytesN<32>, start: u32) -> Address {
        let me = env.current_contract_address();
        env.deployer()
            .with_current_contract(salt)
            .deploy_v2(wasm, (me, start))
    }
    pub fn upgrade(env: Env, wasm: BytesN<32>) {
        let admin: Address = env.storage().instance().get(&Key::Admin).unwrap();
        admin.require_auth();
        env.deployer().update_current_contract_wasm(wasm);
    }
    pub fn many_events(env: Env, n: u32) {
        for i in 0..n {
            #[allow(deprecated)]
            env.events()
                .publish((symbol_short!("many"), i), (i, env.ledger().timestamp()));
        }
    }
    pub fn noop(_env: Env) {}
}
