// The limits of the processes that run contracts for the engine: every transaction ends, whatever
// it does, and its neighbours get their answers.

#![cfg(not(feature = "recording"))]

mod support;

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::{
    path::PathBuf,
    rc::Rc,
    sync::mpsc::{channel, Receiver},
};
use support::*;
use svc_sim::engine::{
    host::Broken,
    hosts::{HostEvent, Hosts, Job, JobEntry, LedgerInput, Program, Settings},
};

fn bytes_of(text: &Value) -> Vec<u8> {
    STANDARD.decode(text.as_str().unwrap()).unwrap()
}

/// The setting without any cost and without a limit of a transaction's memory, so that the host
/// never ends the transaction.
fn free(setting: &Value) -> Vec<u8> {
    let mut bytes = bytes_of(setting);
    // The ledger of the last change and the type come before the setting's id.
    match bytes[11] {
        1 => bytes[36..40].copy_from_slice(&u32::MAX.to_be_bytes()),
        6 | 7 => {
            let count = u32::from_be_bytes(bytes[12..16].try_into().unwrap()) as usize;
            for cost in bytes[16..16 + 20 * count].chunks_mut(20) {
                cost[4..].fill(0);
            }
        }
        _ => {}
    }
    bytes
}

/// Adds 16 pages and writes to each, in an endless loop.
fn takes_all_memory(function: &str) -> Vec<u8> {
    // loop, i32.const 16, memory.grow, i32.const 65536, i32.mul, i32.const 1, i32.store, br 0, end,
    // i64.const 2, end
    let body = [
        &[0x03, 0x40, 0x41, 16, 0x40, 0, 0x41, 0x80, 0x80, 0x04, 0x6c, 0x41, 1][..],
        &[0x36, 2, 0, 0x0c, 0, 0x0b, 0x42, 0x02, 0x0b],
    ];
    with_body(function, &body.concat())
}

/// Calls the host in an endless loop: the instructions of one transaction can take minutes.
fn never_ends_calling(function: &str) -> Vec<u8> {
    // loop, call get_ledger_sequence, drop, br 0, end, i64.const 2, end
    let body = [0x03, 0x40, 0x10, 0, 0x1a, 0x0c, 0, 0x0b, 0x42, 0x02, 0x0b];
    let wasm = with_body(function, &body);
    // The types are the earlier ones and that of get_ledger_sequence, which is the first function.
    let types = [&[1u8, 6, 1, 0x60, 1, 0x7e, 1, 0x7e][..], &[3, 2, 1, 0]].concat();
    let at = wasm.windows(types.len()).position(|part| part == types).unwrap();
    let with_import = [
        &[1, 10, 2, 0x60, 1, 0x7e, 1, 0x7e, 0x60, 0, 1, 0x7e][..],
        &[2, 7, 1, 1, b'x', 1, b'3', 0, 1, 3, 2, 1, 0],
    ];
    let mut rest = wasm[at + types.len()..].to_vec();
    // The index of the exported function.
    let exported = rest.windows(function.len()).position(|part| part == function.as_bytes());
    rest[exported.unwrap() + function.len() + 1] = 1;
    [&wasm[..at], &with_import.concat(), &rest].concat()
}

/// Another call, which ends at once.
fn neighbour() -> Job {
    job(&request_of("sac-transfer"))
}

/// A call of `fail` in this code, with as many instructions as there can be.
fn greedy(wasm: &[u8]) -> Job {
    let mut request = request_with_own_code(wasm);
    request["envelope_xdr"] = with_resources(&request, Some(u32::MAX), 200_000);
    job(&request)
}

fn job(request: &Value) -> Job {
    let envelope = bytes_of(&request["envelope_xdr"]);
    let mut entries: Vec<_> = request["ledger_entries"]
        .as_object()
        .unwrap()
        .iter()
        .filter_map(|(key, entry)| {
            let key = STANDARD.decode(key).unwrap();
            // The entries in the order of the footprint, without TTL entries.
            let at = envelope.windows(key.len()).rposition(|part| part == key)?;
            let entry = match entry {
                Value::String(_) => Some(entry),
                Value::Object(fields) => Some(&fields["entry_xdr"]),
                _ => None,
            };
            let job_entry = JobEntry {
                entry: entry.map(|xdr| bytes_of(xdr).into()),
                is_code: key[3] == 7,
                live_until: u32::MAX,
                archived: false,
                code_cached: Some(false),
                restored_earlier: false,
            };
            Some((at, job_entry))
        })
        .collect();
    entries.sort_by_key(|(at, _)| *at);
    let ledger = &request["ledger"];
    let number = |name: &str| ledger[name].as_u64().unwrap() as u32;
    let passphrase = ledger["network_passphrase"].as_str().unwrap();
    Job {
        ledger: Rc::new(LedgerInput {
            protocol: number("protocol_version"),
            sequence: number("sequence"),
            close_time_unix_seconds: 0,
            network_id: Sha256::digest(passphrase).into(),
            base_reserve_stroops: 100,
            transaction_set_hash: [7; 32],
            settings: Rc::new(Settings {
                entries: ledger["settings"].as_array().unwrap().iter().map(free).collect(),
                rent_fee: Some(1000),
                unconfirmed: false,
            }),
        }),
        envelope,
        order: 1,
        fee_taken: 1_000_000,
        refund_is_paid: true,
        diagnostics: false,
        entries: entries.into_iter().map(|(_, entry)| entry).collect(),
        compared: None,
    }
}

