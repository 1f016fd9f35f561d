// The watched things: contracts and accounts, with the functions and causes that matter. A
// transaction is watched if its envelope names one of them anywhere: as source, in its call, in an
// authorization or in its footprint. If the list is empty, every transaction is watched.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { SvcError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";
import {
  decodeStrkey,
  isAddress,
  isMistypedAddress,
  MISTYPED_ADDRESS,
} from "../base/text/strkey.ts";
import { CHAIN_CAUSES } from "../model/cause-kinds.ts";
import type { Labels } from "../model/labels.ts";

const KEY_SIZE = 32;

export interface WatchedThing {
  /** An address of any kind: C…, G…, M…, W…, B… or L…. */
  readonly address: string;
  /** The user's name for the address. */
  readonly label: string | null;
}

export interface WatchList {
  /** The watched things; empty for everything. */
  readonly things: readonly WatchedThing[];
  /** Names of contract functions; empty for all. */
  readonly functions: readonly string[];
  /** Kinds of causes; empty for all. */
  readonly causes: readonly string[];
  /** The user's names for addresses, including addresses that are not watched. */
  readonly labels: Labels;
}

export interface Watch extends WatchList {
  /**
   * The labels or addresses of the watched things that the envelope names; null if the transaction
   * is not watched.
   */
  find(envelope: Uint8Array): readonly string[] | null;
  /** Says whether the called functions and the kind of cause are watched. */
  wants(functions: readonly (string | null)[], cause: string): boolean;
}

/**
 * Opens a watch list. Throws USAGE for a word that is not an address, and for an unknown kind of
 * cause.
 */
export function openWatch(list: WatchList): Watch {
  const kinds = new Set<string>(CHAIN_CAUSES);
  for (const cause of list.causes) if (!kinds.has(cause)) throw unknownCause(cause);
  const things = list.things.map(({ address, label }) => ({
    name: label ?? address,
    id: Buffer.from(bytesOf(address)),
  }));
  const { functions, causes } = list;
  return {
    ...list,
    find(envelope) {
      if (things.length === 0) return [];
      const bytes = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.byteLength);
      const named = things.filter(({ id }) => bytes.includes(id)).map(({ name }) => name);
      return named.length === 0 ? null : named;
    },
    wants: (called, cause) =>
      (functions.length === 0 || called.some((name) => name && functions.includes(name))) &&
      (causes.length === 0 || causes.includes(cause)),
  };
}

function unknownCause(cause: string): SvcError {
  const nearest = nearestWord(cause, CHAIN_CAUSES);
  return new SvcError("USAGE", {
    message: `"${cause.slice(0, 80)}" is not a kind of cause.`,
    remedy:
      nearest === null
        ? phrase`Run ${svc("explain --list causes")} to see the kinds.`
        : phrase`Did you mean \`${nearest}\`? ${svc("watch --help")} lists the kinds.`,
  });
}

/** The bytes that stand for the address in XDR. */
function bytesOf(address: string): Uint8Array {
  const decoded = isAddress(address) ? decodeStrkey(address) : null;
  if (decoded === null)
    throw new SvcError("USAGE", {
      message: `"${address.slice(0, 80)}" is not the address of a contract or an account.`,
      remedy: isMistypedAddress(address)
        ? MISTYPED_ADDRESS
        : "Pass the complete address: 56 characters that begin with C or G, or a muxed address (M… or W…).",
    });
  const { kind, payload } = decoded;
  // A strkey has the number of a muxed address last, and XDR has it first.
  if (kind === "muxed" || kind === "muxed-contract")
    return Buffer.concat([payload.subarray(KEY_SIZE), payload.subarray(0, KEY_SIZE)]);
  return payload.subarray(-KEY_SIZE);
}
