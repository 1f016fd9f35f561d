// The protocols that this svc knows: svc reads their XDR, and its svc-sim has their contract hosts.
// The rows of src/svc-sim/src/protocols.rs decide both, and a test compares these numbers with
// them.
// Invariant: nothing of a later protocol is taken for a known one. It is PROTOCOL_UNKNOWN.

import { SvcError } from "../base/errors/errors.ts";

export const OLDEST_PROTOCOL = 20;
export const NEWEST_PROTOCOL = 30;

/** The place where a later protocol was seen, with the details for the error. */
export interface LaterProtocol {
  readonly protocolVersion: number;
  /** The ledger of that protocol; null if its number cannot be read. */
  readonly ledger: number | null;
  /** The node that reports the protocol of its network, if no ledger shows it. */
  readonly node?: string;
  /** Details of the requested transaction or data, for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The newest that is read and run: another svc-sim, given by its path, may have fewer hosts. */
export function newestUsable(hosts: readonly { readonly protocol: number }[]): number {
  return Math.min(NEWEST_PROTOCOL, Math.max(...hosts.map(({ protocol }) => protocol)));
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

/** Returns the result of `read`. An error about a later protocol gets the number of this ledger. */
export function ofLedger<T>(ledger: number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw namedLedger(error, ledger);
  }
}

/** Adds the number of the ledger to the error, if its header did not show it. */
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
