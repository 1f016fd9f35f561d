// What the host refused a contract to do, by the host's own words: calling a contract that is
// running, a signature that does not verify, an error that is not the contract's to give.

import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

interface Refusal {
  readonly message: RegExp;
  readonly kind: string;
  /** A sentence; `{call}` stands for the call. */
  readonly words: string;
  readonly remedy: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    message: /^Contract re-entry is not allowed$/,
    kind: "contract-re-entry",
    words: "{call} called a contract that was running already: the host forbids to enter it again.",
    remedy: "Make the contracts call each other in one direction only.",
  },
  {
    message: /^frame-exit with Ok\(Error\) carrying a non-ScErrorType::Contract Error$/,
    kind: "contract-action",
    words: "{call} returned an error of the host's kinds, which only the host may give.",
    remedy: "Return errors of the contract's own error enum.",
  },
  {
    message: /^failed (ED25519|secp256[a-z0-9]*|.*signature) verification/i,
    kind: "signature-invalid",
    words: "A signature did not verify in {call}: it does not fit the public key and the message.",
    remedy: "Check key, message and signature; sign exactly the bytes that are verified.",
  },
];

export function hostActionCause(failure: Failure): CauseFacts | null {
  const message = failure.origin?.message ?? "";
  const refusal = REFUSALS.find((each) => each.message.test(message));
  if (refusal === undefined) return null;
  const call = callInWords(failure) ?? "a contract";
  // A function: a name of the chain could hold `$&`.
  const summary = refusal.words.replace("{call}", () => call);
  return {
    cause: { kind: refusal.kind, summary, confidence: "known" },
    evidence: evidenceOf(failure),
    remedy: refusal.remedy,
  };
}
