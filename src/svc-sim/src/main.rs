// svc-sim: JSON requests on stdin, JSON responses on stdout; see README.md. Nothing but responses
// is ever written to stdout, and the process ends with its parent.

#![forbid(unsafe_code)]

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    process::ExitCode,
};
#[cfg(not(feature = "recording"))]
use svc_sim::engine;
use svc_sim::{
    error::Error,
    hosts, process,
    respond::{respond, Answer, Session},
    wire::response::FORMAT,
};

/// This allocator reserves no address space in advance, so `--memory-bytes` limits the memory that
/// is used.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// A larger request is refused. A full footprint with its entries has a few megabytes.
const REQUEST_LIMIT_BYTES: u64 = 256 * 1024 * 1024;

/// The capacity of a pipe, so that one read takes many requests.
const PIPE_BYTES: usize = 64 * 1024;

#[cfg(target_os = "linux")]
#[global_allocator]
static MEMORY: process::contract_memory::ContractMemory = process::contract_memory::ContractMemory;

fn main() -> ExitCode {
    process::gain_no_privileges();
    // A simulation reports the errors of Stellar RPC, which have no stack traces.
    #[cfg(feature = "recording")]
    std::env::set_var("RUST_LIB_BACKTRACE", "0");
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => ended(one_shot()),
        ["serve", ref limits @ ..] if process::limit_serving(limits) => ended(serve()),
        #[cfg(not(feature = "recording"))]
        ["engine", ref limits @ ..] => ended(engine(limits)),
        #[cfg(not(feature = "recording"))]
        ["engine-host", ref limits @ ..] if process::limit_serving(limits) => ended(engine_host()),
        ["--version"] => ended(version()),
        ["--help"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

const USAGE: &str = "svc-sim            one request on stdin, one response on stdout
svc-sim serve [--memory-bytes N] [--cpu-milliseconds N] [--deadline-milliseconds N]
                   one request a line, one response a line, until end of input;
                   address space of the process, CPU time of each request, deadline
                   of a request that names none
svc-sim --version  the contract hosts it holds";

/// The exit code. If the pipe is closed, the caller is gone, and the program ends silently.
fn ended(result: io::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        if error.kind() != io::ErrorKind::BrokenPipe {
            eprintln!("svc-sim: {error}");
        }
        ExitCode::FAILURE
    })
}

fn one_shot() -> io::Result<ExitCode> {
    process::die_with_parent();
    process::limit_memory(process::DEFAULT_MEMORY_LIMIT_BYTES);
    let mut text = String::new();
    let answer = match io::stdin().lock().take(REQUEST_LIMIT_BYTES).read_to_string(&mut text) {
        Ok(_) => respond(&text, &Session::start(), true),
        Err(error) => unreadable(&error),
    };
    let code = if answer.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    print_line(answer.line)?;
    Ok(code)
}

fn serve() -> io::Result<ExitCode> {
    process::die_with_parent();
    process::keep_freed_memory();
    let session = Session::start();
    let mut input = BufReader::with_capacity(PIPE_BYTES, io::stdin().lock());
    let mut line = String::new();
    loop {
        line.clear();
        match (&mut input).take(REQUEST_LIMIT_BYTES).read_line(&mut line) {
            Ok(0) => return Ok(ExitCode::SUCCESS),
            Ok(_) if line.trim().is_empty() => {}
            Ok(_) => print_line(respond(&line, &session, false).line)?,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                print_line(unreadable(&error).line)?;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(not(feature = "recording"))]
fn engine(limits: &[&str]) -> io::Result<ExitCode> {
    process::die_with_parent();
    engine::serve(limits.iter().map(ToString::to_string).collect())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(not(feature = "recording"))]
fn engine_host() -> io::Result<ExitCode> {
    process::die_with_parent();
    process::keep_freed_memory();
    engine::host::serve()?;
    Ok(ExitCode::SUCCESS)
}

fn unreadable(error: &io::Error) -> Answer {
    Answer::error(None, Error::bad_request(format!("the request cannot be read: {error}")))
}

fn print_line(mut line: Vec<u8>) -> io::Result<()> {
    line.push(b'\n');
    let mut output = io::stdout().lock();
    output.write_all(&line)?;
    output.flush()
}

fn version() -> io::Result<ExitCode> {
    let hosts: Vec<serde_json::Value> = hosts::HOSTS
        .iter()
        .map(|(protocol, host)| {
            serde_json::json!({
                "protocol": protocol,
                "host_protocol": host.protocol,
                "crate_version": host.version(),
            })
        })
        .collect();
    let version = serde_json::json!({
        "name": "svc-sim",
        "version": env!("CARGO_PKG_VERSION"),
        "format": FORMAT,
        "hosts": hosts,
    });
    print_line(version.to_string().into_bytes())?;
    Ok(ExitCode::SUCCESS)
}
