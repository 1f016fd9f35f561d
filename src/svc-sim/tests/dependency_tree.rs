// The hosts' metering and results depend on the versions of their dependencies and on how they are
// built.

mod support;

use std::fs::read_to_string;
use svc_sim::hosts::HOSTS;

/// The versions are those of stellar-core's dep-trees (src/rust/src/dep-trees). A new resolution
/// would silently choose others.
#[test]
fn the_lock_file_holds_what_decides_results() {
    let lock = read_to_string(support::project_file("Cargo.lock")).unwrap();
    let held: [(&str, &[&str]); 15] = [
        ("curve25519-dalek", &["4.1.3"]),
        ("ecdsa", &["0.16.9"]),
        ("ed25519-dalek", &["2.1.1"]),
        ("elliptic-curve", &["0.13.8"]),
        ("hashbrown", &["0.13.2", "0.14.1", "0.15.5"]),
        ("indexmap", &["2.0.2"]),
        ("k256", &["0.13.4"]),
        ("num-bigint", &["0.4.4"]),
        ("num-integer", &["0.1.45"]),
        ("p256", &["0.13.2"]),
        ("rand", &["0.8.5"]),
        ("rand_chacha", &["0.3.1"]),
        ("sha3", &["0.10.8"]),
        ("soroban-wasmi", &["0.31.1-soroban.20.0.1", "29.0.0"]),
        ("wasmparser", &["0.116.1"]),
    ];
    for (name, versions) in held {
        let marker = format!("name = \"{name}\"\nversion = \"");
        let mut found: Vec<&str> =
            lock.split(&marker).skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
        found.sort_unstable();
        assert_eq!(found, versions, "{name}");
    }
}

/// If it fails, it shows the missing line.
#[test]
fn every_host_has_its_lines_in_cargo_toml() {
    let manifest = read_to_string(support::project_file("Cargo.toml")).unwrap();
    for (_, host) in HOSTS {
        let (protocol, version) = (host.protocol, host.crate_version);
        let package = |name| format!(r#"package = "soroban-{name}", version = "={version}""#);
        let mut lines = vec![
            format!("soroban-env-host-p{protocol} = {{ {} }}", package("env-host")),
            format!(
                "soroban-simulation-p{protocol} = {{ {}, optional = true }}",
                package("simulation")
            ),
            format!(r#""dep:soroban-simulation-p{protocol}","#),
        ];
        // With `testutils`, hosts of earlier protocols put stack traces into errors.
        if protocol > 21 {
            lines[2] += &format!(r#" "soroban-env-host-p{protocol}/testutils","#);
        }
        if protocol >= 26 {
            lines.push(format!(r#""soroban-env-host@{version}".overflow-checks = true"#));
        }
        for line in lines {
            assert!(manifest.contains(&line), "not in Cargo.toml: {line}");
        }
    }
}
