// The walk: hash → Recording → Snapshot → Execution → Verdict → Explanation. Only this folder knows
// the order; every stage is a function of the values before it.

import type { Labels } from "../base/labels.ts";
import { plainStep } from "../base/step.ts";
import { explain } from "../explain/explain.ts";
import type { Investigation } from "../model/investigation.ts";
import type { Overrides } from "../model/overrides.ts";
import { buildRequest } from "../simulator/build-request.ts";
import { readEnvelope } from "../xdr/envelope.ts";
import { feeTakenBeforeRefund } from "../xdr/fees.ts";
import { refundIsPaid } from "../xdr/refund.ts";
import {
  type CaptureDependencies,
  type Captured,
  captureTransaction,
} from "./capture-transaction.ts";
import { findInterference } from "./find-interference.ts";
import { locateFailure } from "./locate-failure.ts";
import { mendTransaction, nothingRan, remedyBeside } from "./mend-transaction.ts";
import { type Engines, replay } from "./replay.ts";
import { tellFunctions } from "./tell-functions.ts";
import { traceFailure } from "./trace-failure.ts";
import { nothingToOverride, whatIf } from "./what-if.ts";

export type DebugDependencies = CaptureDependencies & Engines;

export interface DebugOptions {
  readonly signal: AbortSignal;
  /** Record what each stack spent. */
  readonly profile?: boolean;
  /** Run it again with something different, too. */
  readonly overrides?: Overrides | null;
  /** Record what each call asked of the host. */
  readonly hostCalls?: boolean;
  /** What the user calls addresses. */
  readonly labels?: Labels;
  /** Find where in its contract's code it failed; `wasm`: a build of that code, with its names. */
  readonly locate?: { readonly wasm: Uint8Array | null } | null;
}

/** Throws what the sources and the simulator throw; a failing transaction is a value. */
export async function debugTransaction(
  dependencies: DebugDependencies,
  hash: string,
  options: DebugOptions,
): Promise<Investigation> {
  const captured = await captureTransaction(dependencies, hash, options);
  return replayCaptured(dependencies, captured, options);
}

/** The half of the walk that needs no network; with sources, a mend may ask for more state. */
export async function replayCaptured(
  dependencies: Engines & Pick<CaptureDependencies, "progress"> & Partial<CaptureDependencies>,
  { recording, snapshot }: Captured,
  options: DebugOptions,
): Promise<Investigation> {
  const { step = plainStep } = dependencies;
  const { overrides = null } = options;
  if (snapshot === null) {
    if (overrides !== null) throw nothingToOverride();
    const { soroban } = readEnvelope(recording.envelopeXdr, recording.networkPassphrase);
    const explanation = await step("explanation", () =>
      explain(recording, null, null, null, options),
    );
    return {
      recording,
      snapshot,
      execution: null,
      verdict: null,
      classic: soroban === null,
      explanation,
      mend: explanation.success ? null : nothingRan(soroban === null),
    };
  }
  dependencies.progress(`replaying with the host of protocol ${recording.ledger.protocolVersion}`);
  const feeTakenStroops = feeTakenBeforeRefund(recording);
  const request = buildRequest(recording, snapshot, {
    trace: options.hostCalls === true ? "host_calls" : true,
    profile: options.profile === true,
    diagnostics: true,
    feeTakenStroops,
    refundIsPaid: refundIsPaid(recording),
  });
  const ran = await replay(dependencies, recording, snapshot, request, options);
  const { verdict } = ran;
  const located = await locateFailure(dependencies, request, ran.execution, options);
  const execution = await tellFunctions(dependencies, request, located, options);
  const first = await step("explanation", () =>
    explain(recording, snapshot, execution, verdict, options),
  );
  const replayed = { recording, snapshot, execution, verdict };
  const explanation = await traceFailure(dependencies, replayed, first, request, options);
  const { cause } = explanation;
  const mend =
    cause === null ? null : await mendTransaction(dependencies, { ...replayed, cause }, options);
  const other =
    cause === null
      ? null
      : await findInterference({ sources: [], ...dependencies }, replayed, options);
  const found = {
    ...replayed,
    classic: false,
    explanation: { ...explanation, remedy: remedyBeside(explanation, mend) },
    mend,
    ...(other === null ? {} : { interference: other }),
  };
  if (overrides === null) return found;
  return { ...found, whatIf: await whatIf(dependencies, replayed, overrides, options) };
}
