// A network that exists for one contract: its state, calls that are recorded on it, and the same
// calls as a ledger would have run them.

import {
  LedgerEntry,
  LedgerKey,
  ScVal,
  SorobanAuthorizationEntry,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { encodeStrkey } from "../../../src/base/text/strkey.ts";
import {
  applyVariant,
  type Replayable,
  runVariant,
} from "../../../src/debugger/run/run-variant.ts";
import type { Variant } from "../../../src/fix/variant.ts";
import type { Execution } from "../../../src/model/execution.ts";
import type { SnapshotEntry } from "../../../src/model/snapshot.ts";
import type { RecordingSimulator } from "../../../src/simulator/recording-simulator.ts";
import { type LiveEntry, preflightRequest } from "../../../src/simulator/requests.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { openEnvelope } from "../../../src/xdr/envelope/envelope.ts";
import { openRecord } from "../../../src/xdr/envelope/opened-record.ts";
import { withAuthorizations, withFootprint } from "../../../src/xdr/envelope/patch-envelope.ts";
import { withSourceAuthorization } from "../../../src/xdr/envelope/source-authorization.ts";
import { sha256 } from "../../../src/xdr/reader/hash.ts";
import { ENTRY_TYPE, keyOfEntry, typeOfKey } from "../../../src/xdr/reader/keys.ts";
import { walkOf } from "../../verdict/protocol-walk.ts";
import { changedXdr, madeXdr } from "../changed-xdr.ts";
import { absentEntry, contractEntries, recordedSettings, SOURCE } from "../executed.ts";
import { NEVER_ABORTED } from "../loopback-walk.ts";
import { accountEntry } from "../made-fork.ts";
import { opened } from "../opened.ts";
import type { Json, People } from "./values.ts";

export interface Call {
  readonly contract: string;
  readonly function: string;
  readonly arguments: readonly Json[];
}

export interface Engines {
  readonly simulator: Simulator;
  readonly recorder: RecordingSimulator;
}

export type State = ReadonlyMap<string, LiveEntry>;
type Ledger = NonNullable<Variant["ledger"]>;

export interface Recorded {
  /** In the host's words; null: it succeeded. */
  readonly error: string | null;
  /** All entries that it asked for. */
  readonly keysXdr: readonly string[];
  readonly authorizationsXdr: readonly string[];
  readonly state: State;
}

const OPTIONS = { signal: NEVER_ABORTED };
const RESOURCES = { instructions: 400_000_000, disk_read_bytes: 200_000, write_bytes: 130_000 };
export const LIVE_UNTIL = 2_000_000;
const MOST_ROUNDS = 60;

const { record, snapshot } = walkOf("contract-error");
const BARE = opened({ record, snapshot: { ...snapshot, entries: [] } });
const SETTINGS = recordedSettings();
export const LEDGER = record.ledger;
export const contractNumber = (number: number) =>
  encodeStrkey("contract", new Uint8Array(32).fill(number));
const TOKEN = contractNumber(9);

function live(data: Json): [string, LiveEntry] {
  const entryXdr = madeXdr(LedgerEntry, { last_modified_ledger_seq: 100, data, ext: "v0" });
  const keyXdr = keyOfEntry(entryXdr);
  const isClassic = typeOfKey(keyXdr) === ENTRY_TYPE.account;
  return [keyXdr, { entryXdr, liveUntilLedger: isClassic ? null : LIVE_UNTIL, archived: false }];
}

/** The token is the contract of lumens, and all addresses hold some. */
export function firstState(): { readonly state: Map<string, LiveEntry>; readonly people: People } {
  const symbol = (name: string) => ({ symbol: name });
  const metadata = [
    { key: symbol("decimal"), val: { u32: 7 } },
    { key: symbol("name"), val: { string: "native" } },
    { key: symbol("symbol"), val: { string: "native" } },
  ];
  const storage = [
    { key: symbol("METADATA"), val: { map: metadata } },
    { key: { vec: [symbol("AssetInfo")] }, val: { vec: [symbol("Native")] } },
  ];
  const others = [contractNumber(21), contractNumber(22)];
  const balance = (address: string) => ({
    contract_data: {
      ...{ ext: "v0", contract: TOKEN, durability: "persistent" },
      key: { vec: [symbol("Balance"), { address }] },
      val: {
        map: [
          { key: symbol("amount"), val: { i128: "1000000000" } },
          { key: symbol("authorized"), val: { bool: true } },
          { key: symbol("clawback"), val: { bool: false } },
        ],
      },
    },
  });
  const [instance] = contractEntries(new Uint8Array(), 9, "stellar_asset").entries as Json[];
  instance.contract_data.val.contract_instance.storage = storage;
  const account = accountEntry(SOURCE, 10n ** 15n);
  const state = new Map([live(instance), ...others.map((each) => live(balance(each)))]);
  state.set(keyOfEntry(account), { entryXdr: account, liveUntilLedger: null, archived: false });
  return { state, people: { source: SOURCE, token: TOKEN, contract: contractNumber(21), others } };
}

/** The code, and its contract without a constructor. */
export function deployedAt(number: number, wasm: Uint8Array): [string, LiveEntry][] {
  return (contractEntries(wasm, number).entries as Json[]).map(live);
}

function envelopeOf(hostFunction: Json) {
  const xdr = changedXdr(TransactionEnvelope, record.envelopeXdr, ({ tx: { tx } }) => {
    tx.fee = 4_000_000_000;
    tx.operations[0].body.invoke_host_function = { host_function: hostFunction, auth: [] };
    tx.ext.v1.resources = { footprint: { read_only: [], read_write: [] }, ...RESOURCES };
    tx.ext.v1.resource_fee = "3000000000";
  });
  return openEnvelope(xdr, record.networkPassphrase);
}

const invocation = (call: Call): Json => ({
  invoke_contract: {
    contract_address: call.contract,
    function_name: call.function,
    args: call.arguments,
  },
});

/** Creates the contract with its constructor. Null: it fails. */
export async function create(
  engines: Engines,
  state: State,
  wasm: Uint8Array,
  given: readonly Json[],
): Promise<{ readonly contract: string; readonly state: State } | Recorded> {
  const hash = sha256(wasm).toHex();
  const [, code] = deployedAt(1, wasm);
  const salt = "05".repeat(32);
  const creation = {
    contract_id_preimage: { address: { address: SOURCE, salt } },
    executable: { wasm: hash },
    constructor_args: given,
  };
  const known = new Map(state);
  if (code) known.set(...code);
  const recorded = await recordIn(engines, known, { create_contract_v2: creation }, {});
  if (recorded.error !== null) return recorded;
  const before = new Set(state.keys());
  for (const [keyXdr] of recorded.state) {
    if (before.has(keyXdr) || typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) continue;
    const key = LedgerKey.fromXdr(keyXdr, "base64").toJson() as Json;
    if (key.contract_data.key === "ledger_key_contract_instance")
      return { contract: key.contract_data.contract, state: recorded.state };
  }
  throw new Error("no contract was created");
}

export function recordCall(engines: Engines, state: State, call: Call, ledger: Ledger = {}) {
  return recordIn(engines, state, invocation(call), ledger);
}

async function recordIn(
  { recorder }: Engines,
  state: State,
  hostFunction: Json,
  ledger: Ledger,
): Promise<Recorded> {
  const envelopeXdr = envelopeOf(hostFunction).xdr;
  const asked = new Map<string, LiveEntry | null>();
  for (const { entryXdr } of SETTINGS)
    asked.set(keyOfEntry(entryXdr), { entryXdr, liveUntilLedger: null, archived: false });
  const own = asked.size;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const request = preflightRequest({
      ...{ envelopeXdr, entries: asked, networkPassphrase: record.networkPassphrase },
      ...{ ledger: { ...record.ledger, ...ledger }, seed: record.hash },
      authMode: "record_allow_nonroot",
    });
    const answer = await recorder.record(request, OPTIONS);
    if (answer.kind === "missing") {
      for (const key of answer.keysXdr) asked.set(key, state.get(key) ?? null);
      continue;
    }
    const { simulation } = answer;
    const after = new Map(state);
    for (const { keyXdr, afterXdr } of simulation.changes) {
      if (afterXdr === null) after.delete(keyXdr);
      else after.set(keyXdr, { entryXdr: afterXdr, liveUntilLedger: LIVE_UNTIL, archived: false });
    }
    const { error, authorizationsXdr } = simulation;
    return {
      ...{ error, authorizationsXdr, state: error === null ? after : state },
      keysXdr: [...asked.keys()].slice(own),
    };
  }
  return { error: "too many rounds", keysXdr: [], authorizationsXdr: [], state };
}

