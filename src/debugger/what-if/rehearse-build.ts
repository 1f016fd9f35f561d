// A replayed call with other code of its contracts. What was only declared for the old code is
// declared anew: the footprint grows, the resources rise to the network's maximum, and required
// authorizations are recorded. So a run that fails does so for what the new code does.

import type { FixContext, FootprintBlock } from "../../fix/fix-context.ts";
import { declaredBy } from "../../fix/fix-context.ts";
import { CAUSES } from "../../model/cause-kinds.ts";
import type { Execution } from "../../model/execution.ts";
import type { Overrides } from "../../model/overrides.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { isNonceKey } from "../../xdr/contract/key-typed.ts";
import { withFee, withResources } from "../../xdr/envelope/patch-envelope.ts";
import {
  MOST_RESOURCE_FEE_STROOPS,
  readTransactionLimits,
} from "../../xdr/ledger/transaction-limits.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { showValue } from "../../xdr/values/value.ts";
import { typeNameOf } from "../../xdr/values/value-parts.ts";
import { recordAuthorizations } from "../fix/record-authorizations.ts";
import type { Engines } from "../run/replay.ts";
import { RunSet } from "../run/run-set.ts";
import { applyVariant, variantRequest } from "../run/run-variant.ts";
import { VariantRuns } from "../run/variant-runs.ts";
import { buildVariant } from "./build-variant.ts";
import { runExpandingFootprint } from "./expand-footprint.ts";
import { explainVariant, type VariantExplanation } from "./explain-variant.ts";
import { type Draft, settingsInDraft } from "./variant-draft.ts";
import type { ReplayedRun, WhatIfDependencies } from "./what-if.ts";

export interface RehearsedBuild {
  readonly execution: Execution;
  /** Made when it is asked for, because most calls need none. */
  readonly explain: () => VariantExplanation;
  /**
   * Explains a failure with the value that decided it, which takes further runs. Null if it is
   * unknown. The state of the call is kept until then.
   */
  readonly decide: () => Promise<VariantExplanation | null>;
  /** What the sender would have to declare anew; empty if the declarations of the old code fit. */
  readonly redeclared: readonly Redeclared[];
  /** The addresses whose signatures the new code needs and the transaction does not have. */
  readonly signers: readonly string[];
  /** Set if the state of an entry is unknown that the new code reads; null otherwise. */
  readonly blocked: FootprintBlock | null;
}

type Executed = Omit<ReplayedRun, "verdict" | "why">;

export type Redeclared = "footprint" | "resources" | "authorizations";

/** Throws OVERRIDE_IMPOSSIBLE, and the errors of the simulator. */
export async function rehearseBuild(
  engines: Engines & Pick<WhatIfDependencies, "findWhy">,
  replayed: Executed,
  build: Overrides,
  findEntries: FixContext["findEntries"],
  options: { readonly signal: AbortSignal },
): Promise<RehearsedBuild> {
  const draft = await buildVariant(engines, replayed, build, options);
  const before = declaredBy(draft).footprint;
  const sentAuthorizations = draft.envelope.authorizationsXdr.join();
  const runs = new VariantRuns(engines, replayed);
  // Only a failure is explained, and needs the calls.
  const run = async () => {
    const plain = await runs.run(draft, options);
    if (plain.outcome.kind === "success") return plain;
    return runs.run(draft, { ...options, trace: true });
  };
  const grow = () =>
    runExpandingFootprint(draft, {
      run,
      findEntries,
      original: replayed.execution,
    });
  let { execution, blocked } = await grow();
  const explain = () => explainVariant(applyVariant(replayed, draft), execution);
  let isRaised = false;
  // A transaction that declared too little for the old code failed for that, and still does.
  const didSucceed = replayed.execution.outcome.kind === "success";
  if (didSucceed && isOverDeclared(execution, explain)) {
    raise(draft);
    ({ execution, blocked } = await grow());
    isRaised = !isOverDeclared(execution, explain);
  }
  const after = declaredBy(draft).footprint;
  const isGrown = JSON.stringify(before) !== JSON.stringify(after);
  const isAllowed = draft.envelope.authorizationsXdr.join() !== sentAuthorizations;
  const signers = await missingSigners(engines, replayed, draft, execution, findEntries, options);
  return {
    execution,
    explain: () => explainVariant(applyVariant(replayed, draft), execution),
    async decide() {
      const { findWhy } = engines;
      const ran = applyVariant(replayed, draft);
      const ranAgain = new RunSet(engines, variantRequest(replayed, draft));
      const why = await findWhy?.(ranAgain, { ...ran, execution }, { ...options, caveats: [] });
      return why ? explainVariant(ran, execution, why) : null;
    },
    redeclared: [
      ...(isGrown ? (["footprint"] as const) : []),
      ...(isRaised ? (["resources"] as const) : []),
      ...(isAllowed || signers.length > 0 ? (["authorizations"] as const) : []),
    ],
    signers,
    blocked,
  };
}

