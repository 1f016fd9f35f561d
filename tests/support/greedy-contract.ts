// Requests to POST /v1/simulate that take as much as they can get: a contract that never ends, or
// that asks for ever more memory, or writes all of it, with the resources and the network settings that a client writes
// itself.

import { LedgerEntry, LedgerKey, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { withNetworkLimit } from "../../src/xdr/ledger/settings.ts";
import { keyOfEntry } from "../../src/xdr/reader/keys.ts";
import { walkOf } from "../verdict/protocol-walk.ts";
import { changedXdr, madeXdr } from "./changed-xdr.ts";
import { contractEntries, recordedSettings } from "./executed.ts";

export interface Greed {
  /** `grow` writes to what it gets. */
  readonly wants: "instructions" | "memory" | "writes";
  /** What the envelope declares. */
  readonly instructions: number;
  /** `tx_memory_limit` of the settings that the request brings. */
  readonly memoryBytes?: number;
  /** The settings say that nothing costs anything. */
  readonly free?: boolean;
}

/** The first is `() -> i64`, others are `(i32) -> ()`; in one page of memory. */
const BODIES: Readonly<Record<Greed["wants"], readonly (readonly number[])[]>> = {
  // (loop (br 0)) unreachable
  instructions: [[0x00, 0x03, 0x40, 0x0c, 0x00, 0x0b, 0x00, 0x0b]],
  // (loop (drop (memory.grow 16)) (br 0)) unreachable
  memory: [[0x00, 0x03, 0x40, 0x41, 0x10, 0x40, 0x00, 0x1a, 0x0c, 0x00, 0x0b, 0x00, 0x0b]],
  writes: [
    // (local i32) (loop (call 1 (local.tee 0 (i32.add (local.get 0) (i32.const 44)))) (br 0)) unreachable
    [
      ...[0x01, 0x01, 0x7f, 0x03, 0x40, 0x20, 0x00, 0x41, 0x2c, 0x6a, 0x22, 0x00, 0x10, 0x01],
      ...[0x0c, 0x00, 0x0b, 0x00, 0x0b],
    ],
    // (local i32) (loop (i32.store (i32.and (i32.add (local.get 0) (i32.shl (local.get 1) (i32.const 2)))
    // (i32.const 0xfffc)) (local.get 0)) (br_if 0 (i32.lt_u (local.tee 1 (i32.add (local.get 1)
    // (i32.const 1))) (i32.const 100))))
    [
      ...[0x01, 0x01, 0x7f, 0x03, 0x40, 0x20, 0x00, 0x20, 0x01, 0x41, 0x02, 0x74, 0x6a, 0x41, 0xfc],
      ...[0xff, 0x03, 0x71, 0x20, 0x00, 0x36, 0x02, 0x00, 0x20, 0x01, 0x41, 0x01, 0x6a, 0x22, 0x01],
      ...[0x41, 0xe4, 0x00, 0x49, 0x0d, 0x00, 0x0b, 0x0b],
    ],
  ],
};
const LIVE_UNTIL = 100_000;

export function greedyRequest(greed: Greed): ReplayRequest {
  const { contract, entries } = contractEntries(greedyContract(greed.wants), 7);
  const made = entries.map((data) =>
    madeXdr(LedgerEntry, { last_modified_ledger_seq: 100, data, ext: "v0" }),
  );
  const footprint = made.map((entry) => LedgerKey.fromXdr(keyOfEntry(entry), "base64").toJson());
  const { record } = walkOf("contract-error");
  const envelope_xdr = changedXdr(TransactionEnvelope, record.envelopeXdr, ({ tx: { tx } }) => {
    tx.fee = 4_000_000_000;
    tx.operations[0].body.invoke_host_function = {
      host_function: {
        invoke_contract: { contract_address: contract, function_name: "f", args: [] },
      },
      auth: [],
    };
    tx.ext.v1.resources = {
      footprint: { read_only: footprint, read_write: [] },
      instructions: greed.instructions,
      disk_read_bytes: 50_000,
      write_bytes: 50_000,
    };
    tx.ext.v1.resource_fee = "3000000000";
  });
  return {
    envelope_xdr,
    result_meta_xdr: "",
    ledger_entries: Object.fromEntries(
      made.map((entry) => [keyOfEntry(entry), { entry_xdr: entry, live_until_ledger: LIVE_UNTIL }]),
    ),
    ledger: { protocol_version: 28, sequence: 500, settings: settingsOf(greed) },
  };
}

function settingsOf({ memoryBytes, free }: Greed): string[] {
  return recordedSettings().map(({ name, entryXdr }) => {
    if (memoryBytes !== undefined && name === "CONFIG_SETTING_CONTRACT_COMPUTE_V0")
      return withNetworkLimit(entryXdr, "memoryBytes", memoryBytes);
    return free === true && /COST_PARAMS/.test(name) ? withoutCosts(entryXdr) : entryXdr;
  });
}

function withoutCosts(entryXdr: string): string {
  return changedXdr(LedgerEntry, entryXdr, ({ data: { config_setting } }) => {
    for (const parameters of Object.values(config_setting) as { linear_term: string }[][])
      for (const each of parameters) Object.assign(each, { const_term: "0", linear_term: "0" });
  });
}

function greedyContract(wants: Greed["wants"]): Uint8Array {
  const bodies = BODIES[wants];
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(0, [17, ...ascii("contractenvmetav0"), 0, 0, 0, 0, 0, 0, 0, 22, 0, 0, 0, 0]),
    ...section(1, [2, 0x60, 0, 1, 0x7e, 0x60, 1, 0x7f, 0]),
    ...section(3, [bodies.length, ...bodies.map((_, index) => Math.min(index, 1))]),
    ...section(5, [1, 0x00, 1]),
    ...section(7, [2, 1, ...ascii("f"), 0x00, 0, 6, ...ascii("memory"), 0x02, 0]),
    ...section(10, [bodies.length, ...bodies.flatMap((body) => [body.length, ...body])]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, content.length, ...content];
}

const ascii = (text: string) => [...new TextEncoder().encode(text)];
