// Tells a ledger of a later protocol than svc knows from everything that is an error.

import { isProtocolUnknown } from "../model/protocols.ts";
import type { UnknownProtocol } from "../model/verification.ts";

/**
 * The ledger with which ledgers begin that cannot be verified. Throws every error that is not about
 * a later protocol.
 */
export function whereLater(
  error: unknown,
  { source, ledgers, ledger }: Pick<UnknownProtocol, "source" | "ledgers" | "ledger">,
): UnknownProtocol {
  if (!isProtocolUnknown(error)) throw error;
  const { details } = error;
  const protocolVersion = Number(details.protocolVersion);
  return { ledger: Number(details.ledger ?? ledger), protocolVersion, source, ledgers };
}
