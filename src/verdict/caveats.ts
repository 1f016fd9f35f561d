// The reasons why a replay without differences is not exact: assumed inputs, unknown keys, and
// comparisons that could not be made. Each caveat names the key or the value that it is about.

import { grouped } from "../base/text/grouped.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Execution, LedgerChange } from "../model/execution.ts";
import { isAssumed, type StatedKind, statedKind } from "../model/provenance.ts";
import { endedWith } from "../model/result-code.ts";
import type { Snapshot, SnapshotEntry } from "../model/snapshot.ts";
import { type Caveat, type Comparison, placeOnRecord } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";
import { waivedSigners } from "../xdr/outcome/diagnostics.ts";
import { operationChanges } from "../xdr/outcome/operation-changes.ts";
import { settingKeyNamed, ttlKeyOf } from "../xdr/reader/keys.ts";

interface CaveatContext {
  /** The comparisons that were made. Without them no fee counts as confirmed by the chain. */
  readonly comparisons?: readonly Comparison[];
  /** LedgerKeys of entries whose provenance another caveat already states. */
  readonly stated?: ReadonlySet<string | null>;
}

/** Returns the caveats about the inputs of the replay, the unknown ones first. */
export function inputCaveats(
  record: Pick<ChainRecord, "assumedFacts">,
  chain: Pick<ChainFacts, "meta">,
  snapshot: Snapshot,
  execution: Execution,
  { comparisons = [], stated = new Set() }: CaveatContext = {},
): readonly Caveat[] {
  const caveats: Caveat[] = snapshot.unknown.map(({ keyXdr, reason }) => ({
    kind: "unknown",
    keyXdr,
    detail: reason,
  }));
  for (const detail of record.assumedFacts ?? []) {
    caveats.push({ kind: "assumed", keyXdr: null, detail });
  }
  for (const entry of snapshot.entries)
    caveats.push(...entryCaveats(entry, stated.has(entry.keyXdr)));
  for (const setting of snapshot.settings) {
    if (!isAssumed(setting.provenance)) continue;
    const keyXdr = settingKeyNamed(setting.name);
    const name = keyXdr === null ? `Network setting ${setting.name}: ` : "";
    caveats.push({ kind: "assumed", keyXdr, detail: `${name}${setting.provenance.detail}` });
  }
  caveats.push(...provisionalTtlCaveats(chain, snapshot, execution, comparisons));
  const known = new Set([...stated, ...caveats.map((caveat) => caveat.keyXdr)]);
  for (const { what, keyXdr: about, value } of execution.assumed) {
    const setting = settingKeyNamed(what);
    const keyXdr = about ?? setting;
    if (keyXdr !== null && known.has(keyXdr)) continue;
    const assumed = setting === null ? `${what}: ${value}` : value;
    caveats.push({ kind: "assumed", keyXdr, detail: `svc-sim assumed ${assumed}` });
  }
  return caveats;
}

/** `isStated` is true if another caveat already states how the entry is known, but not its TTL. */
export function entryCaveats(entry: SnapshotEntry, isStated = false): Caveat[] {
  const { keyXdr, provenance, ttlProvenance, liveUntilLedger } = entry;
  const caveats: Caveat[] = [];
  if (isAssumed(provenance) && !isStated) {
    caveats.push({ kind: "assumed", keyXdr, detail: provenance.detail });
  }
  if (ttlProvenance !== null && isAssumed(ttlProvenance)) {
    caveats.push({ kind: "assumed", keyXdr, detail: `TTL: ${ttlProvenance.detail}` });
  }
  if (ttlProvenance === null && liveUntilLedger !== null) {
    caveats.push({ kind: "assumed", keyXdr, detail: "the source of its TTL is unknown" });
  }
  return caveats;
}

