// Tests of the state's own rules, and of rules of the parallel phase (CAP-63) that streams seldom
// show.

use super::{
    changes::{ttl_key, Change, Key, Kind},
    cursor::Cursor,
    fold::StageTtls,
    ledger::FootprintKey,
    metric::metric_length,
    state::{Knowledge, Limits, NodeClaim, State},
};
use crate::xdr_codec::{
    encode,
    xdr::{
        ContractEvent, ContractEventBody, ContractEventType, ContractEventV0, DiagnosticEvent,
        ExtensionPoint, LedgerEntryType as Type, ScSymbol, ScVal,
    },
};

const LIMITS: Limits = Limits { maximum_bytes: 1 << 20, keeps_recent: false, keeps_rows: false };

fn state(complete: bool) -> State {
    State::new(complete, LIMITS)
}

/// A LedgerKey of contract data with the parts that the state reads: its type and durability.
fn data_key(name: u8, persistent: bool) -> Key {
    [0, 0, 0, 6, name, name, name, name, 0, 0, 0, u8::from(persistent)].into()
}

fn code_key() -> Key {
    [0, 0, 0, 7, 1, 1, 1, 1].into()
}

fn change(kind: Kind, key: &Key, entry_type: Type, live_until: Option<u32>) -> Change {
    Change { kind, entry_type, key: key.clone(), bytes: 0..0, live_until }
}

fn write(state: &mut State, kind: Kind, key: &Key, entry: &[u8]) {
    let kinds = if key[3] == 7 { Type::ContractCode } else { Type::ContractData };
    state.apply(&change(kind, key, kinds, None), Some(entry));
}

fn live(state: &mut State, key: &Key, ledger: u32) {
    state.apply(&change(Kind::Created, &ttl_key(key), Type::Ttl, Some(ledger)), None);
}

fn entry_of(state: &mut State, key: &Key) -> Option<Vec<u8>> {
    state.entry(key).value().map(|entry| entry.to_vec())
}

#[test]
fn what_nobody_mentioned_is_absent_only_where_every_ledger_was_seen() {
    let key = data_key(1, true);
    assert_eq!(state(true).entry(&key), Knowledge::Known(None));
    let mut partial = state(false);
    assert_eq!(partial.entry(&key), Knowledge::Unknown);
    partial.apply(&change(Kind::Removed, &key, Type::ContractData, None), None);
    assert_eq!(partial.entry(&key), Knowledge::Known(None));
}

#[test]
fn evicted_persistent_entries_go_to_the_hot_archive_and_temporary_ones_nowhere() {
    let mut state = state(true);
    for persistent in [true, false] {
        let key = data_key(1, persistent);
        write(&mut state, Kind::Created, &key, b"0000it");
        live(&mut state, &key, 9);
        state.evict(&key);
        assert_eq!(entry_of(&mut state, &key), None);
        assert_eq!(state.live_until(&ttl_key(&key)), Knowledge::Known(None));
        assert_eq!(state.archived(&key).is_some(), persistent);
    }
    let key = data_key(1, true);
    write(&mut state, Kind::Restored, &key, b"0000it");
    assert!(state.archived(&key).is_none() && state.restored_in_this_ledger(&key));
    assert_eq!(entry_of(&mut state, &key).as_deref(), Some(&b"0000it"[..]));
}

#[test]
fn code_is_new_that_was_not_live_when_the_ledger_before_closed() {
    let mut state = state(true);
    let code = code_key();
    state.begin_ledger(2);
    write(&mut state, Kind::Created, &code, b"0000code");
    assert!(state.is_new_code(&code));
    state.begin_ledger(3);
    // The code expired and was restored before it was evicted, so it never left the cache.
    write(&mut state, Kind::Restored, &code, b"0000code");
    assert!(!state.is_new_code(&code));
    state.evict(&code);
    write(&mut state, Kind::Restored, &code, b"0000code");
    assert!(state.is_new_code(&code));
}

#[test]
fn an_entry_that_comes_back_with_another_value_is_a_mismatch() {
    let mut state = state(false);
    let key = data_key(1, true);
    state.begin_ledger(7);
    write(&mut state, Kind::Created, &key, &[0, 0, 0, 0, 1]);
    state.evict(&key);
    state.begin_ledger(8);
    // Only the last-modified ledger may differ.
    write(&mut state, Kind::Restored, &key, &[0, 0, 0, 8, 1]);
    assert_eq!(state.mismatches.len(), 0);
    state.evict(&key);
    write(&mut state, Kind::Restored, &key, &[0, 0, 0, 8, 2]);
    assert_eq!(state.mismatches.len(), 1);
    // A value that is not known is not compared.
    write(&mut state, Kind::Restored, &data_key(2, true), &[0, 0, 0, 0, 1]);
    assert_eq!(state.mismatches.len(), 1);
}

