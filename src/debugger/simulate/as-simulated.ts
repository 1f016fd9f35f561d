// An envelope that declares what a simulation reports.

import type { Simulation } from "../../model/simulation.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import {
  withAuthorizations,
  withSorobanTransactionData,
} from "../../xdr/envelope/patch-envelope.ts";

/** The envelope with the resources, footprint and authorizations that a simulation reports. */
export function asSimulated(
  envelope: Envelope,
  { transactionDataXdr, authorizationsXdr }: Simulation,
): Envelope {
  if (transactionDataXdr === null) return envelope;
  const declared = withSorobanTransactionData(envelope, transactionDataXdr);
  if (envelope.hostFunction === null) return declared;
  return withAuthorizations(declared, authorizationsXdr);
}
