// The walk to a recording: capture, replay, judge, and the same run recorded for stepping. The
// verdict is that of the replay. The recording counts only if it is the same run.

import { SvcError } from "../../base/errors/errors.ts";
import { phrase, svc, type Wording } from "../../base/phrase.ts";
import { explain } from "../../explain/explain.ts";
import { nameAuthorization } from "../../explain/naming/authorizations.ts";
import { decidingValue } from "../../explain/naming/deciding-value.ts";
import type { NamedAuthorization } from "../../model/authorizations.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import { provenSentence, unconfirmedSentence } from "../../model/confirmation.ts";
import type { DecidedBy, Explanation } from "../../model/explanation.ts";
import { networkOfRecord } from "../../model/networks.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { ExecutionTrace } from "../../model/travel.ts";
import { isRunOfChain, isStateSure, type Verdict } from "../../model/verdict.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { withSecondProcess } from "../../simulator/simulator-program.ts";
import type { TravelSimulator } from "../../simulator/travel-simulator.ts";
import type { Recording } from "../../time-travel/recording.ts";
import { wasmByHash } from "../../xdr/contract/contract-specs.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import { withCreated } from "../../xdr/envelope/created-contracts.ts";
import { openRecord } from "../../xdr/envelope/opened-record.ts";
import { type Engines, replay } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import type { Captured } from "../walk/capture-transaction.ts";
import { findWhy } from "../walk/further-runs.ts";
import { sourceClaims } from "./source-claims.ts";

/** Finds builds with debug information of these codes, by hash, with remarks about them. */
export type Builds = (codes: ReadonlyMap<string, Uint8Array>) => Promise<{
  readonly wasm: readonly Uint8Array[];
  readonly remarks: readonly string[];
}>;

interface RecordOptions {
  readonly signal: AbortSignal;
  readonly builds: Builds;
  /**
   * Starts a simulator that keeps one transaction. `isRepeated` is true if another one does its
   * work when it dies. Throws SIMULATOR_DIED.
   */
  readonly openTravel: (choice: { readonly isRepeated: boolean }) => TravelSimulator;
}

/** Throws USAGE if no contract ran, WASM_DIFFERS, and the errors of the simulator. */
export async function recordTransaction(
  engines: Engines,
  captured: Captured,
  { signal, builds, openTravel }: RecordOptions,
): Promise<Recording> {
  const { record, envelope, chain, snapshot: taken } = captured;
  if (taken === null) throw nothingToStep("Nothing of this transaction ran in the contract host.");
  const request = replayRequest(record, taken, {
    trace: true,
    diagnostics: true,
    feeTakenStroops: chain.feeTakenStroops,
    refundIsPaid: chain.refundIsPaid,
  });
  const caveats: string[] = [];
  const ran = await replay(engines, captured, taken, request, { signal, caveats });
  const { verdict, snapshot, execution } = ran;
  const entriesXdr = snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
  const codes = wasmByHash(entriesXdr);
  const { wasm, remarks } = await builds(codes);
  const { simulator, trace } = await traced(openTravel, (each) =>
    each.trace(ran.request, wasm, { signal }),
  );
  try {
    if (trace === null || trace.frames.length === 0)
      throw nothingToStep(
        trace === null && execution.callTree !== null
          ? "The recorded run differs from the replay."
          : "No contract code of this transaction ran in the contract host.",
      );
    const replayed = { record, envelope, chain, snapshot, execution, verdict };
    const explanation = explain(replayed, execution, verdict);
    const lookup = withCreated(lookupIn(snapshot.entries), envelope, execution.callTree);
    const named = envelope.authorizations.map((facts) => nameAuthorization(facts, lookup));
    let decided: Promise<DecidedBy | null> | null = null;
    const why = async () => {
      const options = { signal, caveats: [] };
      const reason = isRunOfChain(verdict)
        ? await findWhy(engines, new RunSet(engines, ran.request), replayed, options)
        : null;
      return reason && decidingValue(reason.why, lookup, reason.proof, isStateSure(verdict));
    };
    return {
      hash: record.hash,
      network: networkOfRecord(record),
      verdict: verdict.kind,
      remarks: [
        ...replayRemarks(replayed, explanation),
        ...caveats,
        ...notStepped(trace),
        ...sourceClaims(trace, codes),
        ...remarks,
      ],
      cause: explanation.cause?.summary ?? null,
      why: () => {
        decided ??= why();
        return decided;
      },
      ledger: record.ledger,
      trace,
      execution,
      entries: snapshot.entries,
      lookup,
      declaredInstructions: BigInt(envelope.soroban?.instructions ?? 0),
      authorizations: named.map(authorizationText),
      travel: (kind, query) => simulator.travel(kind, query),
      [Symbol.asyncDispose]: () => simulator[Symbol.asyncDispose](),
    };
  } catch (error) {
    await simulator[Symbol.asyncDispose]();
    throw error;
  }
}

/** Sentences about the outcome, and about how sure the replay is. */
function replayRemarks(
  replayed: {
    readonly record: ChainRecord;
    readonly snapshot: Snapshot;
    readonly verdict: Verdict;
  },
  { headline, cause, remedy }: Explanation,
): Wording[] {
  const state = [unconfirmedSentence, provenSentence].map((sentenceOf) => sentenceOf(replayed));
  return [
    headline,
    ...(cause === null ? [] : [`Cause: ${cause.summary}`]),
    ...(remedy === null ? [] : [phrase`Remedy: ${remedy}`]),
    ...replayed.verdict.caveats.map(({ detail }) => detail),
    ...state.filter((sentence) => sentence !== null),
  ];
}

function authorizationText({ signer, invocation }: NamedAuthorization): string {
  return (
    `${signer ?? "the source account"}: ${invocation.contract ?? "new contract"}` +
    `.${invocation.function ?? "create"}(${invocation.arguments.join(", ")})`
  );
}

/** The process that has the trace. If it dies, a second one traces again. */
function traced(
  openTravel: RecordOptions["openTravel"],
  trace: (simulator: TravelSimulator) => ReturnType<TravelSimulator["trace"]>,
) {
  return withSecondProcess(async (isLast) => {
    const simulator = openTravel({ isRepeated: !isLast });
    try {
      return { simulator, ...(await trace(simulator)) };
    } catch (error) {
      await simulator[Symbol.asyncDispose]();
      throw error;
    }
  });
}

/** The capture of an investigation, to record it without asking a source again. */
export function capturedOf(record: ChainRecord, snapshot: Snapshot | null): Captured {
  return { ...openRecord(record), snapshot };
}

function notStepped({ frames }: ExecutionTrace): string[] {
  return frames.flatMap(({ function: called, notStepped: reason }) =>
    reason === null ? [] : [`${called} is shown by its host calls only: ${reason}.`],
  );
}

function nothingToStep(message: string): SvcError {
  return new SvcError("USAGE", {
    message,
    remedy: phrase`Use ${svc("debug")} to see what happened to it.`,
  });
}
