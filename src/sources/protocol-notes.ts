// Notes once what each node reports about protocols, for programs that run for long: the network
// has a protocol that svc does not know, or the node's stellar-core supports one, so that an
// upgrade is near.

import { isLaterProtocol, NEWEST_PROTOCOL } from "../model/protocols.ts";

export interface SaidProtocols {
  readonly protocolVersion: number | null;
  readonly supportedProtocol?: number | null;
}

/** Receives each answer. `node` is the node's name. */
export type NoteProtocols = (node: string, said: SaidProtocols) => void;

type NoteLog = (
  level: "warn" | "error",
  message: string,
  fields: Readonly<Record<string, string | number>>,
) => void;

export const UNKNOWN_PROTOCOL_SEEN =
  "the network is of a later protocol than this svc knows: update svc";
export const UPGRADE_EXPECTED =
  "the network is being prepared for a later protocol than this svc knows: update svc";

export function openProtocolNotes(log: NoteLog): NoteProtocols {
  const noted = new Set<string>();
  const note = (
    level: "warn" | "error",
    message: string,
    node: string,
    protocol: number | null | undefined,
  ) => {
    if (!protocol || !isLaterProtocol(protocol) || noted.has(`${message} ${protocol}`)) return;
    noted.add(`${message} ${protocol}`);
    log(level, message, { source: node, protocol, newestProtocol: NEWEST_PROTOCOL });
  };
  return (node, { protocolVersion, supportedProtocol }) => {
    note("error", UNKNOWN_PROTOCOL_SEEN, node, protocolVersion);
    note("warn", UPGRADE_EXPECTED, node, supportedProtocol);
  };
}
