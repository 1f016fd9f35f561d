// Ledger changes, differences and ledger keys as readable text.

import type { LedgerChange } from "../../model/execution.ts";
import type { NamedChange, NamedDifference } from "../../model/explanation.ts";
import { resultCodeName } from "../../model/result-code.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { Comparison, ComparisonSubject, Verdict } from "../../model/verdict.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeTypedKey, isNonceKey } from "../../xdr/contract/key-typed.ts";
import { readOperationResult } from "../../xdr/outcome/result.ts";
import { ENTRY_TYPE, isSorobanKey, ttlKeyOf, typeOfKey } from "../../xdr/reader/keys.ts";
import { entryDifference, isWrittenUnchanged } from "../../xdr/values/entry-difference.ts";
import { describeEntry, showValue } from "../../xdr/values/value.ts";

export type KeyNamer = (keyXdr: string) => string;

/** Names keys. A TTL is named for the entry it belongs to, if the snapshot has that entry. */
export function keyNamer(snapshot: Snapshot | null, lookup: ContractLookup): KeyNamer {
  const owners = new Map<string, string>();
  for (const { keyXdr } of snapshot?.entries ?? []) {
    if (isSorobanKey(keyXdr)) owners.set(ttlKeyOf(keyXdr), keyXdr);
  }
  return (keyXdr) => {
    const owner = owners.get(keyXdr);
    if (owner === undefined) return describeTypedKey(keyXdr, lookup);
    return `TTL of ${describeTypedKey(owner, lookup)}`;
  };
}

/** Names changes. `snapshot` has the earlier TTLs, which a replay does not report. */
export function nameChanges(
  changes: readonly LedgerChange[],
  nameOf: KeyNamer,
  snapshot: Snapshot | null = null,
): NamedChange[] {
  const livesUntil = ttls(snapshot);
  const ttlBefore = ({ kind, keyXdr }: LedgerChange) =>
    (kind === "updated" && livesUntil.get(keyXdr)) || null;
  return changes.map((change) => ({
    kind: change.kind,
    role: roleOf(change.keyXdr),
    key: nameOf(change.keyXdr),
    before: change.beforeXdr === null ? ttlBefore(change) : describeEntry(change.beforeXdr),
    after: change.afterXdr === null ? null : describeEntry(change.afterXdr),
    fields:
      change.beforeXdr === null || change.afterXdr === null
        ? []
        : entryDifference(change.beforeXdr, change.afterXdr),
    ...(isUnchanged(change) && { isUnchanged: true as const }),
  }));
}

function isUnchanged({ kind, beforeXdr, afterXdr }: LedgerChange): boolean {
  const hasBoth = kind === "updated" && beforeXdr !== null && afterXdr !== null;
  return hasBoth && isWrittenUnchanged(beforeXdr, afterXdr);
}

function roleOf(keyXdr: string): NamedChange["role"] {
  if (typeOfKey(keyXdr) === ENTRY_TYPE.ttl) return "ttl";
  return isNonceKey(keyXdr) ? "nonce" : "state";
}

/** The TTLs by TTL key, in the form of describeEntry(), without those from a later ledger. */
function ttls(snapshot: Snapshot | null): ReadonlyMap<string, string> {
  return new Map(
    (snapshot?.entries ?? []).flatMap(({ keyXdr, liveUntilLedger, provisional }) =>
      liveUntilLedger === null || provisional !== undefined || !isSorobanKey(keyXdr)
        ? []
        : [[ttlKeyOf(keyXdr), `live until ledger ${liveUntilLedger}`] as const],
    ),
  );
}

/** The first difference. If only a hash differs, it includes the return values. */
export function nameFirstDifference(verdict: Verdict | null): NamedDifference | null {
  const first = verdict?.firstDifference ?? null;
  const named = first && nameDifference(first);
  const isHash = first?.subject === "operation-result" && named?.chain === named?.replay;
  const returned = verdict?.comparisons.find(
    ({ subject, result }) => subject === "return-value" && result === "different",
  );
  const values = isHash && returned !== undefined ? nameDifference(returned) : null;
  if (named === null || values === null) return named;
  const { chain, replay } = values;
  return {
    chain: `${named.chain}, returned ${chain}`,
    replay: `${named.replay}, returned ${replay}`,
  };
}

/** Null if the values are already readable. */
export function nameDifference(comparison: Comparison): NamedDifference | null {
  const { subject, plain = [] } = comparison;
  const show = READERS[subject];
  if (show === undefined) return null;
  const read = (side: "chain" | "replay") => {
    const value = comparison[side];
    if (value === null) return "nothing";
    return plain.includes(side) ? value : show(value);
  };
  return { chain: read("chain"), replay: read("replay") };
}

const READERS: Partial<Record<ComparisonSubject, (xdr: string) => string>> = {
  "return-value": (xdr) => showValue(xdr),
  "ledger-change": (xdr) => describeEntry(xdr),
  "operation-result": (xdr) => resultCodeName(readOperationResult(xdr)),
};

/** The operation's result codes; null if both are the same. */
export function nameResultCodes(verdict: Verdict | null): NamedDifference | null {
  const ending = verdict?.comparisons.find(({ subject }) => subject === "operation-result");
  const named = ending?.result === "different" ? nameDifference(ending) : null;
  return named === null || named.chain === named.replay ? null : named;
}

/** LedgerKey → name, for every key in the snapshot, the caveats and the ledger comparisons. */
export function nameKeys(
  snapshot: Snapshot | null,
  verdict: Verdict | null,
  nameOf: KeyNamer,
): Record<string, string> {
  const keys = new Set<string>();
  for (const { keyXdr } of snapshot?.entries ?? []) keys.add(keyXdr);
  for (const { keyXdr } of snapshot?.unknown ?? []) keys.add(keyXdr);
  for (const { keyXdr } of verdict?.caveats ?? []) if (keyXdr !== null) keys.add(keyXdr);
  for (const { subject, item } of verdict?.comparisons ?? []) {
    if (subject === "ledger-change" && item !== null) keys.add(item);
  }
  return Object.fromEntries([...keys].map((key) => [key, nameOf(key)]));
}
