// The words for an envelope: its contents, who signed it and for which network, and why it cannot
// succeed as it is.

import { phrase, svc, svcDebug, type Wording } from "../../base/phrase.ts";
import { counted } from "../../base/text/counted.ts";
import { stroopsInWords } from "../../base/text/grouped.ts";
import { listed } from "../../base/text/listed.ts";
import { timeInWords } from "../../base/text/time.ts";
import { KNOWN_PASSPHRASES, networkInWords } from "../../model/networks.ts";
import type { AuthorizationFacts } from "../../xdr/envelope/authorizations.ts";
import { typedOperations } from "../../xdr/envelope/describe-envelope.ts";
import type { EnvelopeTerms } from "../../xdr/envelope/envelope-terms.ts";
import {
  type AccountRole,
  missingSigners,
  type OfflineFacts,
  type OfflineSignature,
  type OfflineSigning,
} from "../../xdr/envelope/offline-facts.ts";
import { showValue } from "../../xdr/values/value.ts";
import { authorizedCallInWords } from "../naming/authorizations.ts";
import { fieldText } from "../naming/field-text.ts";
import { showFunction } from "../naming/named-calls.ts";
import type { CauseWords, EnvelopeFault, FoundBy, SignaturesFacts } from "./found-cause.ts";
import type { HashOnNetwork } from "./found-evidence.ts";
import { type Sentences, sentences } from "./sentences.ts";

const SHOWN_VALUE = 80;

export function envelopeHeadline({ envelope }: OfflineFacts): string {
  const shows = "An envelope shows the request, not its outcome.";
  return `The envelope of a transaction of ${envelope.sourceAccount}. ${shows}`;
}

/** The words for the signatures of an envelope that the network refused with a code. */
export function signaturesWords({ facts }: FoundBy<"signatures">): CauseWords {
  const { code, envelope, flaw } = facts;
  const [first = "", ...others] = signaturesInWords(envelope);
  const words = sentences(`${code}: ${first}`, ...others);
  switch (flaw.case) {
    case "missing":
      return {
        summary: words,
        remedy: `Have ${listed(flaw.accounts, "and")} sign it, for the passphrase of the network that it is sent to.`,
      };
    case "unproven":
      return {
        summary: words,
        remedy: `Have ${flaw.account} sign it again, unchanged, for the passphrase of the network that it is sent to.`,
      };
    case "unclear":
      return unclearWords(words, flaw);
    case "surplus": {
      const { accounts } = flaw;
      const who =
        accounts.length === 0
          ? null
          : `The envelope asks for no signature of ${listed(accounts, "and")}.`;
      return {
        summary: sentences(...words, who),
        remedy:
          "Remove the signatures that no source of the transaction or of its operations needs.",
      };
    }
  }
}

type Unclear = Extract<SignaturesFacts["flaw"], { readonly case: "unclear" }>;

function unclearWords(words: Sentences, { networkPassphrase, asksForMore }: Unclear): CauseWords {
  const network = networkPassphrase === null ? null : networkInWords(networkPassphrase);
  const reasons = [
    `it was sent to another network${network === null ? "" : ` than ${network}`}`,
    "its signatures have too little weight",
    ...(asksForMore ? ["an extra signer that its preconditions ask for has not signed"] : []),
  ];
  const send =
    network === null
      ? "Check the network that it was sent to"
      : `Send it to ${network}, or sign it for the network that it is sent to`;
  return {
    summary: [...words, `So one of these is true: ${listed(reasons, "or")}.`],
    remedy: `${send}. If that was the network, compare the account's signers and thresholds with the key that signed.`,
  };
}

export function envelopeFaultWords({ facts }: FoundBy<"envelope-fault">): CauseWords {
  const { fault, code, replay } = facts;
  const summary = faultInWords(fault);
  const shown =
    replay === null
      ? ""
      : phrase` ${svcDebug(replay.hash, networkInWords(replay.networkPassphrase))} shows what happened.`;
  return {
    summary: sentences(summary, code && `The result is ${code}.`),
    remedy: phrase`${faultRemedy(fault)}${shown}`,
  };
}

export function faultInWords(fault: EnvelopeFault): string {
  switch (fault.id) {
    case "no-soroban-data":
      return (
        "The transaction runs in the contract host, and has no SorobanTransactionData: it was " +
        "signed without the footprint and the resources of a simulation."
      );
    case "unordered-map":
      return unorderedInWords(fault.map);
    case "unsigned-authorization":
      return unsignedInWords(fault.authorization);
  }
}

function faultRemedy(fault: EnvelopeFault): string {
  switch (fault.id) {
    case "no-soroban-data":
      return (
        "Simulate it, assemble it with the footprint, the resources and the fee that the simulation " +
        "returns, and then sign it."
      );
    case "unordered-map":
      return "Sort the keys of the map before it is encoded. `nativeToScVal` of current SDKs does.";
    case "unsigned-authorization":
      return (
        `Have ${fault.authorization.address} sign this authorization entry after the simulation, before the ` +
        "transaction is signed and sent."
      );
  }
}

function unorderedInWords({ argument, keysXdr }: OfflineFacts["unorderedMaps"][number]): string {
  const keys = keysXdr.map((key) => showValue(key, SHOWN_VALUE)).join(", ");
  return `Argument ${argument} is a map whose keys are not in order (${keys}): the contract host refuses it.`;
}

