#!/usr/bin/env bash
# Builds the contracts that the tests run. Needs rustc with the target wasm32v1-none, or another one in
# TARGET.
set -euo pipefail
cd "$(dirname "$0")/panics"
TARGET=${TARGET:-wasm32v1-none}
CARGO_TARGET_DIR=$(mktemp -d)
export CARGO_TARGET_DIR RUSTFLAGS="--remap-path-prefix=$PWD=. --remap-path-prefix=$HOME=~"
cargo build --release --target "$TARGET"
cp "$CARGO_TARGET_DIR/$TARGET/release/panics.wasm" ../panics-debug.wasm
RUSTFLAGS="$RUSTFLAGS -Cstrip=symbols" cargo build --release --target "$TARGET" \
  --config 'profile.release.debug=false' --config 'profile.release.strip="symbols"'
cp "$CARGO_TARGET_DIR/$TARGET/release/panics.wasm" ../panics.wasm

cd ../exchange
export RUSTFLAGS="--remap-path-prefix=$PWD=/exchange --remap-path-prefix=$HOME=/home -Ctarget-cpu=mvp"
cargo build --release --target "$TARGET"
for contract in pool token; do
  bun finish.ts "$CARGO_TARGET_DIR/$TARGET/release/$contract.wasm" "$contract"
done
cd ../why
export RUSTFLAGS="-Ctarget-cpu=mvp"
for level in z s 3; do
  cargo build --release --target "$TARGET" \
    --config "profile.release.opt-level=$([ $level = 3 ] && echo 3 || echo "\"$level\"")"
  # Without optimizations: only the form of indices changes.
  wasm-opt --disable-reference-types -O0 -o "../why-$level.wasm" \
    "$CARGO_TARGET_DIR/$TARGET/release/why.wasm"
done
wasm-opt -Oz -o ../why-optimized.wasm ../why-z.wasm
cargo build --release --target "$TARGET" --config 'profile.release.overflow-checks=false'
wasm-opt --disable-reference-types -O0 -o ../why-z-wrapping.wasm \
  "$CARGO_TARGET_DIR/$TARGET/release/why.wasm"
cd ../keys
for level in z s 3; do
  cargo build --release --target "$TARGET" \
    --config "profile.release.opt-level=$([ $level = 3 ] && echo 3 || echo "\"$level\"")"
  wasm-opt --disable-reference-types -O0 -o "../keys-$level.wasm" \
    "$CARGO_TARGET_DIR/$TARGET/release/keys.wasm"
done
for contract in origins reasons routes roles lists founded entries; do
  cd ../$contract
  for level in z s 3; do
    cargo build --release --target "$TARGET" \
      --config "profile.release.opt-level=$([ $level = 3 ] && echo 3 || echo "\"$level\"")"
    wasm-opt --disable-reference-types -O0 -o "../$contract-$level.wasm" \
      "$CARGO_TARGET_DIR/$TARGET/release/$contract.wasm"
  done
done
for contract in shapes market vault; do
  cd ../$contract
  for level in z s 3; do
    for checks in true false; do
      name=$contract-$level$([ $checks = true ] || echo -wrapping)
      cargo build --release --target "$TARGET" --config "profile.release.overflow-checks=$checks" \
        --config "profile.release.opt-level=$([ $level = 3 ] && echo 3 || echo "\"$level\"")"
      wasm-opt --disable-reference-types -O0 -o "../$name.wasm" \
        "$CARGO_TARGET_DIR/$TARGET/release/$contract.wasm"
    done
  done
done
cd ../carried
wasm-as carried.wat -o ../carried.wasm
# A section that binaryen does not write: the interface of protocol 22.
printf '\x00\x1e\x11contractenvmetav0\0\0\0\0\0\0\0\x16\0\0\0\0' >> ../carried.wasm
cd ../advice
cargo build --release --target "$TARGET"
wasm-opt --disable-reference-types -O0 -o ../advice-z.wasm \
  "$CARGO_TARGET_DIR/$TARGET/release/advice.wasm"
cd ../upgrade
export RUSTFLAGS="--remap-path-prefix=$PWD=/upgrade --remap-path-prefix=$HOME=/home"
for feature in "" result state events strict lenient code auth gone misfit reads dearer types; do
  cargo build --release --target "$TARGET" --features "$feature"
  cp "$CARGO_TARGET_DIR/$TARGET/release/upgrade.wasm" "../upgrade${feature:+-$feature}.wasm"
done
cargo build --release --target "$TARGET" --config 'profile.release.package.upgrade.debug=2' \
  --config 'profile.release.strip="none"'
cp "$CARGO_TARGET_DIR/$TARGET/release/upgrade.wasm" ../upgrade-debug.wasm
cd ../sealed
# The SDK asks for the version of the tool that builds.
RUSTFLAGS="" STELLAR_CLI_VERSION=30.0.0 cargo build --release --target wasm32v1-none
cp "$CARGO_TARGET_DIR/wasm32v1-none/release/sealed.wasm" ../sealed.wasm
rm -rf "$CARGO_TARGET_DIR"
