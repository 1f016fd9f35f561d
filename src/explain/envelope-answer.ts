// Explains what an envelope proves without a network: alone, and together with the code with which
// a node refused it.

import { KNOWN_PASSPHRASES, knownNetworkName } from "../model/networks.ts";
import { type AnswerExplanation, NOTHING_REPORTED } from "../model/node-answer.ts";
import { isSorobanResult, resultCodeName, transactionCode } from "../model/result-code.ts";
import type { AuthorizationFacts } from "../xdr/envelope/authorizations.ts";
import { openEnvelope } from "../xdr/envelope/envelope.ts";
import {
  missingSigners,
  type OfflineFacts,
  type OfflineSigning,
  readOfflineFacts,
} from "../xdr/envelope/offline-facts.ts";
import { failedOperation, type ResultFacts } from "../xdr/outcome/result.ts";
import { inWords } from "./words/cause-words.ts";
import {
  contentInWords,
  envelopeHeadline,
  faultInWords,
  hashesInWords,
  NOT_YET_SIMULATED,
  nextWithEnvelope,
  signaturesInWords,
} from "./words/envelope-words.ts";
import type { CauseFinding, EnvelopeFault, FoundBy, SignaturesFacts } from "./words/found-cause.ts";
import type { CauseEvidence, HashOnNetwork } from "./words/found-evidence.ts";

/** The facts of an envelope, with every network that has a name. Throws XDR_INVALID. */
export function offlineFacts(envelopeXdr: string): OfflineFacts {
  return readOfflineFacts(envelopeXdr, KNOWN_PASSPHRASES);
}

/** Explains an envelope without an answer to it. */
export function explainEnvelope(facts: OfflineFacts): AnswerExplanation {
  const faults = faultsOf(facts);
  const fault = faults.find((each) => isDeciding(each, facts)) ?? null;
  const said = fault && inWords(faultCause(fault, null, null));
  const proven = provenHash(facts);
  const { hashes, isProven } = hashesOf(facts);
  return {
    kind: "xdr",
    headline: envelopeHeadline(facts),
    hash: proven?.hash ?? null,
    resultCodes: [],
    cause: said?.cause ?? null,
    evidence: [
      contentInWords(facts),
      ...signaturesInWords(facts),
      ...hashesInWords(hashes, isProven),
      ...(facts.lacksSorobanData && !isSigned(facts) ? [NOT_YET_SIMULATED] : []),
      ...faults.filter((each) => each !== fault).map(faultInWords),
    ],
    reported: NOTHING_REPORTED,
    remedy: said?.remedy ?? nextWithEnvelope(proven),
  };
}

/**
 * The cause of a refusal or a failure, with what its envelope shows. `hasLog` is true if there were
 * diagnostics, so that the cause rests on more than a code.
 */
export function withEnvelope(
  finding: CauseFinding,
  result: ResultFacts,
  envelopeXdr: string,
  hasLog: boolean,
): CauseFinding {
  const failed = failedOperation(result) ?? transactionCode(result.innerCode ?? result.code);
  const code = resultCodeName(failed);
  const facts = offlineFacts(envelopeXdr);
  const hashes: CauseEvidence = { kind: "envelope-hashes", ...hashesOf(facts) };
  const evidence = [...finding.evidence, hashes];
  const [outer, inner = outer] = facts.signings;
  const signing = result.innerCode === null ? outer : inner;
  const flaw = signing === undefined ? undefined : SIGNATURE_FLAWS[code]?.(facts, signing);
  if (flaw !== undefined) {
    const { kind, confidence } = finding;
    const of = { code, envelope: facts, flaw };
    return { by: "signatures", kind, facts: of, confidence, evidence };
  }
  const fault = (hasLog ? [] : faultsOf(facts)).find(
    (each) => isDeciding(each, facts) && RESULTS_OF_FAULTS[each.id].includes(code),
  );
  if (fault !== undefined) {
    const replay = isSorobanResult(failed) ? provenHash(facts) : null;
    return { ...faultCause(fault, code, replay), evidence };
  }
  if (hasLog || result.operationResults.length > 0) return finding;
  // The terms of a fee-bump are those of its inner transaction.
  const isOther = facts.envelope.isFeeBump && result.innerCode === null;
  const { terms } = facts.envelope;
  const own: readonly CauseEvidence[] = isOther ? [] : [{ kind: "envelope-terms", code, terms }];
  return { ...finding, evidence: [...own, ...evidence] };
}

type SignatureFlaw = SignaturesFacts["flaw"];

/** The flaws by the name of the result. `signing` is that of the transaction whose result it is. */
const SIGNATURE_FLAWS: Readonly<
  Record<string, (facts: OfflineFacts, signing: OfflineSigning) => SignatureFlaw>
> = { txBadAuth: lackingSignatures, txBadAuthExtra: surplusSignatures };

