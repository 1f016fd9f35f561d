// Transactions of the contracts in tests/contracts/exchange: a capsule of each, made from a recorded
// transaction of a local network with another call and other entries, and run by svc-sim of its protocol.

import { join } from "node:path";
import {
  LedgerEntry,
  LedgerHeader,
  LedgerKey,
  TransactionEnvelope,
} from "@stellar/stellar-sdk/xdr";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { openOneShot } from "../../src/simulator/one-shot.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import { encodeCapsule } from "../../src/sources/files/capsule.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { keyOfEntry } from "../../src/xdr/reader/keys.ts";
import { capsuleAt } from "./capsule-at.ts";
import { changedXdr, madeXdr } from "./changed-xdr.ts";
import { contractEntries } from "./executed.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";
import { ownContract } from "./other-code.ts";

type Json = ReturnType<typeof JSON.parse>;

export const POOL = contractEntries(ownContract("pool.wasm"), 1).contract;
export const TOKEN = contractEntries(ownContract("token.wasm"), 2).contract;

export interface Exchanged {
  readonly function: "buy" | "reward";
  readonly protocol?: number;
  /** Default: 0. */
  readonly feePercent?: number;
  /** Default: 2000. */
  readonly credits?: number;
  /** What the pool has. Default: 5000. */
  readonly tokens?: number;
  readonly instructions?: number;
  /** In the place of `pool.wasm`. */
  readonly poolWasm?: Uint8Array;
}

/** Cost types that the hosts know, where that is fewer than the recorded settings have. */
const COST_TYPES: Readonly<Record<number, number>> = {
  20: 23,
  21: 45,
  22: 70,
  23: 70,
  24: 70,
  25: 85,
};
const LIVE_UNTIL = 100_000;
const KNOWN = { kind: "meta", detail: "made for a test" } as const;
const DECLARED = 40_000_000;
const REBUYER_FEE = 3_000_000_000;
const EXAMPLE = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
/** Its source account. */
export const BUYER = "GBBVQL7M2PWJGTIKY45VD32I67RQ77PZYCBWTCUMZTBVFWYRTVNHTKO4";

export async function exchangeCapsule(made: Exchanged): Promise<string> {
  const { record: recorded, snapshot: state } = openCapsule(capsuleAt(EXAMPLE), null);
  const protocol = made.protocol ?? 28;
  const terms = {
    map: [
      { key: { symbol: "fee_percent" }, val: { u32: made.feePercent ?? 0 } },
      { key: { symbol: "price" }, val: { i128: "2" } },
    ],
  };
  const pool = contractEntries(made.poolWasm ?? ownContract("pool.wasm"), 1).entries;
  const token = contractEntries(ownContract("token.wasm"), 2).entries;
  (pool[0] as Json).contract_data.val.contract_instance.storage = [
    { key: { symbol: "terms" }, val: terms },
  ];
  const balance = (of: string) => ({ vec: [{ symbol: "Balance" }, { address: of }] });
  const data = (contract: string, key: Json, amount: number) => ({
    contract_data: {
      ext: "v0",
      contract,
      key,
      durability: "persistent",
      val: { i128: `${amount}` },
    },
  });
  const written = [
    data(TOKEN, balance(POOL), made.tokens ?? 5000),
    data(TOKEN, balance(BUYER), 10),
    data(POOL, { symbol: made.function === "buy" ? "sold" : "rewarded" }, 300),
  ];
  const entry = (of: Json) =>
    madeXdr(LedgerEntry, { last_modified_ledger_seq: 100, data: of, ext: "v0" });
  const readOnly = [...pool, ...token].map(entry);
  const readWrite = written.map(entry);
  const keys = (of: readonly string[]) =>
    of.map((xdr) => LedgerKey.fromXdr(keyOfEntry(xdr), "base64").toJson());
  const credits = { i128: `${made.credits ?? 2000}` };
  const invocation = {
    contract_address: POOL,
    function_name: made.function,
    args: [
      { address: TOKEN },
      { address: BUYER },
      ...(made.function === "buy" ? [credits, { i128: "1" }] : [{ u32: 7 }]),
    ],
  };
  const envelopeXdr = changedXdr(TransactionEnvelope, recorded.envelopeXdr, ({ tx: { tx } }) => {
    tx.fee = REBUYER_FEE + 100;
    const host_function = { invoke_contract: invocation };
    tx.operations[0].body.invoke_host_function = { host_function, auth: [] };
    tx.ext.v1.resource_fee = `${REBUYER_FEE}`;
    tx.ext.v1.resources = {
      footprint: { read_only: keys(readOnly), read_write: keys(readWrite) },
      instructions: made.instructions ?? DECLARED,
      disk_read_bytes: 50_000,
      write_bytes: 50_000,
    };
  });
  const { hash } = openEnvelope(envelopeXdr, recorded.networkPassphrase);
  const snapshot: Snapshot = {
    ...(state as Snapshot),
    entries: [...readOnly, ...readWrite].map((entryXdr) => ({
      keyXdr: keyOfEntry(entryXdr),
      entryXdr,
      liveUntilLedger: LIVE_UNTIL,
      archived: false,
      codeCached: false,
      provenance: KNOWN,
      ttlProvenance: KNOWN,
    })),
    settings: (state?.settings ?? []).map((setting) => ({
      ...setting,
      entryXdr: settingOf(setting.entryXdr, protocol),
    })),
  };
  const record: ChainRecord = {
    ...recorded,
    envelopeXdr,
    hash,
    requestedHash: hash,
    resultMetaXdr: null,
    feeChangesXdr: null,
    refundChangesXdr: null,
    ledgerHeaderXdr: changedXdr(LedgerHeader, recorded.ledgerHeaderXdr ?? "", (header) => {
      header.ledger_version = protocol;
    }),
    ledger: { ...recorded.ledger, protocolVersion: protocol },
  };
  const feeTakenStroops = `${REBUYER_FEE + 100}`;
  const request = replayRequest(record, snapshot, { feeTakenStroops } as never);
  const ran = await openOneShot({ path: SIMULATOR_BINARY }).replay(request, {
    signal: NEVER_ABORTED,
  });
  return encodeCapsule({ ...record, resultXdr: ran.resultXdr ?? "" }, snapshot);
}

/** The setting as a network of that protocol has it: older ones have fewer cost types. */
function settingOf(entryXdr: string, protocol: number): string {
  const types = COST_TYPES[protocol];
  if (types === undefined) return entryXdr;
  return changedXdr(LedgerEntry, entryXdr, ({ data: { config_setting: setting } }) => {
    for (const [name, value] of Object.entries(setting))
      if (name.startsWith("contract_cost_params"))
        setting[name] = (value as Json[]).slice(0, types);
  });
}
