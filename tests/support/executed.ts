// Executes calls that no recording has: a recorded transaction of a local network (protocol 28)
// with another call, other entries or other resources, run by the built svc-sim.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  HashIdPreimage,
  LedgerEntry,
  LedgerKey,
  OperationResult,
  TransactionEnvelope,
  TransactionResult,
} from "@stellar/stellar-sdk/xdr";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { RunSet } from "../../src/debugger/run/run-set.ts";
import { applyVariant, type Replayable, runVariant } from "../../src/debugger/run/run-variant.ts";
import { traceHostCalls } from "../../src/debugger/walk/further-runs.ts";
import { explain } from "../../src/explain/explain.ts";
import type { Variant } from "../../src/fix/variant.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Explanation } from "../../src/model/explanation.ts";
import type { Provenance } from "../../src/model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import { isSorobanKey, keyOfEntry, settingName } from "../../src/xdr/reader/keys.ts";
import { walkOf } from "../verdict/protocol-walk.ts";
import { changedXdr, madeXdr } from "./changed-xdr.ts";
import { opened } from "./opened.ts";

type Json = ReturnType<typeof JSON.parse>;

/** In the JSON of SEP-51; the keys of the entries are the footprint. */
export interface MadeCall {
  readonly contract: string;
  readonly function: string;
  readonly arguments: readonly Json[];
  /** By default the source account authorizes the call as it is. */
  readonly authorizations?: readonly Json[];
  /** LedgerEntry.data of the existing entries. */
  readonly readOnly?: readonly Json[];
  readonly readWrite?: readonly Json[];
  /** LedgerKeys of the read-write footprint that do not exist. */
  readonly absent?: readonly Json[];
  readonly resources?: Partial<Record<"instructions" | "disk_read_bytes" | "write_bytes", number>>;
  readonly resourceFee?: string;
  readonly ledger?: Variant["ledger"];
  /** The operation's own source account, of any kind. */
  readonly operationSource?: string;
}

export interface Executed {
  readonly execution: Execution;
  readonly explanation: Explanation;
  /** What ran. */
  readonly ran: Replayable;
}

/** The source account. */
export const SOURCE = "GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4";
const LIVE_UNTIL = 100_000;
const ALL_RESOURCES = { instructions: 90_000_000, disk_read_bytes: 50_000, write_bytes: 50_000 };
const MADE: Provenance = { kind: "ledger-scan", detail: "made for a test" };

export async function executeCall(simulator: Simulator, made: MadeCall): Promise<Executed> {
  const { record, snapshot } = walkOf("contract-error");
  const readOnly = (made.readOnly ?? []).map(entryOf);
  const readWrite = (made.readWrite ?? []).map(entryOf);
  const absent = (made.absent ?? []).map((key) => absentEntry(madeXdr(LedgerKey, key)));
  const keys = (entries: readonly SnapshotEntry[]) =>
    entries.map(({ keyXdr }) => LedgerKey.fromXdr(keyXdr, "base64").toJson());
  const footprint = {
    read_only: keys(readOnly).sort(),
    read_write: [...keys(readWrite), ...keys(absent)],
  };
  const envelopeXdr = changedXdr(TransactionEnvelope, record.envelopeXdr, ({ tx: { tx } }) => {
    tx.fee = 4_000_000_000;
    tx.operations[0].body.invoke_host_function = {
      host_function: { invoke_contract: invocationOf(made) },
      auth: made.authorizations ?? [sourceAuthorization(made)],
    };
    tx.operations[0].source_account = made.operationSource ?? null;
    tx.ext.v1.resources = { footprint, ...ALL_RESOURCES, ...made.resources };
    tx.ext.v1.resource_fee = made.resourceFee ?? "3000000000";
  });
  const entries = new Map(
    [...readOnly, ...readWrite, ...absent].map((entry) => [entry.keyXdr, entry]),
  );
  const { ledger } = made;
  const variant: Partial<Variant> = {
    envelope: openEnvelope(envelopeXdr, record.networkPassphrase),
    entries,
    settings: new Map(recordedSettings().map((setting) => [setting.name, setting])),
    ...(ledger && { ledger }),
  };
  const bare = opened({ record, snapshot: { ...snapshot, entries: [] } });
  return executeVariant(simulator, bare, variant);
}

export interface MadeCreation {
  readonly wasm: Uint8Array;
  readonly arguments: readonly Json[];
  /** Keys of persistent entries of the contract that do not exist. */
  readonly absent?: readonly Json[];
}

/** The id of a contract that an account or a contract creates. */
export function createdBy(address: string, salt: Uint8Array): string {
  const { networkPassphrase } = walkOf("contract-error").record;
  const preimage = {
    network_id: networkId(networkPassphrase).toHex(),
    contract_id_preimage: { address: { address, salt: salt.toHex() } },
  };
  const xdr = madeXdr(HashIdPreimage, { contract_id: preimage });
  return encodeStrkey("contract", sha256(Buffer.from(xdr, "base64")));
}