/**
 * stellar-core gives this result for the account of the transaction and for extra signers
 * (TransactionFrame::processSignatures): the sources of operations have opBadAuth.
 */
function lackingSignatures(
  { signedFor, envelope }: OfflineFacts,
  signing: OfflineSigning,
): SignatureFlaw {
  const [account = ""] = signing.required;
  const missing = missingSigners(signing);
  if (missing.includes(account)) return { case: "missing", accounts: missing };
  const unproven = signing.signatures.flatMap(({ sameHint }) => sameHint);
  if (unproven.includes(account)) return { case: "unproven", account };
  const [only = null] = signedFor;
  return {
    case: "unclear",
    networkPassphrase: signedFor.length === 1 ? only : null,
    asksForMore: envelope.terms.extraSigners.length > 0,
  };
}

/** A signature that no account of the transaction needs. */
function surplusSignatures({ signings }: OfflineFacts): SignatureFlaw {
  const accounts = signings.flatMap(({ required, signatures }) =>
    signatures.flatMap(({ by }) =>
      by !== null && !required.includes(by.address) ? by.address : [],
    ),
  );
  return { case: "surplus", accounts };
}

/** For each fault, the results that it causes. With another result the fault is not the reason. */
const RESULTS_OF_FAULTS: Readonly<Record<EnvelopeFault["id"], readonly string[]>> = {
  // TransactionFrame::checkValid, before anything of the ledger is read.
  "no-soroban-data": ["txMalformed", "txSorobanInvalid"],
  "unordered-map": ["invokeHostFunctionTrapped"],
  "unsigned-authorization": ["invokeHostFunctionTrapped"],
};

/** The faults, the most certain first. */
function faultsOf(facts: OfflineFacts): EnvelopeFault[] {
  const { lacksSorobanData, unorderedMaps, envelope } = facts;
  const unsigned = envelope.authorizations.filter(isUnsigned);
  return [
    ...(lacksSorobanData && isSigned(facts) ? [{ id: "no-soroban-data" } as const] : []),
    ...unorderedMaps.map((map) => ({ id: "unordered-map", map }) as const),
    ...unsigned.map((authorization) => ({ id: "unsigned-authorization", authorization }) as const),
  ];
}

/**
 * Says whether a fault decides. An envelope without a signature is not finished, because an
 * authorization can still be signed.
 */
function isDeciding({ id }: EnvelopeFault, facts: OfflineFacts): boolean {
  return id !== "unsigned-authorization" || isSigned(facts);
}

function isUnsigned({ address, signed }: AuthorizationFacts): boolean {
  return address !== null && !signed;
}

const CAUSE_OF_FAULT = {
  "no-soroban-data": { kind: "refused", confidence: "known" },
  "unordered-map": { kind: "value-invalid", confidence: "known" },
  "unsigned-authorization": { kind: "authorization-unsigned", confidence: "likely" },
} as const satisfies Readonly<
  Record<EnvelopeFault["id"], Pick<FoundBy<"envelope-fault">, "kind" | "confidence">>
>;

function faultCause(
  fault: EnvelopeFault,
  code: string | null,
  replay: HashOnNetwork | null,
): CauseFinding {
  const facts = { fault, code, replay };
  return { by: "envelope-fault", ...CAUSE_OF_FAULT[fault.id], facts, evidence: [] };
}

/**
 * Says whether the envelope is signed. Without a signature it is not finished: what it lacks can
 * still be added.
 */
function isSigned({ signings }: OfflineFacts): boolean {
  return signings.some(({ signatures }) => signatures.length > 0);
}

/** The envelope's hash on the only network that it was signed for; null for none or several. */
function provenHash({ hashes, signedFor }: OfflineFacts): HashOnNetwork | null {
  const [only, ...more] = signedFor;
  const proven = hashes.find(({ networkPassphrase }) => networkPassphrase === only);
  return more.length > 0 ? null : (proven ?? null);
}

/**
 * The name of the network on which the envelope has the hash; null if none of those with a name.
 * Throws XDR_INVALID.
 */
export function networkOfHash(hash: string, envelopeXdr: string | null): string | null {
  if (envelopeXdr === null) return null;
  const passphrase = KNOWN_PASSPHRASES.find((each) => hasHash(envelopeXdr, each, hash));
  return passphrase === undefined ? null : knownNetworkName(passphrase);
}

function hasHash(envelopeXdr: string, networkPassphrase: string, hash: string): boolean {
  const envelope = openEnvelope(envelopeXdr, networkPassphrase);
  return envelope.hash === hash || envelope.innerHash === hash;
}

function hashesOf(facts: OfflineFacts): Pick<EnvelopeHashes, "hashes" | "isProven"> {
  const proven = provenHash(facts);
  return { hashes: proven === null ? facts.hashes : [proven], isProven: proven !== null };
}

type EnvelopeHashes = Extract<CauseEvidence, { readonly kind: "envelope-hashes" }>;
