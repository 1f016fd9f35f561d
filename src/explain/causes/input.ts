// A malformed value among the arguments or in an authorization entry, which the host refuses before
// any contract runs. The host reports nothing about it.

import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { CALLS, messageIn } from "../../xdr/outcome/host-messages.ts";
import { ADDRESS_OF, flawOf } from "../../xdr/values/scval-validity.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const TYPES: ReadonlySet<string> = new Set(["Value", "Object", "Context"]);

export function inputCause(failure: Failure): CauseFacts | null {
  const { error, call, origin } = failure;
  if (error === null || !TYPES.has(error.type) || call !== null) return null;
  const reported = messageIn(CALLS, origin?.message)?.id;
  if (origin !== null && reported !== "value-not-converted") return null;
  const evidence = evidenceOf(failure);
  const { envelope } = failure;
  const flaw = envelope && (argumentFlaw(envelope) ?? authorizationFlaw(envelope));
  const kind = "input-invalid";
  const remedy = "Build the values with an SDK's conversion functions, and sign again.";
  if (flaw === null) {
    const summary = "The host refused a value of the transaction before any contract ran.";
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy };
  }
  const summary = `The host refused ${flaw.of} before any contract ran: ${flaw.why}.`;
  // The host does not report which value it refused, but it always refuses this one.
  const own = flaw.why.includes(ADDRESS_OF)
    ? "Pass the address of an account or of a contract."
    : remedy;
  return { cause: { kind, summary, confidence: "likely" }, evidence, remedy: own };
}

interface Flaw {
  readonly of: string;
  readonly why: string;
}

function argumentFlaw({ hostFunction }: Envelope): Flaw | null {
  const flaws = (hostFunction?.argumentsXdr ?? []).map(flawOf);
  const at = flaws.findIndex((flaw) => flaw !== null);
  const why = flaws[at] ?? null;
  return why === null ? null : { of: `argument ${at + 1}`, why };
}

function authorizationFlaw({ authorizations }: Envelope): Flaw | null {
  for (const [i, entry] of authorizations.entries()) {
    const where = `authorization entry ${i + 1}`;
    const signature = entry.signatureXdr === null ? null : flawOf(entry.signatureXdr);
    if (signature !== null) return { of: `the signature of ${where}`, why: signature };
    const calls = [entry.root];
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
      if (call.function !== null && !/^\w{1,32}$/.test(call.function))
        return { of: `the name of a function in ${where}`, why: "it is not a symbol" };
      const why = call.argumentsXdr.map(flawOf).find((each) => each !== null) ?? null;
      if (why !== null) return { of: `an argument in ${where}`, why };
      calls.push(...call.calls);
    }
  }
  return null;
}
