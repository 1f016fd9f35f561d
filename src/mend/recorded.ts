// Authorizations that somebody has to sign: a run that records them instead of checking them tells
// which the transaction needs, and with which footprint and resources. All anew: what was signed
// before names another call, has been used or is over, and a signature cannot be mended.

import type { Mend } from "../model/mend.ts";
import {
  withAuthorizations,
  withFootprint,
  withoutSignatures,
  withResources,
} from "../xdr/patch-envelope.ts";
import { readSendingFacts } from "../xdr/sending-facts.ts";
import { readSorobanData } from "../xdr/soroban-data.ts";
import { changesOf, kindsOf, withdrawnAuthorizations } from "./changes.ts";
import { NOTHING, resendingOf, signersOf } from "./describe-mend.ts";
import { withResourceFee } from "./resource-fee.ts";
import type { RecordedRun, Trial, Workbench } from "./workbench.ts";

type Succeeded = Extract<RecordedRun, { kind: "succeeded" }>;

/** `reason`: why there is none, one sentence. Null: it cannot be recorded here. */
export async function recordAuthorizations(
  workbench: Workbench,
  trial: Trial,
): Promise<
  | { readonly kind: "recorded"; readonly mend: Mend }
  | { readonly kind: "none"; readonly reason: string }
  | null
> {
  // What another transaction restores first is not restored on the state that it would run on.
  if (workbench.record === null || trial.restoredFirst.length > 0) return null;
  const run = await workbench.record(trial);
  if (run.kind === "failed") return { kind: "none", reason: run.reason };
  const envelopeXdr = asRecorded(workbench, trial, run);
  if (envelopeXdr === null) return { kind: "none", reason: "The fee field cannot hold its fee." };
  return { kind: "recorded", mend: describe(workbench, { ...trial, envelopeXdr }, run) };
}

/** Null when the fee field cannot hold it. */
function asRecorded(
  { failed }: Workbench,
  trial: Trial,
  { authorizations, transactionDataXdr }: Succeeded,
): string | null {
  const entriesXdr = authorizations.map(({ entryXdr }) => entryXdr);
  const { footprint, archivedEntryIndexes, ...resources } = readSorobanData(transactionDataXdr);
  const allowed = withAuthorizations(trial.envelopeXdr, entriesXdr);
  const named = withFootprint(allowed, { ...footprint, archivedEntryIndexes });
  const { resourceFeeStroops } = resources;
  return withResourceFee(
    withResources(named, resources),
    failed.envelopeXdr,
    BigInt(resourceFeeStroops),
  );
}

function describe(workbench: Workbench, trial: Trial, { authorizations }: Succeeded): Mend {
  const changes = [...withdrawnAuthorizations(workbench, trial), ...changesOf(workbench, trial)];
  // What declares less than before was not missing.
  const mended = changes.filter(({ from, to }) => !(Number(to) < Number(from)));
  const unsigned = authorizations.flatMap(({ signer }) => signer ?? []);
  const { signers } = readSendingFacts(trial.envelopeXdr);
  return {
    ...NOTHING,
    kinds: kindsOf(mended, trial),
    summary: summaryOf(unsigned),
    changes,
    proof: { outcome: "recorded", authorizations },
    resending: resendingOf(workbench, trial),
    ...signersOf(unsigned, signers),
    envelopeXdr: withoutSignatures(trial.envelopeXdr),
  };
}

function summaryOf(unsigned: readonly string[]): string {
  const ran = "A run that records authorizations instead of checking them succeeds.";
  if (unsigned.length === 0) return `${ran} The source account's signature gives all of them.`;
  const whose = [...new Set(unsigned)];
  const contracts = whose.filter((signer) => signer.startsWith("C"));
  const sentences = [
    `It needs ${unsigned.length === 1 ? "an authorization" : "authorizations"} signed by ` +
      `${whose.join(" and ")}, which nobody else can give.`,
    ran,
    ...(contracts.length < whose.length ? [howAccountsSign(contracts)] : []),
    ...contracts.map(howItSigns),
    // A contract reads and spends what it needs to check a signature.
    ...(contracts.length === 0
      ? []
      : [
          "What a contract needs to check its signature is not in it: simulate the signed envelope " +
            "too.",
        ]),
  ];
  return sentences.join(" ");
}

function howAccountsSign(contracts: readonly string[]): string {
  const those = contracts.length === 0 ? "Sign it" : "Sign those of accounts";
  return `${those} with svc sign auth --valid-until-ledger N, then the transaction.`;
}

/** Only a classic account's signature has a form that all know (CAP-46-11). */
function howItSigns(contract: string): string {
  return (
    `${contract} is a contract: in what form it takes a signature its own __check_auth decides, ` +
    "and svc sign auth does not know it; docs/mend.md says which payload is to be signed."
  );
}
