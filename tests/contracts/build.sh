#!/usr/bin/env bash
# Builds the contracts that the tests run. Needs rustc with the target wasm32v1-none.
set -euo pipefail
cd "$(dirname "$0")/panics"
CARGO_TARGET_DIR=$(mktemp -d)
export CARGO_TARGET_DIR RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$HOME=~"
cargo build --release --target wasm32v1-none
cp "$CARGO_TARGET_DIR/wasm32v1-none/release/panics.wasm" ../panics-debug.wasm
RUSTFLAGS="$RUSTFLAGS -Cstrip=symbols" cargo build --release --target wasm32v1-none \
  --config 'profile.release.debug=false' --config 'profile.release.strip="symbols"'
cp "$CARGO_TARGET_DIR/wasm32v1-none/release/panics.wasm" ../panics.wasm
rm -rf "$CARGO_TARGET_DIR"
