// A malformed value among the arguments or in an authorization entry, which the host refuses before
// any contract runs. The host reports nothing about it.

import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { CALLS, messageIn } from "../../xdr/outcome/host-messages.ts";
import { flawOf } from "../../xdr/values/scval-validity.ts";
import type { CauseFinding, FlawedPart, FoundBy } from "../words/found-cause.ts";
import { evidenceOf, type Failure } from "./failure.ts";

const TYPES: ReadonlySet<string> = new Set(["Value", "Object", "Context"]);

export function inputCause(failure: Failure): CauseFinding | null {
  const { error, call, origin } = failure;
  if (error === null || !TYPES.has(error.type) || call !== null) return null;
  const reported = messageIn(CALLS, origin?.message)?.id;
  if (origin !== null && reported !== "value-not-converted") return null;
  const { envelope } = failure;
  const flaw = envelope && (argumentFlaw(envelope) ?? authorizationFlaw(envelope));
  return {
    by: "input",
    kind: "input-invalid",
    facts: { flaw },
    // The host does not report which value it refused, but it always refuses this one.
    confidence: flaw === null ? "known" : "likely",
    evidence: evidenceOf(failure),
  };
}

type Flaw = NonNullable<FoundBy<"input">["facts"]["flaw"]>;

function argumentFlaw({ hostFunction }: Envelope): Flaw | null {
  const flaws = (hostFunction?.argumentsXdr ?? []).map(flawOf);
  const at = flaws.findIndex((flaw) => flaw !== null);
  const flaw = flaws[at] ?? null;
  return flaw && { of: { part: "argument", index: at }, ...flaw };
}

function authorizationFlaw({ authorizations }: Envelope): Flaw | null {
  for (const [at, entry] of authorizations.entries()) {
    const within = (part: Exclude<FlawedPart["part"], "argument">) => ({ part, entry: at });
    const signature = entry.signatureXdr === null ? null : flawOf(entry.signatureXdr);
    if (signature !== null) return { of: within("signature"), ...signature };
    const calls = [entry.root];
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
      if (call.function !== null && !/^\w{1,32}$/.test(call.function))
        return { of: within("function-name"), why: "it is not a symbol", isAddress: false };
      const flaw = call.argumentsXdr.map(flawOf).find((each) => each !== null) ?? null;
      if (flaw !== null) return { of: within("authorized-argument"), ...flaw };
      calls.push(...call.calls);
    }
  }
  return null;
}
