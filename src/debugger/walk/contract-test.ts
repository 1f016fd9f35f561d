// Writes a captured transaction as a test of a contract with soroban-sdk: the state that it met, as
// the SDK reads it, and a test in Rust that makes its call again.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { resultCodeName } from "../../model/result-code.ts";
import { sdkSnapshot } from "../../xdr/ledger/sdk-snapshot.ts";
import { vectorOf } from "../../xdr/values/value-parts.ts";
import type { Captured } from "./capture-transaction.ts";

/** Ends with a line break. Throws USAGE if nothing ran in the contract host. */
export function sdkSnapshotOf({ record, snapshot }: Captured): string {
  if (snapshot === null) throw withoutCall(record.hash, "nothing of it ran in the contract host");
  const { networkPassphrase, ledger } = record;
  const settingsXdr = snapshot.settings.map(({ entryXdr }) => entryXdr);
  const entries = [...snapshot.entries, ...(snapshot.beyondFootprint ?? [])];
  const presentEntries = entries.flatMap(({ entryXdr, archived, liveUntilLedger }) =>
    entryXdr === null ? [] : { entryXdr, liveUntilLedger: archived ? 0 : liveUntilLedger },
  );
  const document = sdkSnapshot({ ...ledger, networkPassphrase, settingsXdr }, presentEntries);
  return `${JSON.stringify(document, null, 1)}\n`;
}

/**
 * Returns Rust. `snapshotFile` is the name of the state's file in the folder `tests`. Throws USAGE
 * if nothing ran in the contract host, or if the transaction calls no contract.
 */
export function rustTestOf({ record, envelope, chain }: Captured, snapshotFile: string): string {
  const { hostFunction } = envelope;
  if (hostFunction?.kind !== "invoke")
    throw withoutCall(record.hash, "it calls no function of a contract");
  const { contract, function: name, argumentsXdr } = hostFunction;
  const hash = record.hash.slice(0, 8);
  const [result] = chain.result.operationResults;
  const outcome = result ? resultCodeName(result) : "no result";
  const bytes = [...Uint8Array.fromBase64(vectorOf(argumentsXdr))].map((byte) => String(byte));
  return `// Transaction ${record.hash} of ledger ${record.ledger.sequence},
// on the state that it met. Put this file and ${snapshotFile}
// into the folder \`tests\` of the contract's crate; soroban-sdk needs its feature \`testutils\`.
//
// Its result was ${outcome}.
// soroban-sdk checks neither authorizations nor the declared footprint, resources and fee, and
// restores archived entries: a transaction that failed for one of these passes here.

use soroban_sdk::{xdr::FromXdr, Address, Bytes, Env, Symbol, Val, Vec};

const STATE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/${snapshotFile}"
);
const CONTRACT: &str = "${contract}";
/// None runs the deployed code. To run your build of CONTRACT, or of a contract that it calls:
/// Some((CONTRACT, include_bytes!("../target/wasm32v1-none/release/contract.wasm")))
const BUILD: Option<(&str, &[u8])> = None;
/// The arguments as they were sent: an ScVal of a vector.
const ARGUMENTS: &[u8] = &[
${wrapped(bytes)}
];

#[test]
// Older versions of soroban-sdk have no other name for update_current_contract_wasm.
#[allow(deprecated)]
fn transaction_${hash}() {
    let env = Env::from_ledger_snapshot_file(STATE);
    if let Some((changed, wasm)) = BUILD {
        let wasm = Bytes::from_slice(&env, wasm);
        let hash = env.deployer().upload_contract_wasm(wasm);
        // The contract's storage stays.
        env.as_contract(&Address::from_str(&env, changed), || {
            env.deployer().update_current_contract_wasm(hash)
        });
    }
    // Another build may ask for other authorizations than those that were signed.
    env.mock_all_auths_allowing_non_root_auth();
    let contract = Address::from_str(&env, CONTRACT);
    let arguments = Vec::<Val>::from_xdr(&env, &Bytes::from_slice(&env, ARGUMENTS)).unwrap();
    let function = Symbol::new(&env, ${rustText(name)});
    // A failure panics with the host's error and its events; try_invoke_contract would hide both.
    env.invoke_contract::<Val>(&contract, &function, arguments);
}
`;
}

/** A literal of Rust. The text is printable ASCII, of which both languages escape the same. */
function rustText(text: string): string {
  return JSON.stringify(text);
}

/** The width at which rustfmt breaks lines. */
const WIDTH = 98;

function wrapped(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length > WIDTH) lines.push(`    ${word},`);
    else lines[lines.length - 1] = `${line} ${word},`;
  }
  return lines.join("\n");
}

function withoutCall(hash: string, why: string): SvcError {
  return new SvcError("USAGE", {
    message: `svc cannot make a test of a contract from transaction ${hash}: ${why}.`,
    remedy: phrase`Capture a transaction that invokes a contract, or leave ${flag("format")} out.`,
  });
}