function unsignedInWords({ address, expirationLedger, root }: AuthorizationFacts): string {
  const call = root.function === null ? "the creation of a contract" : showFunction(root.function);
  const until = expirationLedger === 0 ? ", and its expiration ledger is 0" : "";
  return `The authorization of ${address} for ${call} is not signed: its signature is void${until}.`;
}

/** An unsigned envelope may still be simulated. */
export const NOT_YET_SIMULATED = "The envelope declares no resources for the contract host yet.";

/** The terms of the envelope that the code is about. */
export function termsInWords(code: string, terms: EnvelopeTerms): string[] {
  const words = TERMS[code]?.(terms);
  return words === undefined ? [] : [words];
}

/** For each name of a result, the terms of the envelope that it is about. */
const TERMS: Readonly<Record<string, (terms: EnvelopeTerms) => string>> = {
  txBadSeq: ({ sequence }) => `The transaction has the sequence number ${sequence}.`,
  txTooLate: ({ latestSeconds }) =>
    latestSeconds === null
      ? "The transaction has no latest time, so its ledger bounds have passed."
      : `The transaction was valid until ${timeInWords(latestSeconds)}.`,
  txTooEarly: ({ earliestSeconds }) =>
    earliestSeconds === null
      ? "The transaction has no earliest time, so its ledger bounds have not begun."
      : `The transaction is valid from ${timeInWords(earliestSeconds)}.`,
  txInsufficientFee: ({ feeStroops }) =>
    `The bid of the transaction is ${stroopsInWords(feeStroops)}.`,
};

export function contentInWords({ envelope }: OfflineFacts): string {
  const { hostFunction, operationKinds } = envelope;
  if (hostFunction?.kind === "invoke")
    return `It calls ${authorizedCallInWords({ ...hostFunction, calls: [] }, SHOWN_VALUE)}.`;
  const operations = typedOperations(envelope).map(({ kind, sourceAccount, fields }) => {
    const shown = fields.slice(0, MOST_FIELDS).map((field) => `${field.name} ${fieldText(field)}`);
    const by = sourceAccount === null ? [] : [`source ${sourceAccount}`];
    const inside = [...by, ...shown];
    return `${kind.replaceAll("_", " ")}${inside.length === 0 ? "" : ` (${inside.join(", ")})`}`;
  });
  const count = operationKinds.length;
  return `The envelope has ${counted(count, "operation")}: ${operations.slice(0, MOST_OPERATIONS).join("; ")}${count > MOST_OPERATIONS ? "; …" : ""}.`;
}

const MOST_FIELDS = 6;
const MOST_OPERATIONS = 5;

const ROLES: Readonly<Record<AccountRole, string>> = {
  source: "the source account",
  "operation-source": "the source of an operation",
  "fee-source": "the account that pays the fee",
  destination: "the destination",
  issuer: "the issuer of an asset",
  authorizer: "an address that authorizes a call",
  argument: "named in the call",
  other: "named in an operation",
};

export function signaturesInWords(facts: OfflineFacts): string[] {
  return facts.signings.flatMap((signing) => {
    const of = signing.part === "inner" ? "the inner transaction" : "the envelope";
    if (signing.signatures.length === 0)
      return [
        signing.part === "inner"
          ? "The inner transaction has no signature."
          : "The envelope has no signature.",
      ];
    const made = signing.signatures.map((signature) =>
      signatureInWords(signature, signing, facts, of),
    );
    const missing = missingSigners(signing).map(
      (address) => `${whoInWords(address, facts)}, has not signed ${of} with its own key.`,
    );
    return [...made, ...missing];
  });
}

function signatureInWords(
  { hint, by, sameHint }: OfflineSignature,
  { signatures }: OfflineSigning,
  facts: OfflineFacts,
  of: string,
): string {
  if (by !== null) {
    const only = signatures.length === 1 ? "Only " : "";
    return `${only}${whoInWords(by.address, facts)}, signed ${of}, for ${networkInWords(by.networkPassphrase)}.`;
  }
  const [address] = sameHint;
  if (address === undefined)
    return `A signature (hint ${hint}) is of a key that the envelope does not name.`;
  return (
    `A signature in the name of ${whoInWords(address, facts)}, is not valid for ${listed(KNOWN_PASSPHRASES.map(networkInWords), "or")}: ` +
    "it was made for another network, or for other contents."
  );
}

function whoInWords(address: string, { roles }: OfflineFacts): string {
  const [role = "other"] = roles.get(address) ?? [];
  return `${address}, ${ROLES[role]}`;
}

export function hashesInWords(hashes: readonly HashOnNetwork[], isProven: boolean): string[] {
  return hashes.map(({ networkPassphrase, hash }) => {
    const is = isProven ? "is" : "would be";
    return `The transaction's hash on ${networkInWords(networkPassphrase)} ${is} ${hash}.`;
  });
}

/**
 * The next step with an envelope alone. `proven` is its hash on the network for which it was
 * signed.
 */
export function nextWithEnvelope(proven: HashOnNetwork | null): Wording {
  const debug =
    proven === null
      ? phrase`${svc("debug", "run")} with its hash on that network`
      : svcDebug(proven.hash, networkInWords(proven.networkPassphrase), "run");
  return phrase`If it was sent, ${debug}. If it was not, ${svc("simulate", "run")} with it.`;
}