/** Runs a call as a ledger would have, with a footprint that allows all that it may ask for. */
export async function enforceCall(
  { simulator }: Engines,
  state: State,
  call: Call,
  { keysXdr, authorizationsXdr }: Pick<Recorded, "keysXdr" | "authorizationsXdr">,
  ledger: Ledger = {},
): Promise<Replayable & { readonly execution: Execution }> {
  const bare = envelopeOf(invocation(call));
  const keys = keysXdr.filter((key) => IN_FOOTPRINTS.has(typeOfKey(key)));
  const isCode = (key: string) => typeOfKey(key) === ENTRY_TYPE.contractCode;
  const footprint = {
    readOnly: keys.filter(isCode),
    readWrite: keys.filter((key) => !isCode(key)),
  };
  const called = bare.hostFunction?.kind === "invoke" ? bare.hostFunction : null;
  const declared = withFootprint(bare, footprint);
  const own = called && withSourceAuthorization(declared, [called]);
  const envelope =
    authorizationsXdr.length > 0 || own === null
      ? withAuthorizations(declared, authorizationsXdr)
      : own;
  const entries = keys.map((keyXdr): [string, SnapshotEntry] => {
    const held = state.get(keyXdr);
    return [keyXdr, { ...absentEntry(keyXdr), ...held }];
  });
  const variant = {
    ...{ envelope, entries: new Map(entries), ledger },
    settings: new Map(SETTINGS.map((setting) => [setting.name, setting])),
  };
  const execution = await runVariant({ simulator }, BARE, variant, { ...OPTIONS, trace: true });
  const applied = applyVariant(BARE, variant);
  const resultXdr = execution.resultXdr ?? BARE.record.resultXdr;
  const ran = openRecord({ ...applied.record, resultXdr }, applied.envelope);
  return { ...applied, ...ran, execution };
}

