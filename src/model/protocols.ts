// The protocols that this svc knows: those whose XDR it reads, and whose contract hosts its svc-sim
// has. The rows of src/svc-sim/src/protocols.rs decide both; a test holds these numbers against
// them. Invariant: nothing of a later protocol is taken for a known one; it is PROTOCOL_UNKNOWN.

import { SvcError } from "../base/errors/errors.ts";

export const OLDEST_PROTOCOL = 20;
export const NEWEST_PROTOCOL = 30;

/** Where a later protocol was seen, and what knows only the ones before. */
export interface LaterProtocol {
  readonly protocolVersion: number;
  /** The ledger that has it; null where its number cannot be read. */
  readonly ledger: number | null;
  /** The node that says so of its network, where no ledger shows it. */
  readonly node?: string;
  /** Of the transaction or the data that was asked for, for machines. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export function isLaterProtocol(protocolVersion: number): boolean {
  return protocolVersion > NEWEST_PROTOCOL;
}

export function protocolUnknown(later: LaterProtocol): SvcError {
  const { protocolVersion, ledger, node, cause } = later;
  const knows = `this svc knows protocols up to ${NEWEST_PROTOCOL}`;
  return new SvcError("PROTOCOL_UNKNOWN", {
    message: `${subjectOf(later)} of protocol ${protocolVersion}; ${knows}.`,
    remedy: updateFor(protocolVersion),
    cause,
    details: {
      protocolVersion,
      newestProtocol: NEWEST_PROTOCOL,
      ...(ledger !== null && { ledger }),
      ...(node !== undefined && { node }),
      ...later.details,
    },
  });
}

export function updateFor(protocolVersion: number): string {
  return `Update svc: install a release that knows protocol ${protocolVersion} (docs/install.md).`;
}

function subjectOf({ ledger, node }: LaterProtocol): string {
  if (ledger !== null) return `Ledger ${ledger} is`;
  return node === undefined ? "The ledger is" : `The network of ${node} is`;
}

export function isProtocolUnknown(error: unknown): error is SvcError {
  return error instanceof SvcError && error.code === "PROTOCOL_UNKNOWN";
}

/** What `read` gives; a later protocol that it finds is that of this ledger. */
export function ofLedger<T>(ledger: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw namedLedger(error, ledger);
  }
}

/** The error with the number of the ledger, where its header did not show it. */
export function namedLedger(error: unknown, ledger: number): unknown {
  if (!isProtocolUnknown(error) || "ledger" in error.details || "node" in error.details)
    return error;
  const { details, cause } = error;
  return protocolUnknown({
    protocolVersion: Number(details.protocolVersion),
    ledger,
    details,
    cause,
  });
}
