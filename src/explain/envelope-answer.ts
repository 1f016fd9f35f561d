// What an envelope proves without a network, in words: alone, and beside the code with which a node
// refused it.

import { stroopsInWords } from "../base/text/grouped.ts";
import { listed } from "../base/text/listed.ts";
import { timeInWords } from "../base/text/time.ts";
import { KNOWN_PASSPHRASES, networkInWords } from "../model/networks.ts";
import type { AnswerExplanation } from "../model/node-answer.ts";
import { isSorobanResult, resultCodeName, transactionCode } from "../model/result-code.ts";
import type { AuthorizationFacts } from "../xdr/envelope/authorizations.ts";
import { describeOperations } from "../xdr/envelope/describe-envelope.ts";
import type { EnvelopeTerms } from "../xdr/envelope/envelope-terms.ts";
import {
  type AccountRole,
  type OfflineFacts,
  type OfflineSignature,
  type OfflineSigning,
  readOfflineFacts,
} from "../xdr/envelope/offline-facts.ts";
import { failedOperation, type ResultFacts } from "../xdr/outcome/result.ts";
import { showValue } from "../xdr/values/value.ts";
import { authorizedCallInWords } from "./naming/authorizations.ts";
import { fieldText } from "./naming/field-text.ts";
import { showFunction } from "./naming/named-calls.ts";
import type { CauseFacts } from "./words/cause-words.ts";

const SHOWN_VALUE = 80;

/** Facts of an envelope, with every network that has a name. Throws XDR_INVALID. */
export function offlineFacts(envelopeXdr: string): OfflineFacts {
  return readOfflineFacts(envelopeXdr, KNOWN_PASSPHRASES);
}

/** An envelope without an answer to it. */
export function explainEnvelope(facts: OfflineFacts): AnswerExplanation {
  const fault = faultOf(facts);
  const { envelope, signedFor } = facts;
  const what = contentInWords(facts);
  const shows = "It shows what was asked for, not what came of it.";
  return {
    kind: "xdr",
    headline: `The envelope of a transaction of ${envelope.sourceAccount}. ${shows}`,
    hash: hashFor(facts, signedFor) ?? null,
    resultCodes: [],
    cause: fault?.cause ?? null,
    evidence: [
      what,
      ...signaturesInWords(facts),
      ...hashesInWords(facts),
      ...faultsBeside(facts, fault),
    ],
    reported: [],
    remedy: fault?.remedy ?? nextWith(facts),
  };
}

/**
 * The cause of a refusal or a failure, with what the envelope of it shows. `hasLog`: the diagnostics
 * were there, so that the cause rests on more than a code.
 */
export function withEnvelope(
  found: CauseFacts,
  result: ResultFacts,
  envelopeXdr: string,
  hasLog: boolean,
): CauseFacts {
  const failed = failedOperation(result) ?? transactionCode(result.innerCode ?? result.code);
  const code = resultCodeName(failed);
  const facts = offlineFacts(envelopeXdr);
  const evidence = [...found.evidence, ...hashesInWords(facts)];
  const [outer, inner = outer] = facts.signings;
  const signing = result.innerCode === null ? outer : inner;
  const refused = signing === undefined ? undefined : SIGNATURES_REFUSED[code]?.(facts, signing);
  if (refused !== undefined) {
    const summary = `${code}: ${refused.why}`;
    return { cause: { ...found.cause, summary }, evidence, remedy: refused.remedy };
  }
  const fault = hasLog ? null : faultOf(facts, code);
  if (fault === null) {
    if (hasLog || result.operationResults.length > 0) return found;
    // The terms of a fee-bump are those of its inner transaction.
    const isOther = facts.envelope.isFeeBump && result.innerCode === null;
    const terms = isOther ? undefined : TERMS[code]?.(facts.envelope.terms);
    return { ...found, evidence: [...(terms === undefined ? [] : [terms]), ...evidence] };
  }
  const summary = `${fault.cause.summary} The result is ${code}.`;
  const hash = hashFor(facts, facts.signedFor);
  const replay =
    hash !== undefined && isSorobanResult(failed)
      ? ` \`svc debug ${hash} --network ${networkInWords(facts.signedFor[0] ?? "")}\` shows what happened.`
      : "";
  return { cause: { ...fault.cause, summary }, evidence, remedy: `${fault.remedy ?? ""}${replay}` };
}

/** By the name of the result: what it is about, as the envelope has it. */
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

interface RefusedSignatures {
  readonly why: string;
  readonly remedy: string;
}

