// svc-sim and the processes that it starts cannot gain rights, whatever rights they begin with.

#![cfg(target_os = "linux")]

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// Says whether a process cannot gain rights, as Linux reports it.
fn gains_no_privileges(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    status.lines().any(|line| line == "NoNewPrivs:\t1")
}

#[test]
fn no_way_of_running_gains_privileges() {
    let engine: [&[&str]; 2] = [&["engine"], &["engine-host"]];
    let ways: Vec<&[&str]> = match cfg!(feature = "recording") {
        true => vec![&[], &["serve"]],
        false => [&[][..], &["serve"]].into_iter().chain(engine).collect(),
    };
    for arguments in ways {
        let mut command = Command::new(env!("CARGO_BIN_EXE_svc-sim"));
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The process waits for its input after it has given up the rights.
        let until = Instant::now() + Duration::from_secs(20);
        while !gains_no_privileges(child.id()) {
            assert!(Instant::now() < until, "{arguments:?} may gain privileges");
            std::thread::yield_now();
        }
        drop(child.stdin.take());
        child.wait().unwrap();
    }
}
