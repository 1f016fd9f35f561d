// Signs authorization entries with a key: a single entry, or all entries for one address in an
// envelope.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { Signer, SigningAuthorization } from "../../model/signing-view.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { withAuthorizations, withoutSignatures } from "../../xdr/envelope/patch-envelope.ts";
import { signAuthorization } from "../../xdr/envelope/sign-authorization.ts";
import { decode, encode } from "../../xdr/reader/value.ts";
import { viewAuthorization } from "./view-envelope.ts";

export interface GivenAuthorizations {
  /** Null for a single entry. */
  readonly envelope: Envelope | null;
  readonly entriesXdr: readonly string[];
}

export interface WantedAuthorization {
  readonly networkPassphrase: string;
  /** Strkey; null for the account of the key that signs. */
  readonly address: string | null;
  /** Null to keep the expiration ledger of each entry. */
  readonly validUntilLedger: number | null;
}

/** `name` says where the text comes from. Throws FILE_INVALID. */
export function readGivenAuthorizations(
  text: string,
  networkPassphrase: string,
  name: string,
): GivenAuthorizations {
  const problems: unknown[] = [];
  const readers = [
    () => {
      const envelope = openEnvelope(text, networkPassphrase);
      return { envelope, entriesXdr: envelope.authorizationsXdr };
    },
    () => ({
      envelope: null,
      entriesXdr: [encode("SorobanAuthorizationEntry", decode("SorobanAuthorizationEntry", text))],
    }),
  ];
  for (const read of readers) {
    try {
      return read();
    } catch (problem) {
      problems.push(problem);
    }
  }
  throw new SvcError("FILE_INVALID", {
    message: `${name} contains neither a TransactionEnvelope nor a SorobanAuthorizationEntry.`,
    remedy: "Pass either of them in base64.",
    cause: new AggregateError(problems),
  });
}

/**
 * The view with the changes that signing will make: only the entries of the address get the new
 * expiration ledger. Throws USAGE if the expiration ledger of such an entry is unknown.
 */
export function viewAuthorizations(
  { entriesXdr }: GivenAuthorizations,
  { networkPassphrase, address, validUntilLedger }: WantedAuthorization,
  contractEntriesXdr: Iterable<string>,
): SigningAuthorization[] {
  const lookup = contractLookup(contractEntriesXdr);
  return entriesXdr.map((entryXdr) => {
    const entry = decode("SorobanAuthorizationEntry", entryXdr);
    const view = viewAuthorization(entry, networkPassphrase, lookup);
    const { signer, validUntilLedger: now } = view;
    if (signer === null || (address !== null && signer !== address)) return view;
    const until = validUntilLedger ?? now ?? 0;
    if (until === 0)
      throw new SvcError("USAGE", {
        message: `The authorization of ${signer} has no expiration ledger.`,
        remedy: phrase`Set it with ${flag("validUntilLedger")}.`,
      });
    if (until === now) return view;
    const when = address === null ? ("own-key" as const) : ("always" as const);
    return { ...view, renewed: { untilLedger: until, when } };
  });
}

/** Throws SIGNER_UNEXPECTED if no entry is for the address, and the errors of the signer. */
export function signAuthorizations(
  { envelope, entriesXdr }: GivenAuthorizations,
  request: WantedAuthorization,
  signer: Signer,
): {
  /** The XDR with the signatures, base64. */
  readonly xdr: string;
  readonly signer: string;
  readonly signedEntries: number;
} {
  const address = request.address ?? signer.address;
  const terms = { ...request, address };
  const signed = entriesXdr.map((entryXdr) => signAuthorization(entryXdr, terms, signer));
  const signedEntries = signed.filter((entryXdr) => entryXdr !== null).length;
  if (signedEntries === 0)
    throw new SvcError("SIGNER_UNEXPECTED", {
      message: `No authorization is for ${address}. Nothing was signed.`,
      remedy: phrase`Choose the key of an address that is shown, or name the address with ${flag("for")}.`,
    });
  const all = signed.map((entryXdr, i) => entryXdr ?? entriesXdr[i] ?? "");
  // Earlier signatures of the transaction do not cover the new authorizations.
  const xdr =
    envelope === null ? (all[0] ?? "") : withoutSignatures(withAuthorizations(envelope, all)).xdr;
  return { xdr, signer: signer.address, signedEntries };
}
