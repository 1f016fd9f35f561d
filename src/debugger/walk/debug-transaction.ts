// The walk: hash → Recording → Snapshot → Execution → Verdict → Explanation. Only this folder knows
// the order; every stage is a function of the values before it.

import type { Labels } from "../../base/settings/labels.ts";
import { plainStep } from "../../base/step.ts";
import { explain } from "../../explain/explain.ts";
import type { Investigation } from "../../model/investigation.ts";
import type { Overrides } from "../../model/overrides.ts";
import { replayRequest } from "../../simulator/requests.ts";
import { readEnvelope } from "../../xdr/envelope/envelope.ts";
import { feeTakenBeforeRefund } from "../../xdr/outcome/fees.ts";
import { refundIsPaid } from "../../xdr/outcome/refund.ts";
import { fixTransaction, nothingRan, remedyBeside } from "../fix/fix-transaction.ts";
import { type Engines, replay } from "../run/replay.ts";
import { nothingToOverride, whatIf } from "../what-if/what-if.ts";
import {
  type CaptureDependencies,
  type Captured,
  captureTransaction,
} from "./capture-transaction.ts";
import { findConflict } from "./find-conflict.ts";
import { locateFailure } from "./locate-failure.ts";
import { profileFunctions } from "./profile-functions.ts";
import { traceFailure } from "./trace-failure.ts";

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
  { record, snapshot }: Captured,
  options: DebugOptions,
): Promise<Investigation> {
  const { step = plainStep } = dependencies;
  const { overrides = null } = options;
  if (snapshot === null) {
    if (overrides !== null) throw nothingToOverride();
    const { soroban } = readEnvelope(record.envelopeXdr, record.networkPassphrase);
    const explanation = await step("explanation", () => explain(record, null, null, null, options));
    return {
      record,
      snapshot,
      execution: null,
      verdict: null,
      classic: soroban === null,
      explanation,
      fix: explanation.success ? null : nothingRan(soroban === null),
    };
  }
  dependencies.progress(`replaying with the host of protocol ${record.ledger.protocolVersion}`);
  const feeTakenStroops = feeTakenBeforeRefund(record);
  const request = replayRequest(record, snapshot, {
    trace: options.hostCalls === true ? "host_calls" : true,
    profile: options.profile === true,
    diagnostics: true,
    feeTakenStroops,
    refundIsPaid: refundIsPaid(record),
  });
  const ran = await replay(dependencies, record, snapshot, request, options);
  const { verdict } = ran;
  const located = await locateFailure(dependencies, request, ran.execution, options);
  const execution = await profileFunctions(dependencies, request, located, options);
  const first = await step("explanation", () =>
    explain(record, snapshot, execution, verdict, options),
  );
  const replayed = { record, snapshot, execution, verdict };
  const explanation = await traceFailure(dependencies, replayed, first, request, options);
  const { cause } = explanation;
  const fix =
    cause === null ? null : await fixTransaction(dependencies, { ...replayed, cause }, options);
  const other =
    cause === null ? null : await findConflict({ sources: [], ...dependencies }, replayed, options);
  const found = {
    ...replayed,
    classic: false,
    explanation: { ...explanation, remedy: remedyBeside(explanation, fix) },
    fix,
    ...(other === null ? {} : { conflict: other }),
  };
  if (overrides === null) return found;
  return { ...found, whatIf: await whatIf(dependencies, replayed, overrides, options) };
}
