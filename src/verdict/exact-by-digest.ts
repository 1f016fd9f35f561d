// The quick way to `exact`: the digests of record and execution are equal, and nothing about the
// inputs is open. For everything else `judge` decides, on the execution itself.
// Invariant: whatever is exact here is exact to `judge`.

import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution } from "../model/execution.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import type { RecordDigest } from "../xdr/ledger/record-digest.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import { entryCaveats } from "./caveats.ts";
import { isAbsentByNode } from "./missed-entries.ts";

/** Nothing about the inputs keeps a verdict from being exact. */
export function inputsAreSure(
  record: Pick<ChainRecord, "assumedFacts">,
  { entries, settings, unknown }: Snapshot,
): boolean {
  return (
    unknown.length === 0 &&
    (record.assumedFacts ?? []).length === 0 &&
    entries.every((entry) => entryCaveats(entry).length === 0) &&
    settings.every(({ provenance }) => provenance.kind !== "assumed")
  );
}

/**
 * Decides what `absentByNode` and `missedEntries` would find where the digests are equal.
 * `isShown`: the transaction succeeded, or its diagnostic events show why it did not.
 */
export function absenceIsSafe({ entries }: Snapshot, isShown: boolean): boolean {
  const isSafe = ({ keyXdr }: SnapshotEntry) =>
    isShown && typeOfKey(keyXdr) !== ENTRY_TYPE.contractCode;
  return entries.every((entry) => !isAbsentByNode(entry) || isSafe(entry));
}

const RAN_OUT = /(ResourceLimitExceeded|InsufficientRefundableFee)$/;

/** Every part that both sides can have is equal. */
export function isSameExecution(
  recorded: RecordDigest,
  execution: Pick<Execution, "fees"> & {
    readonly digest: string | null;
    readonly metricsDigest: string;
  },
): boolean {
  const { fees } = execution;
  const onChain = recorded.fees;
  return (
    recorded.hash === execution.digest &&
    (recorded.metricsHash === null || recorded.metricsHash === execution.metricsDigest) &&
    recorded.refundStroops === fees.refundStroops &&
    (onChain === null ||
      (onChain.nonRefundableStroops === fees.nonRefundableStroops &&
        onChain.refundableStroops === fees.refundableConsumedStroops &&
        onChain.rentStroops === fees.rentStroops))
  );
}

/**
 * Decides what `provisionalTtlCaveats` would find: with equal digests, fee and rent are equal, so
 * that a TTL can only matter where it changes, or where something ran out. `execution`: null before it
 * ran.
 */
export function provisionalTtlsAreSafe(
  { entries }: Snapshot,
  ttlKeys: readonly (string | null)[],
  chain: { readonly operationCode: string; readonly changedKeys: ReadonlySet<string> },
  execution: { readonly hostErrorType: string | null } | null,
): boolean {
  const ranOut = RAN_OUT.test(chain.operationCode) || execution?.hostErrorType === "Budget";
  return entries.every(({ provisional }, at) => {
    const ttlKey = ttlKeys[at] ?? null;
    return (
      provisional === undefined || (!ranOut && ttlKey !== null && !chain.changedKeys.has(ttlKey))
    );
  });
}

/** A TTL before it changed: svc-sim gets only the ledger, so no digest has it. */
/** `ttlKeys`: of the snapshot's entries, in their order. */
export function ttlsAgree(
  before: readonly Pick<SnapshotEntry, "keyXdr" | "liveUntilLedger">[],
  { entries }: Snapshot,
  ttlKeys: readonly (string | null)[],
): boolean {
  return before.every(({ keyXdr, liveUntilLedger }) => {
    const given = entries[ttlKeys.indexOf(keyXdr)];
    const until = given?.liveUntilLedger ?? null;
    return until === null || liveUntilLedger === until;
  });
}
