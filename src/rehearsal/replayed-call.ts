// A replayed transaction that is rehearsed, and what is kept of it until all run in order: its
// inputs, and what its run is compared with. Calls of one contract have the same code and settings,
// so long texts are kept once.

import type { Judged } from "../debugger/run/proof-context.ts";
import type { FixContext } from "../fix/fix-context.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import type { NotJudgedReason } from "./call-difference.ts";
import type { ReplacedCode } from "./compare-runs.ts";
import type { CallFiles, ReachedFunction } from "./rehearsal.ts";

/** A transaction that was replayed. `replayed` is null if its replay is not the chain's. */
export interface ReplayedCall {
  readonly record: ChainRecord;
  readonly envelope: Envelope;
  readonly replayed: Judged | null;
  /** The reason why it is not judged, if it is not. */
  readonly reason: NotJudgedReason | null;
  readonly findEntries: FixContext["findEntries"];
  readonly files: CallFiles | null;
}

/** A call that is judged. */
export interface JudgedCall extends Omit<ReplayedCall, "reason" | "replayed"> {
  readonly replayed: Omit<Judged, "request">;
  readonly reached: readonly ReachedFunction[];
  readonly replaced: readonly ReplacedCode[];
}

/** Shorter texts differ from call to call. */
const LONG_TEXT = 1024;

/** The parts of a call that its turn in a sequence needs. */
export function slimCall(call: JudgedCall): JudgedCall {
  const { execution, verdict, snapshot } = call.replayed;
  // The tree, the costs and the profile are large, and nothing compares them.
  const slim = { ...execution, callTree: null, costs: [], profile: null };
  return { ...call, replayed: { execution: slim, verdict, snapshot } };
}

/** A call that waits until all are known. `texts` has the long texts of all calls. */
export function keptForSequence(call: JudgedCall, texts: Map<string, string>): JudgedCall {
  const { replayed, ...rest } = slimCall(call);
  return { ...rest, replayed: { ...replayed, snapshot: shared(replayed.snapshot, texts) } };
}

function shared(snapshot: Snapshot, texts: Map<string, string>): Snapshot {
  const share = <Entry extends { readonly entryXdr: string | null }>(entry: Entry): Entry => ({
    ...entry,
    entryXdr: entry.entryXdr && once(entry.entryXdr, texts),
  });
  return {
    ...snapshot,
    entries: snapshot.entries.map(share),
    settings: snapshot.settings.map((each) => ({ ...each, entryXdr: once(each.entryXdr, texts) })),
  };
}

function once(text: string, texts: Map<string, string>): string {
  if (text.length < LONG_TEXT) return text;
  const known = texts.get(text) ?? text;
  texts.set(text, known);
  return known;
}