#[test]
fn at_its_limit_the_state_forgets_all_but_the_settings() {
    let limits = Limits { maximum_bytes: 100, ..LIMITS };
    let mut state = State::new(true, limits);
    let setting: Key = [0, 0, 0, 8, 0, 0, 0, 1].into();
    state.begin_ledger(2);
    state.apply(&change(Kind::Updated, &setting, Type::ConfigSetting, None), Some(b"setting"));
    write(&mut state, Kind::Created, &data_key(1, true), &[0; 200]);
    state.begin_ledger(3);
    assert_eq!(state.entry(&data_key(1, true)), Knowledge::Unknown);
    assert_eq!(entry_of(&mut state, &setting).as_deref(), Some(&b"setting"[..]));
    assert!(!state.facts.complete && state.facts.first_ledger == 3);
}

#[test]
fn what_was_given_holds_until_a_ledger_changes_it() {
    let mut state = state(false);
    let (key, other) = (data_key(1, true), data_key(2, true));
    let claim = |value: &[u8]| NodeClaim {
        value: Some(value.into()),
        unconfirmed: true,
        provisional: false,
        bounded: false,
        least: None,
    };
    let ttl = || {
        Some(NodeClaim {
            value: Some(9),
            unconfirmed: true,
            provisional: true,
            bounded: true,
            least: None,
        })
    };
    write(&mut state, Kind::Updated, &other, b"0000by a ledger");
    state.add_claim(key.clone(), claim(b"0000by a node"), ttl());
    state.add_claim(other.clone(), claim(b"0000by a node"), ttl());
    // A supplied entry is no evidence of a ledger, and is ignored if a ledger has shown the key.
    assert_eq!(state.entry(&key), Knowledge::Unknown);
    assert!(state.claimed_entry(&key).is_some() && state.claimed_entry(&other).is_none());
    live(&mut state, &key, 12);
    assert!(state.claimed_ttl(&ttl_key(&key)).is_none() && state.claimed_entry(&key).is_some());
    // A ledger has shown only the TTL.
    let extended = data_key(3, true);
    live(&mut state, &extended, 12);
    state.add_claim(extended.clone(), claim(b"0000by a node"), ttl());
    assert!(state.claimed_ttl(&ttl_key(&extended)).is_none());
    assert!(state.claimed_entry(&extended).is_some());
    state.evict(&key);
    assert!(state.claimed_entry(&key).is_none());
    state.add_claim(key.clone(), claim(b"0000by a node"), ttl());
    assert!(state.claimed_entry(&key).is_none());
}

fn footprint(key: &Key, read_only: bool) -> Vec<FootprintKey> {
    vec![FootprintKey {
        key: key.clone(),
        entry_type: Type::ContractData,
        read_only,
        temporary: false,
        marked: false,
        ttl_key: Some(ttl_key(key)),
    }]
}

#[test]
fn extensions_of_read_only_entries_are_invisible_until_the_stage_ends() {
    let (mut state, key) = (state(true), data_key(1, true));
    live(&mut state, &key, 100);
    let mut ttls = StageTtls::default();
    let until = |state: &mut State| state.live_until(&ttl_key(&key)).value().copied();
    for (cluster, to) in [(0, 150), (0, 120), (1, 180), (2, 110)] {
        ttls.before_transaction(&mut state, cluster, &footprint(&key, true));
        let extension = change(Kind::Updated, &ttl_key(&key), Type::Ttl, Some(to));
        assert!(ttls.defers(cluster, &footprint(&key, true), &extension));
        assert_eq!(until(&mut state), Some(100));
    }
    // A transaction of the same cluster that writes the entry sees the extensions.
    ttls.before_transaction(&mut state, 2, &footprint(&key, false));
    assert_eq!(until(&mut state), Some(110));
    ttls.end(&mut state);
    assert_eq!(until(&mut state), Some(180));
    let extension = change(Kind::Updated, &ttl_key(&key), Type::Ttl, Some(200));
    assert!(!ttls.defers(0, &footprint(&key, false), &extension));
}

#[test]
fn a_core_metric_ends_where_its_decoder_stops_whichever_byte_is_another() {
    for (name, following) in [("cpu_insn", 0), ("max_emit_event_byte", 3), ("", 40)] {
        let event = encode(&DiagnosticEvent {
            in_successful_contract_call: true,
            event: ContractEvent {
                ext: ExtensionPoint::V0,
                contract_id: None,
                type_: ContractEventType::Diagnostic,
                body: ContractEventBody::V0(ContractEventV0 {
                    topics: [symbol("core_metrics"), symbol(name)].try_into().expect("two"),
                    data: ScVal::U64(7),
                }),
            },
        });
        let bytes = [&event[..], &vec![1; following]].concat();
        assert_eq!(metric_length(&bytes), Some(event.len()));
        assert_eq!(metric_length(&bytes[..event.len() - 1]), None);
        for at in 0..event.len() * 8 {
            let mut other = bytes.clone();
            other[at / 8] ^= 1 << (at % 8);
            let Some(length) = metric_length(&other) else { continue };
            let decoded = Cursor::new(&other).range_of::<DiagnosticEvent>();
            assert_eq!(decoded, Ok(0..length));
        }
    }
}

fn symbol(name: &str) -> ScVal {
    ScVal::Symbol(ScSymbol(name.try_into().expect("short")))
}
