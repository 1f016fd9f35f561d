// Readers of ledgers, frames and messages survive any bytes, and use memory in proportion to them.
// The tests mutate valid bytes, and announce sizes without sending the bytes.

use super::{
    fold,
    frame::{read_frame, Parts},
    host::{Executed, Host},
    hosts::{job_frame, ledger_frame, read_answer, settings_frame},
    hosts::{Job, JobEntry, LedgerInput, Settings},
    ledger::Ledger,
    read_message,
    record::record_of,
    rehearsal::Compared,
    state::{Limits, State},
};
use crate::{
    counted_memory::peak_bytes,
    random::Random,
    transaction::Transaction,
    xdr_codec::{
        encode, from_base64, sha256,
        xdr::{
            Hash, LedgerHeader, LedgerHeaderExt, StellarValue, StellarValueExt, TimePoint, VecM,
        },
    },
};
use serde_json::Value;
use std::rc::Rc;

/// The number of mutations of each sample. The variable SVC_FUZZ_BYTES changes it.
const MUTATIONS: u64 = 3000;
const PASSPHRASE: &str = "Test SDF Network ; September 2015";

fn mutations() -> u64 {
    std::env::var("SVC_FUZZ_BYTES").map_or(MUTATIONS, |text| text.parse().unwrap())
}

fn fixtures() -> Vec<Value> {
    let root = std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let names =
        ["sac-transfer", "restore-footprint", "extend-footprint-ttl", "auto-restore-and-write"];
    let files = names.iter().map(|name| format!("../../tests/fixtures/protocol/{name}.json"));
    files
        .map(|file| serde_json::from_slice(&std::fs::read(root.join(file)).unwrap()).unwrap())
        .collect()
}

fn bytes_of(text: &Value) -> Vec<u8> {
    from_base64(text.as_str().unwrap(), "fixture").unwrap()
}

