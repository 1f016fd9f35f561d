// Finds the transaction of an envelope that is used instead of a hash. The hash follows from the
// network that the signatures prove.

import { SvcError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";
import { explainEnvelope, offlineFacts } from "../explain/envelope-answer.ts";
import { KNOWN_PASSPHRASES, knownNetworkName, networkInWords } from "../model/networks.ts";
import type { TransactionOfUrl } from "../model/transaction-url.ts";
import { type OfflineFacts, readOfflineFacts } from "../xdr/envelope/offline-facts.ts";

const MOST_CHARACTERS = 1024 * 1024;

export interface HashedEnvelope {
  /** Null if no signature is for a network with a name, or if the signatures are for several. */
  readonly transaction: TransactionOfUrl | null;
  /** The envelope's hash on each network, by the network's name. */
  readonly hashes: readonly (readonly [network: string, hash: string])[];
}

/** Returns null if the text is not an envelope in base64. */
export function hashedEnvelope(text: string): HashedEnvelope | null {
  if (text.length > MOST_CHARACTERS || !/^[A-Za-z0-9+/]{100,}={0,2}$/.test(text)) return null;
  const facts = factsOf(text);
  if (facts === null) return null;
  const { hashes, signedFor } = facts;
  const [passphrase = "", ...others] = signedFor;
  const hashOfNetwork = hashes.find(({ networkPassphrase }) => networkPassphrase === passphrase);
  const network = knownNetworkName(passphrase);
  return {
    transaction:
      hashOfNetwork === undefined || others.length > 0
        ? null
        : { hash: hashOfNetwork.hash, network },
    hashes: hashes.map(({ networkPassphrase, hash }) => [networkInWords(networkPassphrase), hash]),
  };
}

const JUST_SENT = "If it was sent just now, try again in 10 to 30 seconds.";

/**
 * The error for an envelope whose hash no source has. It contains what the envelope itself shows.
 */
export function envelopeNotFound(error: SvcError, envelopeXdr: string): SvcError {
  const { cause, evidence, remedy } = explainEnvelope(offlineFacts(envelopeXdr));
  const shown = [...(cause === null ? [] : [cause.summary]), ...evidence];
  const toDo = cause === null || remedy === null ? "" : phrase`${remedy} `;
  const simulate = phrase`If the envelope was not sent yet, ${svc("simulate", "run")} with it: it shows what the transaction would do.`;
  const { message, httpRemedy, details } = error;
  const { networks } = details;
  const isElsewhere = Array.isArray(networks) && networks.length > 0;
  return new SvcError("TRANSACTION_NOT_FOUND", {
    message: `${message}\nThe envelope shows:\n  ${shown.join("\n  ")}`,
    remedy: isElsewhere ? error.remedy : phrase`${toDo}${simulate} ${JUST_SENT}`,
    ...(httpRemedy !== null && { httpRemedy }),
    details,
    cause: error,
  });
}

/** Returns null if the XDR is not that of an envelope. */
function factsOf(xdr: string): OfflineFacts | null {
  try {
    return readOfflineFacts(xdr, KNOWN_PASSPHRASES);
  } catch (error) {
    if (error instanceof SvcError) return null;
    throw error;
  }
}
