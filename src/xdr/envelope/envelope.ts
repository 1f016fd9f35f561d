// A TransactionEnvelope that is opened once. Its bytes are checked, and the parts that need
// decoding are read when they are first used.
// Invariant: an envelope never changes. patch-envelope.ts makes other envelopes from it.

import { readBase64 } from "../reader/cursor.ts";
import { networkId } from "../reader/hash.ts";
import { withParts } from "../reader/read-once.ts";
import { shapeOf } from "../reader/shape.ts";
import { decodeBytes, encode, type Value } from "../reader/value.ts";
import { type AuthorizationFacts, readAuthorization } from "./authorizations.ts";
import {
  type EnvelopeFacts,
  hashOfEnvelope,
  innerHashOfEnvelope,
  readEnvelopeFacts,
} from "./envelope-facts.ts";
import { type EnvelopeTerms, readTerms } from "./envelope-terms.ts";
import { authorizationEntries, type HostFunctionFacts, readHostFunction } from "./host-function.ts";

export interface Envelope extends EnvelopeFacts, EnvelopeParts {
  /** Base64. */
  readonly xdr: string;
  readonly networkPassphrase: string;
}

/** Each of these parts is read once, at its first use. */
interface EnvelopeParts {
  /** The hash of the envelope, hex. */
  readonly hash: string;
  /** The hash of the inner transaction of a fee-bump, hex; null otherwise. */
  readonly innerHash: string | null;
  readonly decoded: Value<"TransactionEnvelope">;
  readonly terms: EnvelopeTerms;
  /** Null if no operation invokes a host function. */
  readonly hostFunction: HostFunctionFacts | null;
  /** The authorizations in the envelope's order; empty if no operation invokes a host function. */
  readonly authorizations: readonly AuthorizationFacts[];
  /** The authorizations as SorobanAuthorizationEntries, base64. */
  readonly authorizationsXdr: readonly string[];
}

const envelopeShape = shapeOf("TransactionEnvelope");

/** Throws XDR_INVALID if the text is not an envelope. */
export function openEnvelope(xdr: string, networkPassphrase: string): Envelope {
  const bytes = readBase64(xdr, "TransactionEnvelope", (cursor) => cursor.take(envelopeShape));
  const network = networkId(networkPassphrase);
  const envelope: Envelope = withParts<EnvelopeParts, Omit<Envelope, keyof EnvelopeParts>>(
    { xdr, networkPassphrase, ...readEnvelopeFacts(bytes) },
    {
      hash: () => hashOfEnvelope(bytes, network),
      innerHash: () => innerHashOfEnvelope(bytes, network),
      decoded: () => decodeBytes("TransactionEnvelope", bytes),
      terms: () => readTerms(envelope.decoded),
      hostFunction: () => readHostFunction(envelope.decoded),
      authorizations: () => authorizationEntries(envelope.decoded).map(readAuthorization),
      authorizationsXdr: () =>
        authorizationEntries(envelope.decoded).map((entry) =>
          encode("SorobanAuthorizationEntry", entry),
        ),
    },
  );
  return envelope;
}
