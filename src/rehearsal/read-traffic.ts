// Where the calls of a rehearsal come from: captured transactions, ledger files, ledgers of nodes,
// or a history archive. Each call is replayed first, and rehearsed if the
// replay is the chain's.

import { entriesFinder } from "../debugger/run/find-entries.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import type { Engines } from "../debugger/run/replay.ts";
import type { Nodes } from "../debugger/setup/open-engines.ts";
import type { Captured } from "../debugger/walk/capture-transaction.ts";
import type { FixContext } from "../fix/fix-context.ts";
import type { OpenedArchive } from "../history-archive/opened-archive.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { isKnown } from "../model/state/entry-state.ts";
import { Tally } from "../model/verification/tally.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { Observe, ObservedStreams } from "../verify/observation.ts";
import type { PlannedStream } from "../verify/plan-streams.ts";
import { judgeTransaction, type ReplayedTransaction } from "../verify/replay-transaction.ts";
import { type ArchivedReplay, verifyArchive } from "../verify/verify-archive.ts";
import { type Range, tallyStreams, verifyRange } from "../verify/verify-ledgers.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import { openRecord } from "../xdr/envelope/opened-record.ts";
import type { NotJudgedReason } from "./call-difference.ts";
import { AT_ONCE, type Turn } from "./reading-order.ts";
import type { CallFiles } from "./rehearsal.ts";
import { invokedBy, namedCall, type Rehearser } from "./rehearse-traffic.ts";

export interface Rehearsing {
  readonly engines: Engines;
  readonly rehearser: Rehearser;
  readonly program: SimulatorProgram;
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly progress: () => void;
  /** The number of ledgers before a range that are folded, and have no calls (default: 0). */
  readonly warmUpLedgers?: number;
  /** True if the calls are read in their order, and none from elsewhere (default: false). */
  readonly readsInOrder?: boolean;
  /** The hashes of transactions that were judged before, from elsewhere (default: none). */
  readonly taken?: ReadonlySet<string>;
}

/**
 * Rehearses a captured transaction. `nodes` are asked for entries that only the new code reads.
 * `turn` is that of a transaction beside which others are rehearsed, and `capsule` its file.
 */
export async function rehearseCaptured(
  { engines, rehearser, signal, progress }: Rehearsing,
  { record, envelope, snapshot }: Captured,
  nodes: Nodes | null,
  { turn = AT_ONCE, capsule }: { readonly turn?: Turn; readonly capsule?: string } = {},
): Promise<void> {
  const { hash } = record;
  if (snapshot === null || !rehearser.concerns(envelope)) {
    rehearser.leaveOut(hash, snapshot === null ? { kind: "nothing-ran" } : OTHER);
    return turn.end();
  }
  const options = { source: "", execution: "trace", signal } as const;
  const judged = await judgeTransaction(engines, { record, snapshot }, options);
  const findEntries = finderOf(record, judged.replayed, nodes, signal);
  const reason = reasonOf(judged.replayed, judged.notExact?.cause ?? null);
  const files = capsule === undefined ? null : ({ kind: "capsule", file: capsule } as const);
  const call = { record, envelope, replayed: judged.replayed, reason, findEntries, files };
  await rehearser.rehearse(call, { signal }, turn);
  progress();
}

const OTHER: NotJudgedReason = { kind: "other-contract" };

/** Opens the record only when entries are asked for, because most calls need none. */
function finderOf(
  record: ChainRecord,
  replayed: Judged | null,
  nodes: Nodes | null,
  signal: AbortSignal,
): FixContext["findEntries"] {
  if (replayed === null) return nothingKnown("nothing was replayed");
  const { snapshot } = replayed;
  return (keysXdr) => {
    const replayable = { ...openRecord(record), snapshot };
    const options = { signal, progress: () => {} };
    return entriesFinder(nodes ?? {}, replayable, options)(keysXdr);
  };
}

function nothingKnown(reason: string): FixContext["findEntries"] {
  return async (keysXdr) => ({
    entries: [],
    unknown: keysXdr.map((keyXdr) => ({ keyXdr, reason })),
  });
}