/** By the result's name. `signing`: of the transaction whose result it is. */
const SIGNATURES_REFUSED: Readonly<
  Record<string, (facts: OfflineFacts, signing: OfflineSigning) => RefusedSignatures>
> = { txBadAuth: badAuthInWords, txBadAuthExtra: surplusInWords };

/**
 * stellar-core gives this result for the account of the transaction and for extra signers
 * (TransactionFrame::processSignatures): the sources of operations have opBadAuth.
 */
function badAuthInWords(facts: OfflineFacts, signing: OfflineSigning): RefusedSignatures {
  const words = signaturesInWords(facts).join(" ");
  const [account = ""] = signing.required;
  const missing = missingOf(signing);
  if (missing.includes(account))
    return {
      why: words,
      remedy: `Have ${listed(missing, "and")} sign it, for the passphrase of the network that it is sent to.`,
    };
  const unproven = signing.signatures.flatMap(({ sameHint }) => sameHint);
  if (unproven.includes(account))
    return {
      why: words,
      remedy: `Have ${account} sign it again, unchanged, for the passphrase of the network that it is sent to.`,
    };
  const network = facts.signedFor.length === 1 ? networkInWords(facts.signedFor[0] ?? "") : null;
  const reasons = [
    `it was sent to another network${network === null ? "" : ` than ${network}`}`,
    "its signatures have too little weight",
    ...(facts.envelope.terms.extraSigners.length === 0
      ? []
      : ["an extra signer that its preconditions ask for has not signed"]),
  ];
  const send =
    network === null
      ? "Check the network that it was sent to"
      : `Send it to ${network}, or sign it for the network that it is sent to`;
  return {
    why: `${words} So one of these is true: ${listed(reasons, "or")}.`,
    remedy: `${send}. If that was the network, compare the account's signers and thresholds with the key that signed.`,
  };
}

/** A signature that no account of the transaction needs. */
function surplusInWords(facts: OfflineFacts): RefusedSignatures {
  const surplus = facts.signings.flatMap(({ required, signatures }) =>
    signatures.flatMap(({ by }) =>
      by !== null && !required.includes(by.address) ? by.address : [],
    ),
  );
  const who =
    surplus.length === 0 ? "" : ` The envelope asks for no signature of ${listed(surplus, "and")}.`;
  return {
    why: `${signaturesInWords(facts).join(" ")}${who}`,
    remedy: "Remove the signatures that no source of the transaction or of its operations needs.",
  };
}

/** A fault that an envelope shows by itself. */
interface EnvelopeFault {
  /** Names of the results that it has. A transaction with another one failed for another reason. */
  readonly results: readonly string[];
  readonly find: (facts: OfflineFacts) => CauseFacts | null;
}

const FAULTS: readonly EnvelopeFault[] = [
  {
    // TransactionFrame::checkValid, before anything of the ledger is read.
    results: ["txMalformed", "txSorobanInvalid"],
    find: (facts) =>
      facts.lacksSorobanData && isSigned(facts)
        ? {
            cause: {
              kind: "refused",
              summary:
                "The transaction runs in the contract host, and has no SorobanTransactionData: it was " +
                "signed without the footprint and the resources of a simulation.",
              confidence: "known",
            },
            evidence: [],
            remedy:
              "Simulate it, assemble it with the footprint, the resources and the fee that the simulation " +
              "returns, and then sign it.",
          }
        : null,
  },
  {
    results: ["invokeHostFunctionTrapped"],
    find: ({ unorderedMaps: [map] }) =>
      map === undefined
        ? null
        : {
            cause: { kind: "value-invalid", summary: unorderedInWords(map), confidence: "known" },
            evidence: [],
            remedy:
              "Sort the keys of the map before it is encoded. `nativeToScVal` of current SDKs does.",
          },
  },
  {
    results: ["invokeHostFunctionTrapped"],
    find: (facts) => {
      const [entry] = isSigned(facts) ? unsignedOf(facts) : [];
      return entry === undefined
        ? null
        : {
            cause: {
              kind: "authorization-unsigned",
              summary: unsignedInWords(entry),
              confidence: "likely",
            },
            evidence: [],
            remedy:
              `Have ${entry.address} sign this authorization entry after the simulation, before the ` +
              "transaction is signed and sent.",
          };
    },
  },
];

/** `code`: the result; absent: any can still come. */
function faultOf(facts: OfflineFacts, code?: string): CauseFacts | null {
  for (const { results, find } of FAULTS) {
    const found = code === undefined || results.includes(code) ? find(facts) : null;
    if (found !== null) return found;
  }
  return null;
}

/** Without a signature it is not finished: what it lacks can still come. */
function isSigned({ signings }: OfflineFacts): boolean {
  return signings.some(({ signatures }) => signatures.length > 0);
}