/** Returns the caveats that come from the comparisons themselves. */
export function comparisonCaveats(
  chain: ChainFacts,
  softDifferences: readonly Comparison[],
): readonly Caveat[] {
  const caveats: Caveat[] = [];
  if (chain.meta === null) {
    const changes = "No source had the transaction meta, so the ledger changes were not compared.";
    const limitation = "Return value and events were compared by their hash in the result alone.";
    const detail = chain.result.successHash === null ? changes : `${changes} ${limitation}`;
    caveats.push({ kind: "not-compared", keyXdr: null, detail });
  }
  const waived = waivedSigners(chain.diagnosticsXdr);
  if (waived.length > 0) {
    const detail =
      `The fork did not ask for signatures of ${waived.join(", ")}. ` +
      "A network would have refused the transaction.";
    caveats.push({ kind: "not-compared", keyXdr: null, detail });
  }
  for (const difference of softDifferences) {
    const { subject, item, chain: recorded, replay, detail } = difference;
    // A different fee was charged, and that comparison already differs.
    if (subject === "fee-events" && detail === null) continue;
    if (subject === "core-metric") {
      const [chain, run] = [recorded, replay].map((value) => grouped(value ?? "nothing"));
      const text = `${item}: ${chain} ${placeOnRecord(difference)}, ${run} in the replay.`;
      const metric = { name: item ?? "", chain: recorded, replay };
      caveats.push({ kind: "metering", keyXdr: null, detail: text, metric });
    } else {
      const isEvents = subject !== "diagnostic-events";
      caveats.push({
        kind: isEvents ? "events" : "diagnostics",
        keyXdr: null,
        detail: detail ?? `The ${isEvents ? "events" : "diagnostic events"} differ.`,
      });
    }
  }
  return caveats;
}

/**
 * Caveats about a TTL that was read at a later ledger than the transaction's, or of which the
 * result only shows that it had not ended. Contracts cannot read a TTL. A TTL decides whether an
 * extension takes place, which the changes show. It also decides the rent for an entry that grows,
 * which the fee shows (soroban-env-host, fees.rs, compute_rent_fee: only growth and extensions are
 * paid for). Both decide whether the fee or the budget runs out. If none of these confirms the TTL,
 * it is an assumption like any other. Without `comparisons` no fee confirms it.
 */
function provisionalTtlCaveats(
  chain: Pick<ChainFacts, "meta">,
  snapshot: Snapshot,
  execution: Execution,
  comparisons: readonly Comparison[],
): Caveat[] {
  const provisional = snapshot.entries.filter((entry) => entry.provisional === "ttl-unchanged");
  if (provisional.length === 0) return [];
  const onChain = chain.meta === null ? [] : [...operationChanges(chain.meta).values()];
  const changes = [...onChain, ...execution.changes];
  const changed = new Set(changes.map(({ keyXdr }) => keyXdr));
  const grown = new Set(changes.filter(isGrowth).map(({ keyXdr }) => keyXdr));
  const ranOut = ranOutOfSomething(execution);
  const paidAlike = rentIsEqual(comparisons);
  const matters = ({ keyXdr }: SnapshotEntry) =>
    ranOut || changed.has(ttlKeyOf(keyXdr)) || (grown.has(keyXdr) && !paidAlike);
  return provisional.filter(matters).map(({ keyXdr, ttlProvenance }) => ({
    kind: "assumed",
    keyXdr,
    detail:
      ttlProvenance !== null && RESULT_KINDS.has(statedKind(ttlProvenance))
        ? "TTL whose last ledger no source has, which may change the fee"
        : "TTL taken from a later ledger, which may change the fee",
  }));
}

/**
 * The kinds that only show that the TTL had not ended. Capsules of format 2 use `meta` for that.
 */
const RESULT_KINDS: ReadonlySet<StatedKind> = new Set(["deduced", "meta"]);

function isGrowth({ beforeXdr, afterXdr }: LedgerChange): boolean {
  return afterXdr !== null && (beforeXdr === null || afterXdr.length > beforeXdr.length);
}

/** The rent of existing entries grows with the TTL, so an equal rent means an equal TTL. */
function rentIsEqual(comparisons: readonly Comparison[]): boolean {
  const rent = comparisons.find(
    ({ subject, item }) => subject === "resource-fee" && item === "rent",
  );
  const fee = comparisons.find(({ subject }) => subject === "fee-charged");
  return [rent, fee].some((each) => each?.result === "equal") && rent?.result !== "different";
}

function ranOutOfSomething({ outcome, hostError }: Execution): boolean {
  if (hostError?.type === "Budget") return true;
  if (outcome.kind !== "failed") return false;
  return endedWith(outcome, "resourceLimitExceeded", "insufficientRefundableFee");
}