fn network_id(fixture: &Value) -> [u8; 32] {
    let passphrase = fixture["request"]["ledger"]["network_passphrase"].as_str();
    sha256(passphrase.unwrap_or(PASSPHRASE).as_bytes())
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// A LedgerCloseMeta of each version, each of ledger 100.
pub fn made_ledgers() -> Vec<Vec<u8>> {
    (0..3).map(|version| ledger(version, &fixtures()[0])).collect()
}

/// A LedgerCloseMeta of this version with a fixture's transaction. Every hash in it is right.
fn ledger(version: u32, fixture: &Value) -> Vec<u8> {
    let request = &fixture["request"];
    let envelope = bytes_of(&request["envelope_xdr"]);
    let hash = Transaction::of(&envelope, &network_id(fixture)).unwrap().hash;
    let result = bytes_of(&fixture["chain"]["result_xdr"]);
    let results = [&words(&[1])[..], &hash, &result].concat();
    let one = [&words(&[1])[..], &envelope].concat();
    let set = match version {
        0 => [&[7; 32][..], &one].concat(),
        // One phase, with one component without a base fee.
        1 => [&words(&[1])[..], &[7; 32], &words(&[1, 0, 1, 0, 0]), &one].concat(),
        // A parallel phase, with one stage of one cluster.
        _ => [&words(&[1])[..], &[7; 32], &words(&[1, 1, 0, 1, 1]), &one].concat(),
    };
    let header = encode(&LedgerHeader {
        ledger_version: 23,
        previous_ledger_hash: Hash([7; 32]),
        scp_value: StellarValue {
            tx_set_hash: Hash(sha256(&set)),
            close_time: TimePoint(1),
            upgrades: VecM::default(),
            ext: StellarValueExt::Basic,
        },
        tx_set_result_hash: Hash(sha256(&results)),
        bucket_list_hash: Hash([0; 32]),
        ledger_seq: 100,
        total_coins: 1,
        fee_pool: 1,
        inflation_seq: 0,
        id_pool: 0,
        base_fee: 100,
        base_reserve: 5_000_000,
        max_tx_set_size: 100,
        skip_list: [Hash([0; 32]), Hash([0; 32]), Hash([0; 32]), Hash([0; 32])],
        ext: LedgerHeaderExt::V0,
    });
    let meta = bytes_of(&request["result_meta_xdr"]);
    let extension = words(&[0]);
    let processed = [
        if version == 2 { &extension[..] } else { &[] },
        &hash,
        &result,
        &words(&[0]),
        &meta,
        if version == 2 { &extension[..] } else { &[] },
    ]
    .concat();
    [
        &words(&[version])[..],
        if version == 0 { &[] } else { &extension[..] },
        &sha256(&header),
        &header,
        &words(&[0]),
        &set,
        &words(&[1]),
        &processed,
        // Upgrades and SCP messages; then the size of the state, evicted keys, and evicted entries.
        &words(&[0, 0]),
        &words([&[][..], &[0, 0, 0, 0], &[0, 0, 0]][version as usize]),
    ]
    .concat()
}

fn read_and_fold(bytes: &[u8], network_id: &[u8; 32]) -> Result<(), String> {
    let ledger = Ledger::read(bytes.to_vec(), network_id)?;
    let limits = Limits { maximum_bytes: 1 << 20, keeps_recent: false, keeps_rows: true };
    let mut state = State::new(false, limits);
    state.begin_ledger(ledger.facts.sequence);
    fold::fold(&mut state, &ledger, |_, _, transaction| {
        if let Some(soroban) = &transaction.envelope.soroban {
            record_of(&ledger, transaction, soroban.operation, 23, network_id);
        }
    });
    state.take_rows();
    Ok(())
}

#[test]
fn mutations_of_ledgers_are_read_or_refused() {
    for fixture in fixtures() {
        let id = network_id(&fixture);
        for version in [0, 1, 2] {
            let valid = ledger(version, &fixture);
            let read = Ledger::read(valid.clone(), &id).unwrap();
            assert_eq!((read.forged, read.transactions.len()), (None, 1), "version {version}");
            for seed in 0..mutations() {
                let bytes = Random(seed).mutated(&valid);
                let peak = peak_bytes(|| _ = read_and_fold(&bytes, &id));
                let most = (1 << 20) + 200 * bytes.len();
                assert!(peak < most, "version {version}, mutation {seed}: {peak} bytes");
            }
        }
    }
}

fn job(fixture: &Value) -> Job {
    let request = &fixture["request"];
    let envelope = bytes_of(&request["envelope_xdr"]);
    let transaction = Transaction::of(&envelope, &network_id(fixture)).unwrap();
    let keys: Vec<String> =
        transaction.footprint_keys().map(|key| crate::xdr_codec::to_base64(&encode(key))).collect();
    let entries = keys.iter().map(|key| {
        let entry = &request["ledger_entries"][key];
        let xdr = if entry.is_object() { &entry["entry_xdr"] } else { entry };
        JobEntry {
            entry: xdr.is_string().then(|| bytes_of(xdr).into()),
            is_code: false,
            live_until: 1 << 20,
            archived: false,
            code_cached: None,
            restored_earlier: false,
        }
    });
    Job {
        ledger: Rc::new(LedgerInput {
            protocol: 23,
            sequence: 100,
            close_time_unix_seconds: 0,
            network_id: network_id(fixture),
            base_reserve_stroops: 100,
            transaction_set_hash: [7; 32],
            settings: Rc::new(Settings {
                entries: request["ledger"]["settings"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(bytes_of)
                    .collect(),
                rent_fee: Some(1000),
                unconfirmed: false,
            }),
        }),
        envelope: envelope.clone(),
        order: 1,
        fee_taken: 1,
        refund_is_paid: true,
        diagnostics: true,
        entries: entries.collect(),
        compared: Some(Compared { code: Rc::default(), calls: true }),
    }
}

fn handled(host: &mut Host, frame: &[u8]) -> Option<Option<Executed>> {
    // The pipe adds the length before the answer.
    let answer = host.handle(frame, |_, run| Ok(run())).ok()??.into_bytes();
    read_answer(&answer[4..]).ok().map(|(_, _, executed)| executed)
}

#[test]
fn mutations_of_frames_are_handled_or_refused() {
    // These fixtures run no wasm: they use an asset's contract, and operations without contracts.
    for fixture in &fixtures()[..3] {
        let job = job(fixture);
        let frames = [
            ledger_frame(&job.ledger).into_bytes(),
            settings_frame(&job.ledger.settings).into_bytes(),
            job_frame(1, &job, &vec![0; job.entries.len()]).into_bytes(),
        ];
        let mut host = Host::default();
        let ran: Vec<_> = frames.iter().map(|frame| handled(&mut host, &frame[4..])).collect();
        assert!(matches!(ran[..], [None, None, Some(Some(_))]));
        for seed in 0..mutations() / 10 {
            let mut random = Random(seed);
            let mut host = Host::default();
            let changed = random.below(frames.len());
            for (at, frame) in frames.iter().enumerate() {
                let frame = match at == changed {
                    true => random.mutated(&frame[4..]),
                    false => frame[4..].to_vec(),
                };
                handled(&mut host, &frame);
            }
        }
        for seed in 0..mutations() {
            let mut random = Random(seed);
            let stream = random.mutated(&frames.concat());
            let peak = peak_bytes(|| {
                let mut input = &stream[..];
                while let Ok(Some(frame)) = read_frame(&mut input) {
                    _ = read_answer(&frame);
                    _ = Executed::read(&mut Parts(&frame));
                }
            });
            assert!(peak < (1 << 20) + 4 * stream.len(), "mutation {seed}: {peak} bytes");
        }
    }
}

#[test]
fn mutations_of_messages_are_read_or_refused() {
    let valid = concat!(
        r#"{"open":{"network_passphrase":"x","genesis":"AAAA","maximum_bytes":1000,"hosts":1}}"#,
        "\n",
        r#"{"resume":{"facts":{"first_ledger":1,"young_since":1,"generation":0,"complete":true},"last":false}}"#,
        "\n",
        r#"{"keep":{"rows":[{"key":"eAAAA","value":"AAAA","generation":0},{"key":"","value":7,"generation":0}]}}"#,
        "\n",
        r#"{"ledger":{"bytes":4}}"#,
        "\n1234",
        r#"{"fold":{"run":true,"want":[1],"keys":[],"put":[]}}"#,
        "\n",
        r#"{"run":{"sequence":3,"order":1,"keys":[],"#,
        r#""again":{"define":[[1,"AAAA"]],"code":[["AAAA",1]],"keeps":["AAAA"]}}}"#,
        "\n",
        r#"{"files":{"paths":["x"],"fold_from":0,"count_from":0,"skip":0,"settings_only":false,"#,
        r#""mentioned_in":["y"],"observe":{"keys":["AAAA"],"grows":true,"again":true,"#,
        r#""only":["00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"]}}}"#,
        "\n",
        r#"{"take":{"number":1,"shows":true,"kept":false}}"#,
        "\n",
        r#"{"done":{"sequence":3}}"#,
        "\n",
    );
    let limits = Limits { maximum_bytes: 1 << 20, keeps_recent: false, keeps_rows: true };
    let read_all = |bytes: &[u8]| {
        let (mut input, mut count) = (bytes, 0);
        let mut state = State::new(false, limits);
        while let Ok(Some((message, ..))) = read_message(&mut input) {
            count += 1;
            if let super::Message::Keep { rows } = message {
                rows.into_iter().for_each(|row| row.keep(&mut state));
            }
        }
        count
    };
    assert_eq!(read_all(valid.as_bytes()), 9);
    for seed in 0..mutations() {
        let bytes = Random(seed).mutated(valid.as_bytes());
        let peak = peak_bytes(|| _ = read_all(&bytes));
        assert!(peak < 1 << 20, "mutation {seed}: {peak} bytes");
    }
    // The announced size is only a claim of the sender.
    let peak = peak_bytes(|| _ = read_all(b"{\"ledger\":{\"bytes\":1000000000}}\nxx"));
    assert!(peak < 1 << 20, "{peak} bytes");
}