/** Creates a contract that runs `wasm`, whose code is on the ledger. */
export async function executeCreation(
  simulator: Simulator,
  { wasm, arguments: given, absent = [] }: MadeCreation,
): Promise<Executed> {
  const { record, snapshot } = walkOf("contract-error");
  const [, code] = contractEntries(wasm).entries.map((entry) => entryOf(entry));
  if (code === undefined) throw new Error("no code");
  const salt = new Uint8Array(32).fill(5);
  const contract = createdBy(SOURCE, salt);
  const key = { contract, key: "ledger_key_contract_instance", durability: "persistent" };
  const [instance, ...others] = [key.key, ...absent].map((each) =>
    absentEntry(madeXdr(LedgerKey, { contract_data: { ...key, key: each } })),
  );
  if (instance === undefined) throw new Error("no instance");
  const creation = {
    contract_id_preimage: { address: { address: SOURCE, salt: salt.toHex() } },
    executable: { wasm: new Bun.CryptoHasher("sha256").update(wasm).digest("hex") },
    constructor_args: given,
  };
  const keyOf = ({ keyXdr }: SnapshotEntry) => LedgerKey.fromXdr(keyXdr, "base64").toJson();
  const envelopeXdr = changedXdr(TransactionEnvelope, record.envelopeXdr, ({ tx: { tx } }) => {
    tx.fee = 4_000_000_000;
    const call = { contract_address: contract, function_name: "__constructor", args: given };
    const below = { function: { contract_fn: call }, sub_invocations: [] };
    const root = { function: { create_contract_v2_host_fn: creation }, sub_invocations: [below] };
    tx.operations[0].body.invoke_host_function = {
      host_function: { create_contract_v2: creation },
      auth: [{ credentials: "source_account", root_invocation: root }],
    };
    const footprint = { read_only: [keyOf(code)], read_write: [instance, ...others].map(keyOf) };
    tx.ext.v1.resources = { footprint, ...ALL_RESOURCES };
    tx.ext.v1.resource_fee = "3000000000";
  });
  const variant: Partial<Variant> = {
    envelope: openEnvelope(envelopeXdr, record.networkPassphrase),
    entries: new Map([code, instance, ...others].map((entry) => [entry.keyXdr, entry])),
    settings: new Map(recordedSettings().map((setting) => [setting.name, setting])),
  };
  const bare = opened({ record, snapshot: { ...snapshot, entries: [] } });
  return executeVariant(simulator, bare, variant);
}

/** A captured transaction with the changes of `variant`. */
async function executeVariant(
  simulator: Simulator,
  captured: Parameters<typeof applyVariant>[0],
  variant: Partial<Variant>,
): Promise<Executed> {
  const options = { signal: new AbortController().signal, trace: true };
  const execution = await runVariant({ simulator }, captured, variant, options);
  const applied = applyVariant(captured, variant);
  const { snapshot } = applied;
  const resultXdr = execution.resultXdr ?? resultOf(execution);
  const ran = { ...applied, ...openRecord({ ...applied.record, resultXdr }, applied.envelope) };
  const request = requestOf(ran.record, snapshot);
  const optional = { ...options, caveats: [] };
  const tracedTree = await traceHostCalls(new RunSet({ simulator }, request), execution, optional);
  const explanation = explain(ran, execution, null, { tracedTree });
  return { execution, explanation, ran };
}

function requestOf(record: ChainRecord, snapshot: Snapshot) {
  const options = { trace: true, diagnostics: true, feeTakenStroops: null };
  return replayRequest(record, snapshot, options);
}

function resultOf({ operationResultXdr, outcome }: Execution): string {
  if (operationResultXdr === null) throw new Error(`no result: ${JSON.stringify(outcome)}`);
  const operations = [OperationResult.fromXdr(operationResultXdr, "base64").toJson()];
  const result =
    outcome.kind === "success" ? { tx_success: operations } : { tx_failed: operations };
  return madeXdr(TransactionResult, { fee_charged: "100", result, ext: "v0" });
}

function invocationOf(made: Pick<MadeCall, "contract" | "function" | "arguments">) {
  return {
    contract_address: made.contract,
    function_name: made.function,
    args: made.arguments,
  };
}

function sourceAuthorization(made: MadeCall): Json {
  const root = { function: { contract_fn: invocationOf(made) }, sub_invocations: [] };
  return { credentials: "source_account", root_invocation: root };
}

export function entryOf(data: Json): SnapshotEntry {
  const entryXdr = madeXdr(LedgerEntry, { last_modified_ledger_seq: 100, data, ext: "v0" });
  const keyXdr = keyOfEntry(entryXdr);
  const soroban = isSorobanKey(keyXdr);
  return { ...absentEntry(keyXdr), entryXdr, liveUntilLedger: soroban ? LIVE_UNTIL : null };
}

export function absentEntry(keyXdr: string): SnapshotEntry {
  return {
    keyXdr,
    entryXdr: null,
    liveUntilLedger: null,
    archived: false,
    codeCached: null,
    provenance: MADE,
    ttlProvenance: MADE,
  };
}

/** The network settings of the recorded request. */
export function recordedSettings() {
  const file = join(import.meta.dir, "../fixtures/protocol/contract-error.json");
  const { request } = JSON.parse(readFileSync(file, "utf8"));
  return (request.ledger.settings as string[]).map((entryXdr) => ({
    name: settingName(entryXdr),
    entryXdr,
    provenance: MADE,
  }));
}

/** Instance and code of a contract that runs `wasm`, or has another executable. */
export function contractEntries(wasm: Uint8Array, number = 1, other: Json = null) {
  const hash = new Bun.CryptoHasher("sha256").update(wasm).digest("hex");
  const executable = other ?? { wasm: hash };
  const contract = encodeStrkey("contract", new Uint8Array(32).fill(number));
  const entries = [
    {
      contract_data: {
        ext: "v0",
        contract,
        key: "ledger_key_contract_instance",
        durability: "persistent",
        val: { contract_instance: { executable, storage: null } },
      },
    },
    { contract_code: { ext: "v0", hash, code: wasm.toHex() } },
  ];
  return { contract, entries };
}
