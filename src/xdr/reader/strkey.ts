// SEP-23 strkeys: version byte ‖ payload ‖ CRC-16/XMODEM (little-endian), in base32 without
// padding.

import { Remembered } from "../../base/remembered.ts";

export type StrkeyKind = keyof typeof VERSION_BYTES;

const VERSION_BYTES = {
  account: 6 << 3, // G
  seed: 18 << 3, // S
  muxed: 12 << 3, // M
  contract: 2 << 3, // C
  "muxed-contract": 22 << 3, // W
  "liquidity-pool": 11 << 3, // L
  "claimable-balance": 1 << 3, // B
  "pre-authorized-transaction": 19 << 3, // T
  hash: 23 << 3, // X
  "signed-payload": 15 << 3, // P
} as const;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const strkeys = new Remembered<string>(2 ** 16);

/**
 * Payload: 32 bytes; muxed accounts and contracts (CAP-84) 40 (key or contract, then id), claimable
 * balances 33 (type, then id).
 */
export function encodeStrkey(kind: StrkeyKind, payload: Uint8Array): string {
  return strkeys.of(kind + payload.toHex(), () => encoded(kind, payload));
}

function encoded(kind: StrkeyKind, payload: Uint8Array): string {
  const bytes = new Uint8Array(payload.length + 3);
  bytes[0] = VERSION_BYTES[kind];
  bytes.set(payload, 1);
  const checksum = crc16(bytes.subarray(0, payload.length + 1));
  bytes[payload.length + 1] = checksum & 0xff;
  bytes[payload.length + 2] = checksum >> 8;
  return base32(bytes);
}

/** The ed25519 key of an account's address (G…); null for any other text. */
export function decodeAccountKey(address: string): Uint8Array | null {
  return address.startsWith("G") ? decode("account", address) : null;
}

/** The id of a contract's address (C…); null for any other text. */
export function decodeContractId(address: string): Uint8Array | null {
  return address.startsWith("C") ? decode("contract", address) : null;
}

/** Decodes the kinds whose payload is 32 bytes. */
function decode(kind: "account" | "contract", address: string): Uint8Array | null {
  if (!/^[GC][A-Z2-7]{55}$/.test(address)) return null;
  const bytes: number[] = [];
  let buffer = 0;
  let bits = 0;
  for (const letter of address) {
    buffer = ((buffer << 5) | ALPHABET.indexOf(letter)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((buffer >> bits) & 0xff);
    }
  }
  const key = new Uint8Array(bytes).subarray(1, 33);
  return encodeStrkey(kind, key) === address ? key : null;
}

/** CRC-16/XMODEM of each four bits. */
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

/** True for what has the form of an account's or a contract's address, and a wrong checksum. */
export function isMistypedAddress(text: string): boolean {
  const isAddress = decodeAccountKey(text) !== null || decodeContractId(text) !== null;
  return /^[CG][A-Z2-7]{55}$/.test(text) && !isAddress;
}

export const MISTYPED_ADDRESS = "Copy the address again: a character of it is wrong.";
