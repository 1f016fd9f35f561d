// Opens an envelope from the command line or from a file. Only the user can correct it.

import { SvcError } from "../../base/errors/errors.ts";
import { noteFields } from "../../base/errors/field-problems.ts";
import { type Envelope, openEnvelope } from "../../xdr/envelope/envelope.ts";
import { xdrProblems } from "../../xdr/reader/xdr-problems.ts";

/**
 * `name` says where the envelope comes from. Throws FILE_INVALID if it is not a
 * TransactionEnvelope.
 */
export function openGivenEnvelope(
  envelopeXdr: string,
  networkPassphrase: string,
  name: string,
): Envelope {
  try {
    return openEnvelope(envelopeXdr, networkPassphrase);
  } catch (cause) {
    const refused = new SvcError("FILE_INVALID", {
      message: `${name} is not a TransactionEnvelope in base64: ${(cause as Error).message}`,
      remedy: "Pass the envelope as stellar-sdk's toXDR() or the stellar tx commands print it.",
      cause,
    });
    throw noteFields(refused, () =>
      xdrProblems("envelope_xdr", "TransactionEnvelope", envelopeXdr),
    );
  }
}
