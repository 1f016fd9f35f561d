// The floor for every other measurement: the contract host alone, in this process, with warm modules.
// Reads requests (one JSON a line) from the file named by SVC_BENCH_REQUESTS and prints one JSON line:
// the medians over all requests of the host's time and of a whole request's work, in nanoseconds.

use std::{env, fs, time::Instant};
use svc_sim::{
    process,
    respond::{respond, Session},
};

const DEFAULT_ROUNDS: usize = 30;

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
    let (mut host, mut whole) = (vec![], vec![]);
    for request in text.lines() {
        let (mut of_host, mut of_request) = (vec![], vec![]);
        for _ in 0..rounds {
            let start = Instant::now();
            let answer = respond(request, &session, false);
            of_request.push(start.elapsed().as_nanos() as u64);
            let response: serde_json::Value =
                serde_json::from_slice(&answer.line).expect("a response");
            of_host.push(response["host_nanoseconds"].as_u64().expect("an execution"));
        }
        host.push(median(&mut of_host));
        whole.push(median(&mut of_request));
    }
    let host_total: u64 = host.iter().sum();
    println!(
        "{}",
        serde_json::json!({
            "requests": host.len(),
            "host_median_nanoseconds": median(&mut host),
            "request_median_nanoseconds": median(&mut whole),
            "host_total_nanoseconds": host_total,
        })
    );
}

fn median(values: &mut [u64]) -> u64 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or(0)
}
