// A replay may differ from the chain because a node's answer is false. Before svc reports a
// difference, it repeats the walk with the answers of each node alone, until one leads to the
// chain. Invariants: no replay differs, in the ledger or in its diagnostics, while one of the
// configured nodes answers truthfully for all that the replay needs, whatever its place among the
// others. svc does not ask a resting node for diagnostics alone. The repetitions are bounded, and
// the time limit of the run holds for all of them together.

import { SvcError } from "../../base/errors/errors.ts";
import { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import { isRunOfChain } from "../../model/verdict.ts";
import { awakeInOrder } from "../../sources/ask-in-turn.ts";
import type { Source } from "../../sources/source.ts";
import { keyOfEntry } from "../../xdr/reader/keys.ts";
import type { CaptureDependencies, Witnesses } from "./capture-transaction.ts";

export interface Walked {
  readonly investigation: Investigation;
  readonly witnesses: Witnesses;
}

export type Walk = (dependencies: CaptureDependencies) => Promise<Walked>;

/** Each repetition asks about a dozen questions. */
const MOST_REPETITIONS = 12;

/** The replay of `walked` differs. Throws the reason of the signal, and defects of svc. */
export async function askOtherNodes(
  dependencies: CaptureDependencies,
  { investigation, witnesses }: Walked,
  walk: Walk,
  { signal }: { readonly signal: AbortSignal },
): Promise<Investigation> {
  const { sources, networkPassphrase, progress } = dependencies;
  let repetitions = 0;
  const repeat = async (kept: readonly Source[]): Promise<Investigation | null> => {
    signal.throwIfAborted();
    if (repetitions === MOST_REPETITIONS) return null;
    repetitions += 1;
    const ledgers = new LedgerReader({ sources: kept, networkPassphrase });
    try {
      return (await walk({ ...dependencies, sources: kept, ledgers })).investigation;
    } catch (error) {
      if (signal.aborted || !(error instanceof SvcError)) throw error;
      return null;
    }
  };
  let contradicted: Investigation | null = null;
  const heard = new Set([...witnesses.values()].flat());
  const isDiverged = investigation.verdict?.kind === "diverged";
  const candidates = isDiverged ? sources : awakeInOrder(sources);
  for (const { nodes, alone, withHistory } of choicesOf(candidates, heard)) {
    progress(`the replay differs from the chain: asking ${namesOf(nodes)} alone`);
    const again = (await repeat(alone)) ?? (withHistory && (await repeat(withHistory)));
    if (again === null || again.verdict === null) continue;
    const different = differentKeys(investigation.snapshot, again.snapshot);
    const liars = new Set(different.flatMap((keyXdr) => witnesses.get(keyXdr) ?? []));
    const explained = { ...again, caveats: [...again.caveats, caveatOf([...liars], nodes)] };
    if (isRunOfChain(again.verdict)) return explained;
    // Two nodes contradict each other, and the replay differs only with the state of one of them.
    if (again.verdict.kind === "inconclusive" && liars.size > 0) contradicted ??= explained;
  }
  return isDiverged ? (contradicted ?? investigation) : investigation;
}

/** Nodes that are asked alone of their kinds. */
interface Choice {
  readonly nodes: readonly Source[];
  readonly alone: readonly Source[];
  /**
   * All sources, of which only these nodes are asked for state: they may lack the transaction. Null
   * if it adds nothing.
   */
  readonly withHistory: readonly Source[] | null;
}

/** Nodes that have state come first, and among them those that were not asked yet. */
function choicesOf(sources: readonly Source[], heard: ReadonlySet<Source>): Choice[] {
  const remote = sources.filter(({ local }) => !local);
  const hasState = (source: Source) => source.fetchLedgerEntries !== undefined;
  const ofState = remote
    .filter(hasState)
    .sort((left, right) => Number(heard.has(left)) - Number(heard.has(right)));
  const ofHistory = remote.filter(
    (source) => !hasState(source) && source.fetchTransaction !== undefined,
  );
  const keep = (node: Source, kind: readonly Source[], among: readonly Source[]) =>
    among.filter((source) => source === node || !kind.includes(source));
  const choices: Choice[] = [];
  for (const node of ofState.length > 1 ? ofState : [])
    choices.push({
      nodes: [node],
      alone: keep(node, ofState, sources),
      withHistory: sources.map((source) =>
        source === node || !ofState.includes(source) ? source : withoutState(source),
      ),
    });
  const withState: readonly Choice[] =
    choices.length > 0 ? [...choices] : [{ nodes: [], alone: sources, withHistory: null }];
  for (const node of ofHistory.length > 1 ? ofHistory : [])
    for (const { nodes, alone } of withState)
      choices.push({
        nodes: [...nodes, node],
        alone: keep(node, ofHistory, alone),
        withHistory: null,
      });
  return choices;
}

function withoutState({ fetchLedgerEntries: _, ...source }: Source): Source {
  return source;
}

/** LedgerKeys of the entries and settings that have another value in the other snapshot. */
function differentKeys(left: Snapshot | null, right: Snapshot | null): string[] {
  const values = valuesIn(left);
  return [...valuesIn(right)].flatMap(([keyXdr, entryXdr]) =>
    values.has(keyXdr) && values.get(keyXdr) !== entryXdr ? [keyXdr] : [],
  );
}

function valuesIn(snapshot: Snapshot | null): Map<string, string | null> {
  const { entries = [], settings = [] } = snapshot ?? {};
  return new Map([
    ...entries.map(({ keyXdr, entryXdr }) => [keyXdr, entryXdr] as const),
    ...settings.map(({ entryXdr }) => [keyOfEntry(entryXdr), entryXdr] as const),
  ]);
}

function namesOf(nodes: readonly Source[]): string {
  return nodes.map(({ name }) => name).join(" and ");
}

function caveatOf(liars: readonly Source[], nodes: readonly Source[]): string {
  const differs = "with which the replay differs from the chain.";
  return liars.length > 0
    ? `${namesOf(liars)} showed another state, ${differs}`
    : `Another node than ${namesOf(nodes)} gave an answer, ${differs}`;
}
