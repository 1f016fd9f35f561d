// What the host could not take in at all: a malformed value among the arguments or in an
// authorization entry. It ends the transaction before any contract runs, and nothing is reported.

import { readAuthorizations } from "../../xdr/envelope/authorizations.ts";
import { invokedArguments } from "../../xdr/envelope/invoked.ts";
import { flawOf } from "../../xdr/values/scval-validity.ts";
import { type CauseFacts, evidenceOf, type Failure } from "./failure.ts";

const TYPES: ReadonlySet<string> = new Set(["Value", "Object", "Context"]);

export function inputCause(failure: Failure): CauseFacts | null {
  const { error, call, origin } = failure;
  if (error === null || !TYPES.has(error.type) || call !== null) return null;
  if (origin !== null && origin.message !== "failed to convert ScVal to host value") return null;
  const evidence = evidenceOf(failure);
  const flaw = argumentFlaw(failure) ?? authorizationFlaw(failure);
  const kind = "input-invalid";
  const remedy = "Build the values with an SDK's own conversions, and sign again.";
  const before = "before any contract ran";
  if (flaw === null) {
    const summary = `The host could not take in a value of the transaction, ${before}.`;
    return { cause: { kind, summary, confidence: "known" }, evidence, remedy };
  }
  const summary = `The host could not take in ${flaw}, ${before}.`;
  // The host does not say which value it was; this one it never takes.
  return { cause: { kind, summary, confidence: "likely" }, evidence, remedy };
}

function argumentFlaw({ envelopeXdr }: Failure): string | null {
  const flaws = invokedArguments(envelopeXdr).map(flawOf);
  const at = flaws.findIndex((flaw) => flaw !== null);
  return at < 0 ? null : `argument ${at + 1}: ${flaws[at]}`;
}

function authorizationFlaw({ envelopeXdr }: Failure): string | null {
  for (const [i, entry] of readAuthorizations(envelopeXdr).entries()) {
    const where = `authorization entry ${i + 1}`;
    const signature = entry.signatureXdr === null ? null : flawOf(entry.signatureXdr);
    if (signature !== null) return `the signature of ${where}: ${signature}`;
    const calls = [entry.root];
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
      if (call.function !== null && !/^\w{1,32}$/.test(call.function))
        return `the name of a function in ${where}: it is no symbol`;
      const flaw = call.argumentsXdr.map(flawOf).find((each) => each !== null) ?? null;
      if (flaw !== null) return `an argument in ${where}: ${flaw}`;
      calls.push(...call.calls);
    }
  }
  return null;
}