/** Says whether it failed for what it declared: a resource, or the fee for rent and events. */
function isOverDeclared(execution: Execution, explain: () => VariantExplanation): boolean {
  if (execution.outcome.kind !== "failed") return false;
  const { cause } = explain();
  if (cause === null) return false;
  return cause.kind === "insufficient-refundable-fee" || CAUSES[cause.kind].limit === "declared";
}

/** Declares the network's maximum of everything. */
function raise(draft: Draft): void {
  const { feeBidStroops } = draft.envelope;
  const settings = settingsInDraft(draft).map(({ entryXdr }) => entryXdr);
  const { instructions, diskReadBytes, writeBytes } = readTransactionLimits(settings);
  const raised = withResources(draft.envelope, {
    ...(instructions !== undefined && { instructions: Number(instructions) }),
    ...(diskReadBytes !== undefined && { diskReadBytes: Number(diskReadBytes) }),
    ...(writeBytes !== undefined && { writeBytes: Number(writeBytes) }),
    resourceFeeStroops: String(MOST_RESOURCE_FEE_STROOPS),
  });
  draft.envelope = withFee(raised, MOST_RESOURCE_FEE_STROOPS + BigInt(feeBidStroops));
}

/** The signers without which a call newly fails; empty if signatures are not the reason. */
async function missingSigners(
  { recorder = null }: Engines,
  replayed: Executed,
  draft: Draft,
  execution: Execution,
  findEntries: FixContext["findEntries"],
  options: { readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const isOfAuthorization = execution.hostError?.type === "Auth";
  const succeeded = replayed.execution.outcome.kind === "success";
  if (!isOfAuthorization || !succeeded || recorder === null) return [];
  const ran = applyVariant(replayed, draft);
  const dependencies = { recorder, findEntries: withNewNonces(findEntries) };
  const recorded = await recordAuthorizations(dependencies, ran, options);
  // The host records nothing without the state of a signer. It names the first one that is missing.
  if (recorded.kind === "failed") return firstMissing(execution, explainVariant(ran, execution));
  const unsigned = recorded.authorizations.flatMap(({ signer, signed }) =>
    signed || signer === null ? [] : [signer],
  );
  return [...new Set(unsigned)];
}

/** The recorded nonces are drawn for this run, so that none of them was ever used. */
function withNewNonces(findEntries: FixContext["findEntries"]): FixContext["findEntries"] {
  return async (keysXdr) => {
    const [nonces, others] = [true, false].map((isNonce) =>
      keysXdr.filter((key) => isNonceKey(key) === isNonce),
    ) as [string[], string[]];
    const { entries, unknown } =
      others.length === 0 ? { entries: [], unknown: [] } : await findEntries(others);
    return { entries: [...nonces.map(absentEntry), ...entries], unknown };
  };
}

function absentEntry(keyXdr: string): SnapshotEntry {
  return {
    keyXdr,
    entryXdr: null,
    liveUntilLedger: null,
    archived: false,
    codeCached: null,
    provenance: { kind: "assumed", detail: "a nonce that was just drawn" },
    ttlProvenance: null,
  };
}

function firstMissing(
  { diagnosticsXdr }: Execution,
  { cause }: Pick<VariantExplanation, "cause">,
): readonly string[] {
  if (cause?.kind !== "authorization-missing") return [];
  const addresses = readErrorReports(diagnosticsXdr)
    .filter(({ error }) => error.type === "Auth")
    .flatMap(({ valuesXdr }) => valuesXdr.filter((value) => typeNameOf(value) === "address"));
  return addresses.slice(-1).map((address) => showValue(address));
}
