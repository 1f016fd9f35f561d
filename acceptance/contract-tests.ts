// Runs the tests that `svc capture --format rust-test` writes with the real soroban-sdk: one for each
// recorded transaction that calls a contract. What succeeded on the network passes, and what failed
// fails, but for what the SDK does not check.
//
//   bun acceptance/contract-tests.ts DIRECTORY     a cargo project there, kept for the next time
//
// Needs cargo, and the network for the crates. The first build takes some minutes.

import { mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { rustTestOf, sdkSnapshotOf } from "../src/debugger/walk/contract-test.ts";
import { resultCodeName } from "../src/model/result-code.ts";
import { readTransactionResult } from "../src/xdr/outcome/result.ts";
import { captureRecorded } from "../tests/support/recorded-walks.ts";
import { report } from "./checks.ts";

/** Of the recorded network's protocol. */
const SDK = "=28.0.0";
const MANIFEST = `[package]
name = "captured"
version = "0.0.0"
edition = "2021"

[dev-dependencies]
soroban-sdk = { version = "${SDK}", features = ["testutils"] }

[profile.dev]
debug = false
incremental = false
`;
/** The SDK checks neither authorizations, nor the footprint. */
const UNCHECKED_NAMES = /^admin_set, |^auth |unsigned|bad signature|constructor auth|footprint /;
/** Nor what was declared, and it restores archived entries. */
const UNCHECKED_CODES = /ResourceLimitExceeded|InsufficientRefundableFee|EntryArchived/;
/** Trapped in the callee; `Context` would be the SDK's word for any trap. */
const OVERFLOW = ["bb9cd617", "HostError: Error(WasmVm, InvalidAction)"] as const;

/** A build of its callee that returns its first argument: (func (export "add") …). */
const MENDED = {
  contract: "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF",
  wasm:
    "AGFzbQEAAAAAHhFjb250cmFjdGVudm1ldGF2MAAAAAAAAAAWAAAAAAEHAWACfn4BfgMCAQAHBwEDYWRk" +
    "AAAKBgEEACAACw==",
};

const directory = resolve(Bun.argv[2] ?? "dist/contract-tests");
const tests = join(directory, "tests");
rmSync(tests, { recursive: true, force: true });
mkdirSync(join(tests, "all"), { recursive: true });
await Bun.write(join(directory, "Cargo.toml"), MANIFEST);
await Bun.write(join(directory, "src", "lib.rs"), "");

const calls = (await captureRecorded()).filter(
  ({ snapshot, envelope }) => snapshot !== null && envelope.hostFunction?.kind === "invoke",
);
const nameOf = ({ record }: (typeof calls)[number]) => `transaction_${record.hash.slice(0, 8)}`;
for (const call of calls) {
  const state = `${nameOf(call)}.snapshot.json`;
  await Bun.write(join(tests, state), sdkSnapshotOf(call));
  await Bun.write(join(tests, "all", `${nameOf(call)}.rs`), rustTestOf(call, state));
}
const overflow = await Bun.file(join(tests, "all", `transaction_${OVERFLOW[0]}.rs`)).text();
const build = `= Some(("${MENDED.contract}", include_bytes!("mended.wasm")));`;
await Bun.write(join(tests, "all", "mended.wasm"), Uint8Array.fromBase64(MENDED.wasm));
await Bun.write(join(tests, "all", "mended.rs"), overflow.replace("= None;", build));
const modules = ["mod mended;\n", ...calls.map((call) => `mod ${nameOf(call)};\n`)];
await Bun.write(join(tests, "all", "main.rs"), modules.join(""));

const ran = Bun.spawnSync(["cargo", "test", "--jobs=1", "--test=all", "--", "--test-threads=1"], {
  cwd: directory,
  env: { ...Bun.env, RUST_BACKTRACE: "0" },
});
const output = ran.stdout.toString();
const messages = ran.stderr.toString();
if (!output.includes("test result:")) process.stderr.write(messages);
report("builds without a warning", !/^warning/m.test(messages), `soroban-sdk ${SDK}`);

const passed = new Set(
  [...output.matchAll(/^test (\w+)::\w+ \.\.\. ok$/gm)].map(([, name]) => name),
);
const succeeded = calls.filter(({ record }) => readTransactionResult(record.resultXdr).success);
const failed = calls.filter((call) => !succeeded.includes(call) && isChecked(call));
const wrong = [
  ...succeeded.filter((call) => !passed.has(nameOf(call))),
  ...failed.filter((call) => passed.has(nameOf(call))),
];
report(
  "what succeeded passes, what failed fails",
  wrong.length === 0 && passed.size > 0,
  [`${succeeded.length} and ${failed.length}`, ...wrong.map(({ name }) => `not ${name}`)].join(
    ", ",
  ),
);
report(
  "for the reason of the network",
  reasonOf(OVERFLOW[0]) === OVERFLOW[1],
  reasonOf(OVERFLOW[0]),
);
report("with a mended build it passes", passed.has("mended"), `${OVERFLOW[0]}…`);

function isChecked({ name, record }: (typeof calls)[number]): boolean {
  const [code = ""] = readTransactionResult(record.resultXdr).operationResults.map(resultCodeName);
  return !(UNCHECKED_NAMES.test(name) || UNCHECKED_CODES.test(code));
}

/** The first line of its panic. */
function reasonOf(hash: string): string {
  const [, reason = "it passes"] =
    new RegExp(`thread '\\w+::transaction_${hash}'.* panicked at .*\\n(.*)`).exec(output) ?? [];
  return reason;
}
