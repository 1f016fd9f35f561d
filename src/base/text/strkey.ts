// SEP-23 strkeys: version byte ‖ payload ‖ CRC-16/XMODEM (little-endian), in base32 without
// padding. This file alone knows what the text of an address looks like. Code that recognizes,
// shortens or checks addresses asks here, so that a new kind of address is one row.

import { ofTexts } from "../recently-used.ts";

/**
 * The version byte, which becomes the first letter, and the smallest and largest size of the
 * payload in bytes.
 */
const KINDS = {
  account: { version: 6 << 3, payload: [32, 32] }, // G
  contract: { version: 2 << 3, payload: [32, 32] }, // C
  /** The account's key, then a number of 64 bits. */
  muxed: { version: 12 << 3, payload: [40, 40] }, // M
  /** The contract's id, then a number of 64 bits (CAP-84). */
  "muxed-contract": { version: 22 << 3, payload: [40, 40] }, // W
  /** The type of the id, then the id. */
  "claimable-balance": { version: 1 << 3, payload: [33, 33] }, // B
  "liquidity-pool": { version: 11 << 3, payload: [32, 32] }, // L
  seed: { version: 18 << 3, payload: [32, 32] }, // S
  "pre-authorized-transaction": { version: 19 << 3, payload: [32, 32] }, // T
  hash: { version: 23 << 3, payload: [32, 32] }, // X
  /** A key, then opaque<64>. */
  "signed-payload": { version: 15 << 3, payload: [40, 100] }, // P
} as const;

export type StrkeyKind = keyof typeof KINDS;

/** The kinds of addresses that an SCAddress can hold. */
export const ADDRESS_KINDS = [
  "account",
  "contract",
  "muxed",
  "muxed-contract",
  "claimable-balance",
  "liquidity-pool",
] as const satisfies readonly StrkeyKind[];

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const VERSION_AND_CHECKSUM = 3;
const KEY_SIZE = 32;

const strkeys = ofTexts<string>(2 ** 16);

export function encodeStrkey(kind: StrkeyKind, payload: Uint8Array): string {
  return strkeys.of(kind + payload.toHex(), () => encoded(kind, payload));
}

function encoded(kind: StrkeyKind, payload: Uint8Array): string {
  const bytes = new Uint8Array(payload.length + VERSION_AND_CHECKSUM);
  bytes[0] = KINDS[kind].version;
  bytes.set(payload, 1);
  const checksum = crc16(bytes.subarray(0, payload.length + 1));
  bytes[payload.length + 1] = checksum & 0xff;
  bytes[payload.length + 2] = checksum >> 8;
  return base32(bytes);
}

export interface Strkey {
  readonly kind: Exclude<StrkeyKind, "seed">;
  readonly payload: Uint8Array;
}

/** Returns null for a text that is not a strkey, and for a seed: no secret is decoded. */
export function decodeStrkey(text: string): Strkey | null {
  const kind = KIND_BY_LETTER.get(text.slice(0, 1));
  if (kind === undefined || kind === "seed" || !isStrkeyForm(text, [kind])) return null;
  const payload = bytesOfBase32(text).subarray(1, 1 - VERSION_AND_CHECKSUM);
  return isPayload(kind, payload) && encodeStrkey(kind, payload) === text
    ? { kind, payload }
    : null;
}

/** Returns the ed25519 key of an account's address (G…), or null for any other text. */
export function decodeAccountKey(address: string): Uint8Array | null {
  return address.startsWith("G") ? (decodeStrkey(address)?.payload ?? null) : null;
}

/** Returns the id of a contract's address (C…), or null for any other text. */
export function decodeContractId(address: string): Uint8Array | null {
  return address.startsWith("C") ? (decodeStrkey(address)?.payload ?? null) : null;
}

export function isAccountAddress(text: string): boolean {
  return decodeAccountKey(text) !== null;
}

export function isContractAddress(text: string): boolean {
  return decodeContractId(text) !== null;
}

export interface MuxedParts {
  /** The account (G…) or the contract (C…). */
  readonly address: string;
  readonly kind: "account" | "contract";
  readonly id: bigint;
}

/** Splits a muxed address (M… or W…). Returns null for any other text. */
export function partsOfMuxed(address: string): MuxedParts | null {
  const decoded = decodeStrkey(address);
  if (decoded?.kind !== "muxed" && decoded?.kind !== "muxed-contract") return null;
  const kind = decoded.kind === "muxed" ? "account" : "contract";
  const { payload } = decoded;
  return {
    kind,
    address: encodeStrkey(kind, payload.subarray(0, KEY_SIZE)),
    id: BigInt(`0x${payload.subarray(KEY_SIZE).toHex()}`),
  };
}

/** True for a valid address of any kind. */
export function isAddress(text: string): boolean {
  const kind = decodeStrkey(text)?.kind;
  return ADDRESS_KINDS.some((each) => each === kind);
}

/**
 * Returns the source of a regular expression for strkeys of these kinds. It does not check their
 * checksums.
 */
