// Authorizations that somebody has to sign: a run that records them instead of checking them tells
// which the transaction needs, and with which footprint and resources. All anew: what was signed
// before names another call, has been used or is over, and a signature cannot be mended.

import type { Fix } from "../model/fix.ts";
import {
  withAuthorizations,
  withFootprint,
  withoutSignatures,
  withResources,
} from "../xdr/envelope/patch-envelope.ts";
import { readSendingFacts } from "../xdr/envelope/sending-facts.ts";
import { readSorobanData } from "../xdr/envelope/soroban-data.ts";
import { changesOf, kindsOf, withdrawnAuthorizations } from "./changes.ts";
import { NOTHING, resubmissionOf, signersOf } from "./describe-fix.ts";
import type { Attempt, FixContext, RecordedRun } from "./fix-context.ts";
import { withResourceFee } from "./resource-fee.ts";

type Succeeded = Extract<RecordedRun, { kind: "succeeded" }>;

/** `reason`: why there is none, one sentence. Null: it cannot be recorded here. */
export async function recordAuthorizations(
  context: FixContext,
  attempt: Attempt,
): Promise<
  | { readonly kind: "recorded"; readonly fix: Fix }
  | { readonly kind: "none"; readonly reason: string }
  | null
> {
  // What another transaction restores first is not restored on the state that it would run on.
  if (context.record === null || attempt.restoredFirst.length > 0) return null;
  const run = await context.record(attempt);
  if (run.kind === "failed") return { kind: "none", reason: run.reason };
  const envelopeXdr = asRecorded(context, attempt, run);
  if (envelopeXdr === null) return { kind: "none", reason: "The fee field cannot hold its fee." };
  return { kind: "recorded", fix: describe(context, { ...attempt, envelopeXdr }, run) };
}

/** Null when the fee field cannot hold it. */
function asRecorded(
  { failed }: FixContext,
  attempt: Attempt,
  { authorizations, transactionDataXdr }: Succeeded,
): string | null {
  const entriesXdr = authorizations.map(({ entryXdr }) => entryXdr);
  const { footprint, archivedEntryIndexes, ...resources } = readSorobanData(transactionDataXdr);
  const allowed = withAuthorizations(attempt.envelopeXdr, entriesXdr);
  const named = withFootprint(allowed, { ...footprint, archivedEntryIndexes });
  const { resourceFeeStroops } = resources;
  return withResourceFee(
    withResources(named, resources),
    failed.envelopeXdr,
    BigInt(resourceFeeStroops),
  );
}

function describe(context: FixContext, attempt: Attempt, { authorizations }: Succeeded): Fix {
  const changes = [...withdrawnAuthorizations(context, attempt), ...changesOf(context, attempt)];
  // What declares less than before was not missing.
  const fixed = changes.filter(({ from, to }) => !(Number(to) < Number(from)));
  const unsigned = authorizations.flatMap(({ signer }) => signer ?? []);
  const { signers } = readSendingFacts(attempt.envelopeXdr);
  return {
    ...NOTHING,
    kinds: kindsOf(fixed, attempt),
    summary: summaryOf(unsigned),
    changes,
    proof: { outcome: "recorded", authorizations },
    resubmission: resubmissionOf(context, attempt),
    ...signersOf(unsigned, signers),
    envelopeXdr: withoutSignatures(attempt.envelopeXdr),
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
    "and svc sign auth does not know it; docs/fix.md says which payload is to be signed."
  );
}
