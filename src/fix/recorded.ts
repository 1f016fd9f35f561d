// Finds the authorizations that others must sign. A run that records them instead of checking them
// shows which ones the transaction needs, and with which footprint and resources. They are new,
// except those that were signed for the same calls: a signed entry cannot be changed.

import { joined, phrase, svc, type Wording } from "../base/phrase.ts";
import type { Fix } from "../model/fix.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import {
  withAuthorizations,
  withFootprint,
  withoutSignatures,
  withResources,
} from "../xdr/envelope/patch-envelope.ts";
import { readSorobanData } from "../xdr/envelope/soroban-data.ts";
import { changesOf, kindsOf, withdrawnAuthorizations } from "./changes.ts";
import { NOTHING, resubmissionOf, signersOf } from "./describe-fix.ts";
import type { FixContext, RecordedRun, RemediedCause } from "./fix-context.ts";
import { withResourceFee } from "./resource-fee.ts";
import type { Variant } from "./variant.ts";

const FEE_TOO_LARGE = "The fee does not fit in the transaction's fee field.";

type SucceededRecording = Extract<RecordedRun, { kind: "succeeded" }>;

/**
 * The variant with recorded authorizations. `reason` is one sentence on why there is none. Null if
 * recording is not possible.
 */
export async function recordedVariant(
  context: FixContext,
  attempt: Variant,
): Promise<
  | { readonly kind: "recorded"; readonly fix: Fix }
  | { readonly kind: "none"; readonly reason: string; readonly next: RemediedCause | null }
  | null
> {
  // Entries that another transaction restores first are not restored in the state of this run.
  if (context.record === null || attempt.restoredFirst.length > 0) return null;
  const run = await context.record(attempt);
  if (run.kind === "failed") return { kind: "none", reason: run.reason, next: run.next };
  const envelope = asRecorded(context, attempt, run);
  if (envelope === null) return { kind: "none", reason: FEE_TOO_LARGE, next: null };
  return { kind: "recorded", fix: describe(context, { ...attempt, envelope }, run) };
}

/** Null if the fee does not fit in the fee field. */
function asRecorded(
  { failed }: FixContext,
  attempt: Variant,
  { authorizations, transactionDataXdr }: SucceededRecording,
): Envelope | null {
  const entriesXdr = authorizations.map(({ entryXdr }) => entryXdr);
  const { footprint, archivedEntryIndexes, ...resources } = readSorobanData(transactionDataXdr);
  const allowed = withAuthorizations(attempt.envelope, entriesXdr);
  const named = withFootprint(allowed, { ...footprint, archivedEntryIndexes });
  const { resourceFeeStroops } = resources;
  return withResourceFee(withResources(named, resources), failed, BigInt(resourceFeeStroops));
}

function describe(
  context: FixContext,
  attempt: Variant,
  { authorizations }: SucceededRecording,
): Fix {
  const changes = [...withdrawnAuthorizations(context, attempt), ...changesOf(context, attempt)];
  // A value that is lower than before was not missing.
  const fixed = changes.filter(({ from, to }) => !(Number(to) < Number(from)));
  const unsigned = authorizations.flatMap(({ signer, signed }) =>
    signer === null || signed ? [] : [signer],
  );
  const kept = authorizations.flatMap(({ signer, signed, validUntilLedger: last }) =>
    signer !== null && signed
      ? [`The entry that ${signer} signed stays unchanged. It is valid until ledger ${last ?? 0}.`]
      : [],
  );
  const { signers } = attempt.envelope.terms;
  return {
    ...NOTHING,
    finding: "changes",
    kinds: kindsOf(fixed, attempt),
    summary: summaryOf(unsigned, kept, context.failedCause.kind === "authorization-weight"),
    changes,
    proof: { outcome: "recorded", authorizations },
    resubmission: resubmissionOf(context, attempt),
    ...signersOf(unsigned, signers),
    envelopeXdr: withoutSignatures(attempt.envelope).xdr,
  };
}

function summaryOf(
  unsigned: readonly string[],
  kept: readonly string[],
  lackedWeight: boolean,
): Wording {
  const ran =
    "The transaction succeeds in a run that records authorizations instead of checking them.";
  if (unsigned.length === 0)
    return `${ran} The source account's signature on the transaction gives all required authorizations.`;
  const signers = [...new Set(unsigned)];
  const contracts = signers.filter((signer) => signer.startsWith("C"));
  const [authorizations, them] =
    unsigned.length === 1 ? ["an authorization", "it"] : ["authorizations", "them"];
  const sentences = [
    `The transaction needs ${authorizations} signed by ${signers.join(" and ")}; no other account's signature replaces ${them}.`,
    ...kept,
    ran,
    ...(contracts.length < signers.length ? [howAccountsSign(contracts)] : []),
    ...(lackedWeight ? [MORE_WEIGHT] : []),
    ...contracts.map(howContractSigns),
    ...(contracts.length === 0 ? [] : [CHECK_NOT_INCLUDED]),
  ];
  return joined(sentences, " ");
}

/** A contract needs resources to check a signature, and may read entries for it. */
const CHECK_NOT_INCLUDED = phrase`The footprint and the resources do not include the contract's own signature check. Simulate the signed envelope with ${svc("simulate")} before you send it.`;

/** `authorizeEntry` makes an entry with one signature, which was not enough. */
const MORE_WEIGHT =
  "The signatures of the failed transaction did not have enough weight: an entry takes the " +
  "signatures of several signers of the account, sorted by public key.";

function howAccountsSign(contracts: readonly string[]): Wording {
  const each = contracts.length === 0 ? "each authorization" : "the authorizations of accounts";
  return phrase`Sign ${each} with \`authorizeEntry\` of the Stellar SDK, or with ${svc("sign auth")} if the key is on a PKCS#11 token (docs/fix.md shows how). Then sign the transaction.`;
}

/** A contract's signature has no standard form, unlike that of a classic account (CAP-46-11). */
function howContractSigns(contract: string): string {
  return (
    `${contract} is a contract: its own \`__check_auth\` decides the form of the signature. ` +
    "docs/fix.md describes the payload to sign."
  );
}