/** The authorizations of a good call, with the arguments of another one. */
export function withRootArguments(entriesXdr: readonly string[], call: Call): string[] {
  return entriesXdr.map((xdr) =>
    changedXdr(SorobanAuthorizationEntry, xdr, ({ root_invocation: { function: called } }) => {
      if (called.contract_fn?.function_name === call.function)
        called.contract_fn.args = call.arguments;
    }),
  );
}

const IN_FOOTPRINTS: ReadonlySet<number> = new Set([
  ...[ENTRY_TYPE.account, ENTRY_TYPE.trustline],
  ...[ENTRY_TYPE.contractData, ENTRY_TYPE.contractCode],
]);

/** Every state with one entry of these absent, or one value in it changed. */
export function changedStates(
  state: State,
  keysXdr: readonly string[],
  changes: (value: Json, at: string) => readonly { readonly what: string; readonly value: Json }[],
): { readonly what: string; readonly state: () => State }[] {
  return keysXdr.flatMap((keyXdr) => {
    const held = state.get(keyXdr);
    if (held === undefined || typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return [];
    const entry = LedgerEntry.fromXdr(held.entryXdr, "base64").toJson() as Json;
    const { key, val } = entry.data.contract_data;
    const name = JSON.stringify(key).slice(0, 60);
    const other = (changed: Json, what: string) => {
      const changedState = () => {
        const made = structuredClone(entry);
        made.data.contract_data.val = changed;
        const entryXdr = madeXdr(LedgerEntry, made);
        return new Map(state).set(keyXdr, { ...held, entryXdr });
      };
      return { what, state: changedState };
    };
    if (val.contract_instance !== undefined) {
      const storage = (val.contract_instance.storage ?? []) as { key: Json; val: Json }[];
      return storage.flatMap((item, i) => {
        const at = JSON.stringify(item.key).slice(0, 60);
        const within = (items: Json) => ({
          contract_instance: { ...val.contract_instance, storage: items },
        });
        const rows = changes(item.val, at).map(({ what, value }) =>
          other(within(storage.with(i, { ...item, val: value })), what),
        );
        return [other(within(storage.toSpliced(i, 1)), `${at} is absent`), ...rows];
      });
    }
    const without = () => {
      const others = new Map(state);
      others.delete(keyXdr);
      return others;
    };
    return [
      { what: `${name} is absent`, state: without },
      ...changes(val, name).map(({ what, value }) => other(value, what)),
    ];
  });
}

export const scValXdr = (json: Json): string => madeXdr(ScVal, json);
export const scValJson = (xdr: string): Json => ScVal.fromXdr(xdr, "base64").toJson();
