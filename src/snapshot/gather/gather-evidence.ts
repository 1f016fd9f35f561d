// Asks nodes and ledger files for everything that the rules weigh, and reads no more ledgers than
// they need.

import type { SvcError } from "../../base/errors/errors.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { endedWith } from "../../model/result-code.ts";
import type { LedgerEngine } from "../../simulator/ledger-engine.ts";
import { withSecondProcess } from "../../simulator/simulator-program.ts";
import type { FetchContext } from "../../sources/source.ts";
import type { OpenedRecord } from "../../xdr/envelope/opened-record.ts";
import { keyChanges } from "../../xdr/ledger/keyed-change.ts";
import type { LedgerCloseMetaView } from "../../xdr/ledger/ledger-close-meta.ts";
import { sliceMetaChanges } from "../../xdr/outcome/meta.ts";
import { ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { archivedByDiagnostics } from "../archived-by-diagnostics.ts";
import { decideEntry, isSure } from "../decide-entry.ts";
import { STATE_SIZE_WINDOW_KEY } from "../decide-settings.ts";
import { exactTtl } from "../decide-ttl.ts";
import type { Evidence, NodeStates, Traced } from "../evidence.ts";
import { type FootprintKey, footprintKeys, settingKey } from "../footprint-keys.ts";
import { readOwnChanges } from "../own-changes.ts";
import { decidingSettingKeys } from "../settings/deciding-settings.ts";
import { NO_MENTIONS } from "../stream/first-mentions.ts";
import { firstChangesIn } from "../stream/ledger-changes.ts";
import { LedgersFold } from "../stream/ledgers-fold.ts";
import { checkNodeEntries } from "./check-node-entries.ts";
import { LaterReading, traceChanged } from "./later-changes.ts";
import type { LedgerViews } from "./ledger-views.ts";
import { AskedNodes } from "./node-states.ts";

/** The questions for one transaction, and their outcome. */
export interface Gathering {
  readonly ledgers: LedgerViews;
  readonly nodes: AskedNodes;
}

/**
 * Starts an engine, which ends with its signal. `isRepeated` is true if another engine does its
 * work after it dies.
 */
export type StartEngine = (
  signal: AbortSignal,
  choice: { readonly isRepeated: boolean },
) => LedgerEngine;

interface FoldingToo extends Gathering {
  readonly startEngine: StartEngine;
}

export interface GatherOptions extends FetchContext {
  readonly progress: (text: string) => void;
}

export interface Gathered {
  readonly evidence: Evidence;
  /** The failures of nodes that could not be asked for entries. */
  readonly failures: readonly SvcError[];
}

/**
 * This many ledgers are always read if the node's ledger is not later, because TTLs are then exact.
 */
const NEARBY_LEDGERS = 8;

/** The result codes that TTLs decide. */
const NEEDS_TTLS = ["resourceLimitExceeded", "insufficientRefundableFee", "entryArchived"] as const;

/** A transaction's evidence, and the keys that it is gathered for. */
interface GatherSubject {
  readonly evidence: Evidence;
  readonly keys: readonly FootprintKey[];
}

/**
 * Gathers the evidence. `keysXdr` has keys that the transaction does not name; they too are
 * gathered as they were just before it.
 */
export async function gatherEvidence(
  { ledgers, nodes, startEngine }: FoldingToo,
  opened: OpenedRecord,
  options: GatherOptions,
  keysXdr: readonly string[] | null = null,
): Promise<Gathered> {
  const { record } = opened;
  const alone = readRecord(opened);
  const footprint =
    keysXdr === null ? alone.footprint : footprintKeys({ readOnly: keysXdr, readWrite: [] });
  const settings = keysXdr === null ? settingsOf(alone) : [];
  const keys = [...footprint, ...settings];
  await askAtOnce(nodes, footprint, settings, options);
  const { sequence } = record.ledger;
  const latest = latestOf(nodes, footprint);
  const first = latest === 0 ? sequence : Math.min(sequence, latest + 1);
  const target = { hash: record.hash, keysXdr: keysXdr ?? [] };
  const foldedEvidence = await withSecondProcess(async (isLast) => {
    await using engine = startEngine(options.signal, { isRepeated: !isLast });
    const fold = new LedgersFold(engine, { networkPassphrase: record.networkPassphrase });
    return await foldTo(fold, target, ledgers, record, first, options);
  });
  const folded = foldedEvidence ?? alone;
  const previous = folded.ledger.previous ?? (await ledgers.view(sequence - 1));
  const evidence = { ...folded, footprint, nodes, ledger: { ...folded.ledger, previous } };
  const followed = await followChanges(ledgers, [{ evidence, keys }], options);
  const complete = { ...evidence, ...followed };
  checkNodeEntries(complete, keys);
  return { evidence: complete, failures: nodes.failures };
}

/**
 * Asks nodes and later ledgers about everything that folded ledgers leave open. `beginning` is the
 * evidence of each transaction of one ledger, at the ledger's beginning.
 */
export async function askAboutLedger(
  { ledgers, nodes }: Gathering,
  beginning: readonly Evidence[],
  options: GatherOptions,
): Promise<Pick<Evidence, "nodes" | "traced" | "later">> {
  const subjects = beginning.map((evidence) => {
    const keys = [...evidence.footprint, ...settingsOf(evidence)];
    return { evidence: { ...evidence, nodes }, keys };
  });
  const open = subjects.flatMap(({ evidence, keys }) =>
    keys.filter((key) => isOpen(evidence, key)),
  );
  const isSetting = ({ type }: FootprintKey) => type === ENTRY_TYPE.configSetting;
  const footprint = open.filter((key) => !isSetting(key));
  await askAtOnce(nodes, footprint, open.filter(isSetting), options);
  return { nodes, ...(await followChanges(ledgers, subjects, options)) };
}

/**
 * There are two questions, because a node answers for one ledger each time. The window is asked for
 * together with the settings.
 */
async function askAtOnce(
  nodes: AskedNodes,
  footprint: readonly FootprintKey[],
  settings: readonly FootprintKey[],
  options: GatherOptions,
): Promise<void> {
  const keysOf = (keys: readonly FootprintKey[]) => keys.map(({ keyXdr }) => keyXdr);
  await Promise.all([
    nodes.ask(keysOf(footprint), options),
    nodes.ask(settings.length === 0 ? [] : withWindow(keysOf(settings)), options),
  ]);
}

function withWindow(settingKeysXdr: readonly string[]): readonly string[] {
  return [...settingKeysXdr, STATE_SIZE_WINDOW_KEY];
}

/** The keys of the settings that nodes are asked for where no ledger shows one of them. */
export function askedSettingKeys(protocolVersion: number): readonly string[] {
  return withWindow(decidingSettingKeys(protocolVersion));
}

function isOpen(evidence: Evidence, key: FootprintKey): boolean {
  const decided = decideEntry(evidence, key);
  if (!isSure(decided)) return true;
  const live = decided.entryXdr !== null && !decided.archived;
  return live && key.ttlKeyXdr !== null && exactTtl(evidence, key) === null;
}

function settingsOf({ ledger }: Evidence): FootprintKey[] {
  return decidingSettingKeys(ledger.protocolVersion).map(settingKey);
}

/** The latest ledger that nodes know; 0 if none was asked. */
function latestOf(nodes: NodeStates, keys: readonly FootprintKey[]): number {
  return Math.max(0, ...keys.map(({ keyXdr }) => nodes.find(keyXdr)?.latestLedger ?? 0));
}

/**
 * Traces the changes since then, and reads ledgers after the transaction's as far as that helps:
 * always the next one, the nearest few if the node's ledger is among them, and more only if reading
 * that far can decide something. Ledger files are read to their end.
 */
async function followChanges(
  ledgers: LedgerViews,
  subjects: readonly GatherSubject[],
  { progress }: GatherOptions,
): Promise<Pick<Evidence, "traced" | "later">> {
  const [firstSubject] = subjects;
  if (firstSubject === undefined) return { traced: new Map(), later: NO_MENTIONS };
  const first = firstSubject.evidence.transaction.ledgerSequence;
  const traced = new Map<string, Traced>();
  const wantedKeys = new Set<string>();
  let goal = first;
  for (const subject of subjects) {
    await traceChanged(ledgers, subject.evidence, subject.keys, traced);
    goal = Math.max(goal, readingGoal(subject, traced, wantedKeys, first + ledgers.maximumLedgers));
  }
  const later = new LaterReading(firstSubject.evidence.later, wantedKeys, first);
  const { own } = firstSubject.evidence.ledger;
  const takeNext = (view: LedgerCloseMetaView) => {
    const { sequence } = view.facts;
    if (sequence === later.readTo + 1) later.take(sequence, new Map(firstChangesIn(view)));
  };
  if (own !== null && !later.isDone) takeNext(own);
  for await (const view of ledgers.local(first, Number.MAX_SAFE_INTEGER)) {
    if (later.isDone) break;
    takeNext(view);
  }
  if (later.isDone || goal <= later.readTo) return { traced, later };
  for await (const { sequence, changes } of ledgers.changes(later.readTo + 1, goal)) {
    later.take(sequence, changes);
    if (later.isDone) break;
    progress(`reading ledger ${sequence} of ${first} to ${goal}`);
  }
  return { traced, later };
}

/**
 * Adds the keys whose first change is wanted, and returns the last ledger that can decide one of
 * them.
 */
function readingGoal(
  { evidence, keys }: GatherSubject,
  traced: ReadonlyMap<string, Traced>,
  wantedKeys: Set<string>,
  limit: number,
): number {
  const { own, transaction, nodes, operationResult } = evidence;
  const first = transaction.ledgerSequence;
  const latest = Math.max(first, latestOf(nodes, evidence.footprint));
  const ranOut = endedWith(operationResult, ...NEEDS_TTLS);
  const goals = [first, latest < first + NEARBY_LEDGERS ? latest : first];
  for (const key of keys) {
    if (key.ttlKeyXdr !== null && exactTtl(evidence, key) === null) {
      wantedKeys.add(key.ttlKeyXdr);
      if (ranOut || own.touches(key)) goals.push(latest);
    }
    if (isSure(decideEntry({ ...evidence, traced }, key))) continue;
    wantedKeys.add(key.keyXdr);
    const trace = traced.get(key.keyXdr);
    const now = nodes.find(key.keyXdr)?.latestLedger ?? first;
    goals.push(trace !== undefined && trace.kind !== "entry" ? trace.ledger : now);
  }
  return Math.max(...goals.filter((each) => each < limit));
}

/** The evidence in the record alone, without any other ledger or node. */
function readRecord({ record, envelope, chain }: OpenedRecord): Evidence {
  const { soroban } = envelope;
  const { result } = chain;
  const meta =
    record.resultMetaXdr === null
      ? null
      : sliceMetaChanges(Uint8Array.fromBase64(record.resultMetaXdr));
  const transaction = {
    ledgerSequence: record.ledger.sequence,
    operation: soroban?.operation ?? "invoke_host_function",
    succeeded: result.success,
    changesBefore: meta === null ? [] : keyChanges(meta.changesBefore),
    operationChanges: meta === null ? null : meta.operationChanges.flatMap(keyChanges),
  } as const;
  const operationResult = result.operationResults[0] ?? null;
  const marked = (soroban?.archivedEntryIndexes ?? []).map(
    (index) => soroban?.footprint.readWrite[index] ?? "",
  );
  return {
    transaction,
    footprint: soroban === null ? [] : footprintKeys(soroban.footprint),
    operationResult,
    archivedKeyXdr: archivedByDiagnostics(operationResult, () => chain.reports),
    markedArchived: new Set(marked),
    own: readOwnChanges(transaction),
    ledger: {
      protocolVersion: record.ledger.protocolVersion,
      previous: null,
      own: null,
    },
    folded: null,
    later: NO_MENTIONS,
    nodes: new AskedNodes([]),
    traced: new Map(),
  };
}

/**
 * Folds ledgers up to the transaction: all that a file has, those that a node behind the
 * transaction has not seen, and at least the transaction's own. Null if no source has its own.
 */
async function foldTo(
  fold: LedgersFold,
  target: Target,
  ledgers: LedgerViews,
  { ledger: { sequence } }: ChainRecord,
  first: number,
  { progress }: GatherOptions,
): Promise<Evidence | null> {
  let next = first;
  for await (const view of ledgers.local(0, sequence)) {
    next = view.facts.sequence + 1;
    progress(`folding ledger ${view.facts.sequence}`);
    const evidence = await foldOne(fold, view, target);
    if (evidence !== null) return evidence;
  }
  const start = first - next > NEARBY_LEDGERS ? first : next;
  for await (const view of ledgers.run(start, sequence - 1)) await foldOne(fold, view, target);
  const own = await ledgers.view(sequence);
  return own === null ? null : foldOne(fold, own, target);
}

/** A transaction whose evidence is wanted, and additional keys. */
interface Target {
  readonly hash: string;
  readonly keysXdr: readonly string[];
}

/** The transaction's evidence; null if the ledger does not contain the transaction. */
async function foldOne(
  fold: LedgersFold,
  view: LedgerCloseMetaView,
  { hash, keysXdr }: Target,
): Promise<Evidence | null> {
  const ledger = { ledgerCloseMeta: view.bytes, view };
  const subject = view.transactions.find((transaction) => transaction.hash === hash);
  if (subject === undefined) {
    await fold.foldOnly(ledger);
    return null;
  }
  const choice = { run: false, want: [subject.order], keys: keysXdr };
  const { open } = await fold.fold(ledger, "", choice);
  return open[0]?.evidence ?? null;
}