type Events = Receiver<HostEvent>;

fn hosts(limits: &[&str]) -> (Hosts<HostEvent>, Events) {
    let (sender, events) = channel();
    let path = PathBuf::from(env!("CARGO_BIN_EXE_svc-sim"));
    let limits = limits.iter().map(ToString::to_string).collect();
    (Hosts::new(1, Program { path, limits }, sender), events)
}

/// Says for each job whether it ended with a result.
fn run_in(hosts: &mut Hosts<HostEvent>, events: &Events, jobs: Vec<Job>) -> Vec<bool> {
    let ids: Vec<u64> = jobs.into_iter().map(|job| hosts.run(job).unwrap()).collect();
    hosts.flush();
    let mut ended = vec![];
    while ended.len() < ids.len() {
        ended.extend(hosts.receive(events.recv().unwrap()).unwrap());
    }
    let ran = |id: &u64| {
        let found: Vec<_> = ended.iter().filter(|(of, _)| of == id).collect();
        assert_eq!(found.len(), 1, "each ends exactly once");
        let ran = found[0].1.as_ref();
        assert!(ran.is_ok_and(Option::is_some) || ran.is_err(), "it ran, or it is told as broken");
        ran.is_ok()
    };
    ids.iter().map(ran).collect()
}

/// Runs the wasm between neighbours: some have their answers before it runs, others wait behind it.
fn with_neighbours(limits: &[&str], wasm: &[u8]) {
    let (mut hosts, events) = hosts(limits);
    let greedy = || greedy(wasm);
    let jobs = vec![neighbour(), neighbour(), greedy(), neighbour(), greedy(), neighbour()];
    let ran = run_in(&mut hosts, &events, jobs);
    assert_eq!(ran, [true, true, false, true, false, true], "{limits:?}");
    // Later jobs run as before.
    assert_eq!(run_in(&mut hosts, &events, vec![neighbour()]), [true]);
    // The job has no neighbours.
    assert_eq!(run_in(&mut hosts, &events, vec![greedy()]), [false]);
    hosts.end();
}

#[test]
fn the_limit_of_cpu_time_ends_an_endless_loop() {
    with_neighbours(&["--cpu-milliseconds", "300"], &never_ends("fail"));
    with_neighbours(&["--cpu-milliseconds", "300"], &never_ends_calling("fail"));
}

#[test]
fn the_deadline_ends_an_endless_loop() {
    with_neighbours(&["--deadline-milliseconds", "300"], &never_ends_calling("fail"));
}

#[test]
fn the_limit_of_memory_ends_what_takes_all_of_it() {
    with_neighbours(&["--memory-bytes", "700000000"], &takes_all_memory("fail"));
}

/// Finds the process of this test that has these limits. Its command line appears a moment after
/// its start.
#[cfg(target_os = "linux")]
fn process_with(limit: &str) -> String {
    let has_limit = |name: &String| {
        let command = std::fs::read_to_string(format!("/proc/{name}/cmdline")).unwrap_or_default();
        command.contains("engine-host") && command.split('\0').any(|part| part == limit)
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while std::time::Instant::now() < until {
        let processes = std::fs::read_dir("/proc").unwrap().flatten();
        let mut names = processes.filter_map(|entry| entry.file_name().into_string().ok());
        if let Some(found) = names.find(has_limit) {
            return found;
        }
    }
    panic!("it does not run");
}

#[cfg(target_os = "linux")]
#[test]
fn a_host_that_is_killed_leaves_a_run_without_a_result() {
    let limit = (600_000 + std::process::id()).to_string();
    let (mut hosts, events) = hosts(&["--deadline-milliseconds", &limit]);
    hosts.run(greedy(&never_ends_calling("fail"))).unwrap();
    hosts.flush();
    let killed =
        std::process::Command::new("kill").args(["-9", &process_with(&limit)]).status().unwrap();
    assert!(killed.success());
    let ended = hosts.receive(events.recv().unwrap()).unwrap();
    assert!(matches!(ended[..], [(1, Err(Broken))]), "it is told as broken");
    assert_eq!(run_in(&mut hosts, &events, vec![neighbour()]), [true]);
    hosts.end();
}

#[test]
fn the_end_of_the_input_ends_a_host_whatever_it_runs() {
    let (mut hosts, events) = hosts(&["--deadline-milliseconds", "600000"]);
    assert_eq!(run_in(&mut hosts, &events, vec![neighbour()]), [true]);
    hosts.run(greedy(&never_ends_calling("fail"))).unwrap();
    hosts.flush();
    // Waits for the process.
    hosts.end();
}

#[test]
fn hosts_that_are_too_many_are_ended() {
    let (mut hosts, events) = hosts(&[]);
    hosts.resize(3);
    // A process gets a second job before another process is started.
    for _ in 0..9 {
        hosts.run(greedy(&never_ends_calling("fail"))).unwrap();
    }
    hosts.flush();
    hosts.resize(1);
    let ended = |event: HostEvent| matches!(event, HostEvent::Ended(..));
    assert!(ended(events.recv().unwrap()) && ended(events.recv().unwrap()));
    hosts.end();
}