/** Null if the replay is the chain's. */
function reasonOf(replayed: Judged | null, cause: string | null): NotJudgedReason | null {
  if (replayed === null) return { kind: "not-replayed", cause };
  const { kind } = replayed.verdict;
  return kind === "exact" || kind === "equivalent" ? null : { kind: "verdict", verdict: kind };
}

/** Replays once more if somebody else ended svc-sim, as a system without memory does. */
async function judgedAgain(
  engines: Engines,
  captured: ReplayedTransaction & Pick<Captured, "record"> & { readonly snapshot: Snapshot },
  signal: AbortSignal,
): Promise<ReplayedTransaction> {
  if (captured.notExact?.cause !== "SIMULATOR_DIED") return captured;
  return judgeTransaction(engines, captured, { source: "", execution: "trace", signal });
}

interface Observed {
  readonly nodes: Nodes | null;
  /** The hashes of the transactions that are observed; null for all. */
  readonly only: ReadonlySet<string> | null;
  /** The files with a transaction that was read from that one, or from a node. */
  readonly filesOf: (source: string) => CallFiles | null;
}

/** Observes the transactions of ledgers that call the contracts. */
function observer(rehearsing: Rehearsing, observed: Observed): ObservedStreams<never> {
  const { rehearser, progress, taken } = rehearsing;
  return {
    transactions: rehearser.transactions(observed.only),
    observe: observe(rehearsing, observed),
    see({ hash, ledger, order, source, invoked, entries, ...ran }) {
      if (taken?.has(hash)) return;
      const place = { hash, ledger, applicationOrder: order };
      const call = { ...place, ...invokedBy(invoked), files: observed.filesOf(source) };
      rehearser.takeCompared(call, entries, ran);
      progress();
    },
  };
}

/** Observes the transactions that the ledger engine does not finish by itself. */
function observe(
  { engines, rehearser, signal, progress, readsInOrder = false, taken }: Rehearsing,
  { nodes, only, filesOf }: Observed,
): Observe<never> {
  /** A ledger is observed again if the engine's process died, and its calls keep their turns. */
  const turns = new Map<string, Turn>();
  return ({ record, ran, source }) => {
    if (taken?.has(record.hash) || (only !== null && !only.has(record.hash))) return null;
    const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
    if (!ran || envelope.soroban === null || !rehearser.concerns(envelope)) return null;
    if (readsInOrder) rehearser.announce(record.hash);
    const turn = turns.get(record.hash) ?? rehearser.nextTurn();
    if (turn !== AT_ONCE) turns.set(record.hash, turn);
    const files = filesOf(source);
    return {
      traced: true,
      again: {
        codeFor: (captured) => rehearser.codeFor(captured, envelope, { signal }),
        see(captured, ran) {
          const call = namedCall({ record, envelope, files });
          const isTaken = rehearser.takeCompared(call, captured.snapshot.entries, ran);
          if (isTaken) progress();
          return isTaken;
        },
      },
      async see(captured) {
        const judged = captured && (await judgedAgain(engines, captured, signal));
        const replayed = judged?.replayed ?? null;
        const reason = reasonOf(replayed, judged?.notExact?.cause ?? null);
        const findEntries = finderOf(record, replayed, nodes, signal);
        const call = { record, envelope, replayed, reason, findEntries, files };
        await rehearser.rehearse(call, { signal }, turn);
        turns.delete(record.hash);
        progress();
        return null;
      },
    };
  };
}

/** The first ledger of a later protocol is in a list. */
const KEPT = 1;

const UNCOUNTED = {
  keepNotExact: KEPT,
  rehearseProtocol: null,
  workerCommand: null,
};

/** Rehearses the calls in streams of ledger files. */
export async function rehearseStreams(
  rehearsing: Rehearsing,
  streams: readonly PlannedStream[],
): Promise<void> {
  const { program, jobs, progress, signal } = rehearsing;
  const observed = observer(rehearsing, { nodes: null, only: null, filesOf: filesIn(streams) });
  // The streams have the passphrases of their networks.
  const options = { ...UNCOUNTED, program, jobs, progress, networkPassphrase: null, observed };
  const tally = new Tally(KEPT, []);
  await tallyStreams(options, { streams, inputs: [] }, tally, { signal });
  rehearsing.rehearser.noteLater(tally.counts.unknownProtocols);
}