/** The other faults, where the first of them is the cause. */
function faultsBeside(facts: OfflineFacts, fault: CauseFacts | null): string[] {
  const unsimulated = "It declares no resources for the contract host yet.";
  const all = [
    ...(facts.lacksSorobanData && !isSigned(facts) ? [unsimulated] : []),
    ...facts.unorderedMaps.map(unorderedInWords),
    ...unsignedOf(facts).map(unsignedInWords),
  ];
  return all.filter((words) => words !== fault?.cause.summary);
}

function unorderedInWords({ argument, keysXdr }: OfflineFacts["unorderedMaps"][number]): string {
  const keys = keysXdr.map((key) => showValue(key, SHOWN_VALUE)).join(", ");
  return `Argument ${argument} is a map whose keys are not in order (${keys}): the contract host refuses it.`;
}

function unsignedOf({ envelope }: OfflineFacts): AuthorizationFacts[] {
  return envelope.authorizations.filter(({ address, signed }) => address !== null && !signed);
}

function unsignedInWords({ address, expirationLedger, root }: AuthorizationFacts): string {
  const call = root.function === null ? "the creation of a contract" : showFunction(root.function);
  const until = expirationLedger === 0 ? ", and its expiration ledger is 0" : "";
  return `The authorization of ${address} for ${call} is not signed: its signature is void${until}.`;
}

function contentInWords({ envelope }: OfflineFacts): string {
  const { hostFunction, operationKinds } = envelope;
  if (hostFunction?.kind === "invoke")
    return `It calls ${authorizedCallInWords({ ...hostFunction, calls: [] }, SHOWN_VALUE)}.`;
  const operations = describeOperations(envelope, { stroopsBeside: false }).map(
    ({ kind, sourceAccount, fields }) => {
      const shown = fields
        .slice(0, MOST_FIELDS)
        .map(({ name, value }) => `${name} ${fieldText(value)}`);
      const by = sourceAccount === null ? [] : [`source ${sourceAccount}`];
      const inside = [...by, ...shown];
      return `${kind.replaceAll("_", " ")}${inside.length === 0 ? "" : ` (${inside.join(", ")})`}`;
    },
  );
  const count = operationKinds.length;
  return `It has ${count} operation${count === 1 ? "" : "s"}: ${operations.slice(0, MOST_OPERATIONS).join("; ")}${count > MOST_OPERATIONS ? "; …" : ""}.`;
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

function signaturesInWords(facts: OfflineFacts): string[] {
  return facts.signings.flatMap((signing) => {
    const of = signing.part === "inner" ? "the inner transaction" : "it";
    if (signing.signatures.length === 0)
      return [
        signing.part === "inner"
          ? "The inner transaction has no signature."
          : "It has no signature.",
      ];
    const made = signing.signatures.map((signature) =>
      signatureInWords(signature, signing, facts, of),
    );
    const missing = missingOf(signing).map(
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

/** Accounts that must sign and whose own keys have not. Their other signers are not known here. */
function missingOf({ required, signatures }: OfflineSigning): string[] {
  // A key that the envelope does not name may be another signer of any of them.
  if (signatures.some(({ by, sameHint }) => by === null && sameHint.length === 0)) return [];
  // A signature in the name of an account may be valid on a network that has no name here.
  const signed = new Set(signatures.flatMap(({ by, sameHint }) => by?.address ?? sameHint));
  return required.filter((address) => !signed.has(address));
}

function hashFor({ hashes }: OfflineFacts, networks: readonly string[]): string | undefined {
  const [only, ...more] = networks;
  return more.length > 0
    ? undefined
    : hashes.find(({ networkPassphrase }) => networkPassphrase === only)?.hash;
}

function hashesInWords(facts: OfflineFacts): string[] {
  const proven = hashFor(facts, facts.signedFor);
  if (proven !== undefined)
    return [`Its hash on ${networkInWords(facts.signedFor[0] ?? "")} is ${proven}.`];
  return facts.hashes.map(
    ({ networkPassphrase, hash }) =>
      `Its hash on ${networkInWords(networkPassphrase)} would be ${hash}.`,
  );
}

function nextWith(facts: OfflineFacts): string {
  const hash = hashFor(facts, facts.signedFor);
  const name = networkInWords(facts.signedFor[0] ?? "");
  const sent =
    hash === undefined
      ? "If it was sent, run `svc debug` with its hash on that network"
      : `If it was sent, run \`svc debug ${hash} --network ${name}\``;
  return `${sent}. If it was not, run \`svc simulate\` with it.`;
}
