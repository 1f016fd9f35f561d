// The network settings that a network has when its genesis ledger already runs a Soroban protocol,
// until an upgrade changes them: they are written by no ledger's meta, so they must be known.
// stellar-core, NetworkConfig.cpp: initializeGenesisLedgerForTesting and
// InitialSorobanNetworkConfig. A network that reached protocol 20 by an upgrade shows its settings
// in that upgrade's changes.

import type { LaterChanges } from "../../src/snapshot/evidence.ts";
import {
  type CostParameters,
  initialCostParameters,
} from "../../src/snapshot/settings/initial-cost-parameters.ts";
import { settingKeyOf } from "../../src/xdr/ledger/settings.ts";

const GENESIS_LEDGER = 1;
/** No ledger of a stream. */
const NEVER = 2 ** 32 - 1;
const CONFIG_SETTING = 8;

const ID = {
  maxContractSize: 0,
  compute: 1,
  ledgerCost: 2,
  historicalData: 3,
  events: 4,
  bandwidth: 5,
  cpuCostParameters: 6,
  memoryCostParameters: 7,
  dataKeySize: 8,
  dataEntrySize: 9,
  stateArchival: 10,
  executionLanes: 11,
  evictionIterator: 13,
  parallelCompute: 14,
  ledgerCostExtension: 15,
  scpTiming: 16,
  frozenLedgerKeys: 17,
  freezeBypassTransactions: 19,
} as const;

const made = new Map<number, ReadonlyMap<number, string>>();

/** Setting id → CONFIG_SETTING LedgerEntry, base64, for a genesis ledger of that protocol (20+). */
export function initialSettings(protocol: number): ReadonlyMap<number, string> {
  const known = made.get(protocol);
  if (known !== undefined) return known;
  const settings = makeSettings(protocol);
  made.set(protocol, settings);
  return settings;
}

function makeSettings(protocol: number): ReadonlyMap<number, string> {
  const costs = initialCostParameters(protocol);
  const bodies: [number, Uint8Array][] = [
    [ID.maxContractSize, u32(2000)],
    // Instructions of a ledger and a transaction, fee per 10,000 of them, memory limit.
    [ID.compute, join(i64(2_500_000, 2_500_000, 100), u32(2_000_000))],
    [ID.ledgerCost, ledgerCost(protocol)],
    [ID.historicalData, i64(100)],
    [ID.events, join(u32(200), i64(200))],
    [ID.bandwidth, join(u32(10_000, 10_000), i64(2000))],
    [ID.cpuCostParameters, costParameters(costs.cpu)],
    [ID.memoryCostParameters, costParameters(costs.memory)],
    [ID.dataKeySize, u32(200)],
    [ID.dataEntrySize, u32(2000)],
    [ID.stateArchival, stateArchival(protocol)],
    [ID.executionLanes, u32(1)],
    // Level, current bucket, offset.
    [ID.evictionIterator, join(u32(6, 1), i64(0))],
  ];
  if (protocol >= 23) {
    bodies.push(
      [ID.parallelCompute, u32(1)],
      // Entries of a footprint, flat fee per KB written.
      [ID.ledgerCostExtension, join(u32(3), i64(3500))],
      [ID.scpTiming, u32(5000, 1000, 1000, 1000, 1000)],
    );
  }
  if (protocol >= 26) {
    bodies.push([ID.frozenLedgerKeys, u32(0)], [ID.freezeBypassTransactions, u32(0)]);
  }
  return new Map(bodies.map(([id, body]) => [id, settingEntry(id, body)]));
}

/**
 * Limits of a ledger and of a transaction, fees, then the rent fee's dependence on the state size.
 */
function ledgerCost(protocol: number): Uint8Array {
  const limits = [3, 3200, 2, 3200];
  const rent = protocol >= 23 ? [3_000_000_000, -17_000, 10_000] : [30 * 1024 ** 3, 1000, 10_000];
  return join(u32(...limits, ...limits), i64(5000, 20_000, 1000, ...rent), u32(1));
}

/** TTL bounds, rent rate denominators, then the eviction scan. */
function stateArchival(protocol: number): Uint8Array {
  const denominators = protocol >= 23 ? [1215, 2430] : [252_480, 2_524_800];
  return join(u32(1_054_080, 16, 4096), i64(...denominators), u32(100, 30, 64, 100_000, 6));
}

function costParameters(parameters: CostParameters): Uint8Array {
  const entries = parameters.map(([constant, linear]) => join(u32(0), i64(constant, linear)));
  return join(u32(parameters.length), ...entries);
}

function settingEntry(id: number, body: Uint8Array): string {
  return join(u32(GENESIS_LEDGER, CONFIG_SETTING, id), body, u32(0)).toBase64();
}

function u32(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  for (const [index, value] of values.entries()) view.setUint32(4 * index, value);
  return new Uint8Array(view.buffer);
}

function i64(...values: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * values.length));
  for (const [index, value] of values.entries()) view.setBigInt64(8 * index, BigInt(value));
  return new Uint8Array(view.buffer);
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** What `firstMentions` leaves open of the settings, for a stream that begins with such a genesis. */
export function withInitialSettings(firstMentions: LaterChanges, protocol: number): LaterChanges {
  const initial = new Map(
    [...initialSettings(protocol)].map(([id, entryXdr]) => [settingKeyOf(id), entryXdr]),
  );
  return {
    ...firstMentions,
    find(keyXdr) {
      const entryXdr = initial.get(keyXdr);
      const known = firstMentions.find(keyXdr);
      if (known !== undefined || entryXdr === undefined) return known;
      return { before: { kind: "entry", entryXdr, liveUntilLedger: null }, ledger: NEVER };
    },
  };
}