/** The most files of a call, because a command names them all. */
const MOST_NAMED_FILES = 4;

function filesIn(streams: readonly PlannedStream[]): Observed["filesOf"] {
  const all = new Map<string, CallFiles>();
  for (const { files, networkPassphrase } of streams)
    for (const [at, file] of files.entries()) {
      const named = files.slice(Math.max(0, at + 1 - MOST_NAMED_FILES), at + 1);
      all.set(file, { kind: "ledgers", files: named, networkPassphrase });
    }
  return (source) => all.get(source) ?? null;
}

/** Rehearses the calls in a range of ledgers from nodes; `only`: those with these hashes. */
export async function rehearseRange(
  rehearsing: Rehearsing,
  nodes: Nodes,
  range: Range,
  only: ReadonlySet<string> | null = null,
): Promise<void> {
  const { program, jobs, progress, signal, warmUpLedgers = 0 } = rehearsing;
  const { sources, networkPassphrase, ledgers: beside } = nodes;
  const observed = observer(rehearsing, { nodes, only, filesOf: () => null });
  const work = { ...UNCOUNTED, program, jobs, progress, networkPassphrase, sources, observed };
  const options = { ...work, beside, warmUpLedgers };
  const { unknownProtocols } = await verifyRange(options, range, { signal });
  rehearsing.rehearser.noteLater(unknownProtocols);
}

/** Rehearses the calls in a range of a history archive, on state that validators signed. */
export async function rehearseArchive(
  rehearsing: Rehearsing,
  place: { readonly archive: OpenedArchive; readonly networkPassphrase: string },
  range: Range,
): Promise<void> {
  const { rehearser, program, jobs, progress, signal, readsInOrder = false, taken } = rehearsing;
  const size = await place.archive.ask(async ({ chain }) => chain.archive.ledgersPerCheckpoint);
  const observeReplay = async (seen: ArchivedReplay) => {
    const { record, envelope, replayed, gaps, maybeEvicted, entryNow } = seen;
    const { sequence } = record.ledger;
    const isInRange = sequence >= range.first && sequence <= range.last;
    if (!isInRange || taken?.has(record.hash) || !rehearser.concerns(envelope)) return;
    // A period is replayed until its states agree, and then the next one begins.
    const period = sequence - (sequence % size);
    if (readsInOrder) await rehearser.runBefore(period, { signal });
    const isOpen = gaps.length > 0 || maybeEvicted.length > 0;
    const reason: NotJudgedReason | null = isOpen
      ? { kind: "state-unknown" }
      : replayed === null
        ? { kind: "other-result" }
        : null;
    const findEntries = findNow(entryNow);
    const call = { record, envelope, replayed, reason, findEntries, files: null };
    await rehearser.rehearse(call, { signal, period });
    progress();
  };
  const isNeededAgain = (hash: string) => rehearser.isNeededAgain(hash);
  const observing = { observeReplay, isNeededAgain };
  const options = { ...place, program, jobs, progress, keepNotExact: KEPT, ...observing };
  const { unknownProtocols } = await verifyArchive(options, range, { signal });
  rehearser.noteLater(unknownProtocols);
}

/** The entries as the replays of the period have left them. */
function findNow(entryNow: ArchivedReplay["entryNow"]): FixContext["findEntries"] {
  return async (keysXdr) => {
    const states = await Promise.all(
      keysXdr.map(async (keyXdr) => ({ keyXdr, state: await entryNow(keyXdr) })),
    );
    return {
      entries: states.flatMap(({ state }) => (isKnown(state) ? [state] : [])),
      unknown: states.flatMap(({ keyXdr, state }) =>
        isKnown(state) ? [] : [{ keyXdr, reason: state.reason }],
      ),
    };
  };
}