export function strkeyPattern(kinds: readonly StrkeyKind[] = ADDRESS_KINDS): string {
  const byLength = Map.groupBy(kinds, (kind) => lengthsOf(kind).join());
  const forms = [...byLength].map(([lengths, alike]) => {
    const letters = alike.map(letterOf).join("");
    const first = alike.length === 1 ? letters : `[${letters}]`;
    return `${first}[A-Z2-7]{${[...new Set(lengths.split(","))].map((each) => Number(each) - 1)}}`;
  });
  return forms.length === 1 ? forms.join("") : `(?:${forms.join("|")})`;
}

const forms = new Map<string, RegExp>();

/**
 * True if the letter, the length and the alphabet are those of one of these kinds. The checksum may
 * be wrong.
 */
export function isStrkeyForm(text: string, kinds: readonly StrkeyKind[] = ADDRESS_KINDS): boolean {
  const name = kinds.join();
  const form = forms.get(name) ?? new RegExp(`^${strkeyPattern(kinds)}$`);
  forms.set(name, form);
  return form.test(text);
}

/** True for a text in the form of an address whose checksum is wrong. */
export function isMistypedAddress(text: string): boolean {
  return isStrkeyForm(text) && !isAddress(text);
}

export const MISTYPED_ADDRESS = "Copy the address again: a character of it is wrong.";

/** Returns an addition in brackets to a message that wants another text: what this address is. */
export function addressHint(text: string): string {
  const muxed = partsOfMuxed(text);
  if (muxed !== null)
    return ` (this is a muxed address, of the ${muxed.kind} ${muxed.address} and the number ${muxed.id})`;
  return isMistypedAddress(text) ? " (its checksum is wrong: copy it again)" : "";
}

/** Keeps the first and the last letters: `CARM…JDFF`. */
export function shortStrkey(address: string, ends = 4): string {
  return `${address.slice(0, ends)}…${address.slice(-ends)}`;
}

/** Matches a short address: the source of a regular expression. */
export const SHORT_ADDRESS = `[${ADDRESS_KINDS.map(letterOf).join("")}][A-Z2-7]{3}…[A-Z2-7]{4}`;

/** The first letters of an address and a mark that some are missing, or several letters alone. */
const BEGUN_ADDRESS = new RegExp(
  "^([CG])(?:[A-Z2-7]{2,54}(?:…|\\.{2,6}|\\*{1,6}|~)[A-Z2-7]{0,54}" +
    "|(?=[A-Z2-7]*[2-7])[A-Z2-7]{5,54})$",
);

/** The kind of an address that somebody shortened, such as `CDLZ...CYSC`; null for any other text. */
export function kindOfShortened(text: string): "account" | "contract" | null {
  const [, letter] = BEGUN_ADDRESS.exec(text) ?? [];
  if (letter === undefined) return null;
  return letter === "G" ? "account" : "contract";
}

function letterOf(kind: StrkeyKind): string {
  return ALPHABET[KINDS[kind].version >> 3] as string;
}

const KIND_BY_LETTER: ReadonlyMap<string, StrkeyKind> = new Map(
  (Object.keys(KINDS) as StrkeyKind[]).map((kind) => [letterOf(kind), kind]),
);

/** Returns the shortest and the longest length of the text. */
function lengthsOf(kind: StrkeyKind): number[] {
  return KINDS[kind].payload.map((size) => Math.ceil(((size + VERSION_AND_CHECKSUM) * 8) / 5));
}

function isPayload(kind: StrkeyKind, payload: Uint8Array): boolean {
  const [least, most] = KINDS[kind].payload;
  if (payload.length < least || payload.length > most) return false;
  // The only type of a claimable balance's id is 0.
  if (kind === "claimable-balance") return payload[0] === 0;
  if (kind !== "signed-payload") return true;
  const length = Number(`0x${payload.subarray(KEY_SIZE, KEY_SIZE + 4).toHex()}`);
  const padding = payload.subarray(KEY_SIZE + 4 + length);
  const isPadded = KEY_SIZE + 4 + ((length + 3) & ~3) === payload.length;
  return length > 0 && isPadded && padding.every((byte) => byte === 0);
}

/** CRC-16/XMODEM, four bits at a time. */
const CRC16 = [
  0x0000, 0x1021, 0x2042, 0x3063, 0x4084, 0x50a5, 0x60c6, 0x70e7, 0x8108, 0x9129, 0xa14a, 0xb16b,
  0xc18c, 0xd1ad, 0xe1ce, 0xf1ef,
] as const;

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc = ((crc << 4) & 0xffff) ^ (CRC16[(crc >> 12) ^ (byte >> 4)] as number);
    crc = ((crc << 4) & 0xffff) ^ (CRC16[(crc >> 12) ^ (byte & 15)] as number);
  }
  return crc;
}

function base32(bytes: Uint8Array): string {
  let text = "";
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
  }
  if (bits > 0) text += ALPHABET[(buffer << (5 - bits)) & 31];
  return text;
}

function bytesOfBase32(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  let at = 0;
  let buffer = 0;
  let bits = 0;
  for (const letter of text) {
    buffer = ((buffer << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (buffer >> bits) & 0xff;
    at += 1;
  }
  return bytes;
}
