// The envelope that a person can sign after a simulation: with the footprint, the resources, the
// fee and the authorizations that the simulation reports, as SDKs assemble it.

import { unsignedOf } from "../../explain/sending.ts";
import type { Sending, Simulation } from "../../model/simulation.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { ENVELOPE_TYPE } from "../../xdr/envelope/envelope-facts.ts";
import { withFee, withoutSignatures } from "../../xdr/envelope/patch-envelope.ts";
import { asSimulated } from "./as-simulated.ts";

/**
 * Base64, without signatures. Null if a signature alone would not be enough: the transaction would
 * fail, others have to sign authorizations first, or archived entries have to be restored first.
 * Null also for fee-bumps and envelopes of version 0.
 */
export function envelopeToSign(
  envelope: Envelope,
  { simulation, succeeds }: { readonly simulation: Simulation; readonly succeeds: boolean },
  sending: Sending | null,
): string | null {
  const { transactionDataXdr, minResourceFeeStroops, restorePreamble } = simulation;
  const { decoded, terms, soroban } = envelope;
  if (!succeeds || transactionDataXdr === null || restorePreamble !== null) return null;
  if (decoded.type !== ENVELOPE_TYPE.v1 || (sending?.simulatedRefusal ?? null) !== null)
    return null;
  if (unsignedOf(simulation, envelope).length > 0) return null;
  const inclusionFeeStroops = terms.feeStroops - BigInt(soroban?.resourceFeeStroops ?? 0);
  const feeStroops = inclusionFeeStroops + BigInt(minResourceFeeStroops);
  return withFee(asSimulated(withoutSignatures(envelope), simulation), feeStroops).xdr;
}
