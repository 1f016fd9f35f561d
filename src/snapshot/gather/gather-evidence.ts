// Asks for all that decideEntry and decideTtl weigh, and for no more ledgers than they need.

import type { SvcError } from "../../base/errors/errors.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { askInTurn, type CurrentLedgerEntries, type Source } from "../../sources/source.ts";
import { readEnvelope } from "../../xdr/envelope/envelope.ts";
import type { KeyedChange } from "../../xdr/ledger/keyed-change.ts";
import { readTransactionMeta } from "../../xdr/outcome/meta.ts";
import { readTransactionResult } from "../../xdr/outcome/result.ts";
import { ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { decideEntry } from "../decide-entry.ts";
import { currentOf, type Evidence } from "../evidence.ts";
import { type FootprintKey, footprintKeys } from "../folded-footprint.ts";
import { readOwnChanges } from "../own-changes.ts";
import { foldLedger } from "../stream/fold-ledger.ts";
import { LedgerState } from "../stream/ledger-state.ts";
import { readLaterChanges, type Traced, traceBack } from "./later-changes.ts";
import type { LedgerViews } from "./ledger-views.ts";

export interface GatherDependencies {
  readonly sources: readonly Source[];
  readonly ledgers: LedgerViews;
}

export interface GatherOptions {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface Gathered {
  readonly evidence: Evidence;
  /** Of the nodes that could not be asked for entries. */
  readonly failures: readonly SvcError[];
}

/** So many ledgers are read in any case when the node's is no later: then times to live are exact. */
const NEARBY_LEDGERS = 8;
const RAN_OUT = /(ResourceLimitExceeded|InsufficientRefundableFee|EntryArchived)$/;

export async function gatherEvidence(
  dependencies: GatherDependencies,
  record: ChainRecord,
  options: GatherOptions,
): Promise<Gathered> {
  const { ledgers } = dependencies;
  const start = readRecord(record);
  const { footprint, transaction } = start;
  const keys = footprint.map(({ keyXdr }) => keyXdr);
  const asked = await askInTurn(dependencies.sources, options, (source) =>
    keys.length === 0 ? undefined : source.fetchLedgerEntries?.(keys, options),
  );
  const current = asked.answer;
  const seen = await seeOwnLedger(ledgers, record, current, footprint);
  const before: Evidence = {
    ...start,
    ...seen,
    current,
    currentOrigin: asked.source?.name ?? whyNoSource(asked.failures),
    later: { before: new Map(), readTo: transaction.ledgerSequence - 1 },
    traced: new Map(),
  };
  const traced = await traceChanged(ledgers, before);
  const later = await readAhead(ledgers, { ...before, traced }, options);
  return { evidence: { ...before, later, traced }, failures: asked.failures };
}

export function whyNoSource(failures: readonly SvcError[]): string {
  return failures[0]?.message ?? "no source gives ledger entries";
}

function readRecord(record: ChainRecord) {
  const { soroban } = readEnvelope(record.envelopeXdr, record.networkPassphrase);
  const result = readTransactionResult(record.resultXdr);
  const footprint = soroban === null ? [] : footprintKeys(soroban.footprint);
  const transaction = {
    ledgerSequence: record.ledger.sequence,
    operation: soroban?.operation ?? "invoke_host_function",
    succeeded: result.success,
    meta: record.resultMetaXdr === null ? null : readTransactionMeta(record.resultMetaXdr),
  } as const;
  const marked = (soroban?.archivedEntryIndexes ?? []).map(
    (index) => soroban?.footprint.readWrite[index] ?? "",
  );
  return {
    transaction,
    footprint,
    operationCode: result.operationCodes[0] ?? null,
    markedArchived: new Set(marked),
    own: readOwnChanges(transaction),
  };
}

/** Folds the transaction's ledger up to the transaction, from an earlier state where one is given. */
async function seeOwnLedger(
  ledgers: LedgerViews,
  record: ChainRecord,
  current: CurrentLedgerEntries | null,
  footprint: readonly FootprintKey[],
): Promise<Pick<Evidence, "visible" | "bridged">> {
  const { sequence } = record.ledger;
  const state = new LedgerState({ fromGenesis: false });
  const behind = current !== null && current.latestLedger < sequence;
  let bridged = true;
  if (behind) {
    state.apply(seedChanges(current, footprint));
    let next = current.latestLedger + 1;
    for await (const view of ledgers.run(next, sequence - 1)) {
      for (const _step of foldLedger(state, view));
      next += 1;
    }
    bridged = next === sequence;
  }
  const own = await ledgers.view(sequence);
  if (own === null) return { visible: null, bridged: behind ? false : null };
  let visible: LedgerState | null = null;
  for (const { transaction } of foldLedger(state, own)) {
    if (transaction.order !== record.applicationOrder) continue;
    visible = state;
    break;
  }
  return { visible, bridged: behind ? bridged && visible !== null : null };
}

function seedChanges(
  current: CurrentLedgerEntries,
  footprint: readonly FootprintKey[],
): KeyedChange[] {
  const changes: KeyedChange[] = [];
  const add = (keyXdr: string, type: number, entryXdr: string | null, live: number | null) => {
    changes.push({
      kind: entryXdr === null && live === null ? "removed" : "state",
      type,
      keyXdr,
      entryXdr,
      liveUntilLedger: live,
    });
  };
  for (const key of footprint) {
    const now = current.entries.get(key.keyXdr);
    add(key.keyXdr, key.type, now?.entryXdr ?? null, null);
    if (key.ttlKeyXdr !== null && now?.liveUntilLedger) {
      add(key.ttlKeyXdr, ENTRY_TYPE.ttl, null, now.liveUntilLedger);
    }
  }
  return changes;
}

/**
 * From the transaction's ledger on: always that one, the nearest few when the node's is among them,
 * and more only where reading so many can settle something.
 */
function readAhead(ledgers: LedgerViews, evidence: Evidence, options: GatherOptions) {
  const { own, current, transaction, traced } = evidence;
  const first = transaction.ledgerSequence;
  const latest = current?.latestLedger ?? first;
  const ranOut = RAN_OUT.test(evidence.operationCode ?? "");
  const wanted = new Set<string>();
  /** Where something would be settled. */
  const goals = [first, latest < first + NEARBY_LEDGERS ? latest : first];
  for (const key of evidence.bridged === null ? evidence.footprint : []) {
    if (key.ttlKeyXdr !== null && own.ttl(key) === null) {
      wanted.add(key.ttlKeyXdr);
      if (ranOut || own.touches(key)) goals.push(latest);
    }
    const decided = decideEntry(evidence, key);
    if (!("reason" in decided) && decided.provenance.kind !== "assumed") continue;
    wanted.add(key.keyXdr);
    const trace = traced.get(key.keyXdr);
    goals.push(trace?.kind === "lost" ? trace.ledger : latest);
  }
  const within = goals.filter((goal) => goal < first + ledgers.maximumLedgers);
  const { progress } = options;
  return readLaterChanges(ledgers, { wanted, first, last: Math.max(...within), progress });
}

async function traceChanged(
  ledgers: LedgerViews,
  evidence: Evidence,
): Promise<Map<string, Traced>> {
  const traced = new Map<string, Traced>();
  const { ledgerSequence } = evidence.transaction;
  for (const key of evidence.footprint) {
    const now = currentOf(evidence, key);
    if (now === null || now.lastModifiedLedger < ledgerSequence) continue;
    const decided = decideEntry(evidence, key);
    if (!("reason" in decided) && decided.provenance.kind !== "assumed") continue;
    traced.set(
      key.keyXdr,
      await traceBack(ledgers, key.keyXdr, now.lastModifiedLedger, ledgerSequence),
    );
  }
  return traced;
}
