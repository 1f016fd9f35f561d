// The hosts' metering and results depend on the versions of what they are built from. These are the
// ones that stellar-core's dep-trees hold (src/rust/src/dep-trees); a fresh resolution would silently
// take others.

mod support;

#[test]
fn the_lock_file_holds_what_decides_results() {
    let lock = std::fs::read_to_string(support::project_file("Cargo.lock")).unwrap();
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
