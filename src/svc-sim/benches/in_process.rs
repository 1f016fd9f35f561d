// The lower limit of every other measurement: the contract host alone, in this process, with
// modules in its cache. Reads requests (one JSON document a line) from the file that
// SVC_BENCH_REQUESTS names, answers all of them in each round, as those of a ledger follow one
// another, and prints one line of JSON: the medians of the host's time and of the time of a
// request, in nanoseconds.

use std::{env, fs, time::Instant};
use svc_sim::{
    process,
    respond::{respond, Session},
};

const DEFAULT_ROUNDS: usize = 30;
/// Such a line only defines what later ones refer to.
const DEFINITION: &str = r#"{"define""#;

fn main() {
    let Ok(path) = env::var("SVC_BENCH_REQUESTS") else {
        eprintln!("set SVC_BENCH_REQUESTS to a file of requests, one a line");
        return;
    };
    let text = fs::read_to_string(&path).expect("a readable file of requests");
    let rounds = env::var("SVC_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(DEFAULT_ROUNDS);
    process::keep_freed_memory();
    let session = Session::start();
    let (definitions, requests): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with(DEFINITION));
    for line in definitions {
        respond(line, &session, false);
    }
    let mut times = vec![(vec![], vec![]); requests.len()];
    for _ in 0..rounds {
        for (request, (host_times, request_times)) in requests.iter().zip(&mut times) {
            let start = Instant::now();
            let answer = respond(request, &session, false);
            request_times.push(start.elapsed().as_nanos() as u64);
            let response: serde_json::Value =
                serde_json::from_slice(&answer.line).expect("a response");
            host_times.push(response["host_nanoseconds"].as_u64().expect("an execution"));
        }
    }
    let (mut host, mut requests): (Vec<_>, Vec<_>) =
        times.iter_mut().map(|(host, request)| (median(host), median(request))).unzip();
    let host_total: u64 = host.iter().sum();
    println!(
        "{}",
        serde_json::json!({
            "requests": host.len(),
            "host_median_nanoseconds": median(&mut host),
            "request_median_nanoseconds": median(&mut requests),
            "host_total_nanoseconds": host_total,
        })
    );
}

fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
