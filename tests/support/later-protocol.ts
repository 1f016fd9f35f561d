// A protocol after the newest that svc knows, invented from real ledgers: their headers have its
// number, and each has one thing that no XDR definition of today has. All have the hashes that their
// headers name, as a network would sign them.

import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { decodeBytes, encodeBytes } from "../../src/xdr/reader/value.ts";
import { uint32s } from "../../src/xdr/reader/words.ts";

export const LATER_PROTOCOL = NEWEST_PROTOCOL + 1;

/** What a ledger has that svc does not know, besides its protocol. */
export const LATER_PARTS = [
  "nothing else",
  "header extension",
  "closing value",
  "ledger meta version",
  "ledger meta extension",
  "transaction meta version",
  "address type",
  "result code",
  "cost type",
] as const;

export type LaterPart = (typeof LATER_PARTS)[number];

const UNKNOWN_ARM = 77;
const HASH_SIZE = 32;
const UNKNOWN_FIELDS = uint32s(UNKNOWN_ARM, 1, 2);
/** How a LedgerEntry of contract data begins, up to the type of its contract's address. */
const CONTRACT_DATA = uint32s(6, 0, 1);
const MORE_COST_TYPES = 200;

/** `previousHash`: of the ledger before, if that was changed too. */
export interface LaterLedger {
  readonly part?: LaterPart;
  readonly protocolVersion?: number;
  readonly previousHash?: Uint8Array | null;
}

export interface MadeLater {
  /** LedgerCloseMeta. */
  readonly bytes: Uint8Array;
  /** LedgerHeader, and its hash. */
  readonly header: Uint8Array;
  readonly hash: Uint8Array;
}

/** The ledger as the later protocol has it. Its number and its transactions stay. */
export function makeLater(
  ledgerCloseMeta: Uint8Array,
  {
    part = "nothing else",
    protocolVersion = LATER_PROTOCOL,
    previousHash = null,
  }: LaterLedger = {},
): MadeLater {
  const view = readLedgerCloseMeta(ledgerCloseMeta, "");
  const [before, original, after] = aroundHeader(ledgerCloseMeta, view);
  const rest = withPart(after, view, part);
  const resultHash = part === "result code" ? hashOfResults(view) : null;
  const header = laterHeader(original, { protocolVersion, part, previousHash, resultHash });
  const hash = sha256(header);
  return { bytes: Buffer.concat([versionOf(before, part), hash, header, rest]), header, hash };
}

export function laterLedger(ledgerCloseMeta: Uint8Array, later: LaterLedger = {}): Uint8Array {
  return makeLater(ledgerCloseMeta, later).bytes;
}

/** LedgerHeader. */
export function laterHeader(
  header: Uint8Array,
  changed: {
    readonly protocolVersion?: number;
    readonly part?: LaterPart;
    readonly previousHash?: Uint8Array | null;
    readonly resultHash?: Uint8Array | null;
  } = {},
): Uint8Array {
  const { protocolVersion = LATER_PROTOCOL, part, previousHash, resultHash } = changed;
  const decoded = decodeBytes("LedgerHeader", header);
  const { scpValue } = decoded;
  const value = encodeBytes("StellarValue", scpValue);
  const plain = encodeBytes("StellarValue", { ...scpValue, ext: { v: 0 } }).subarray(0, -4);
  const afterValue = 4 + HASH_SIZE + value.length;
  return Buffer.concat([
    uint32s(protocolVersion),
    previousHash ?? decoded.previousLedgerHash,
    ...(part === "closing value" ? [plain, UNKNOWN_FIELDS] : [value]),
    resultHash ?? decoded.txSetResultHash,
    header.subarray(afterValue + HASH_SIZE, part === "header extension" ? -4 : undefined),
    ...(part === "header extension" ? [UNKNOWN_FIELDS] : []),
  ]);
}

/** Ledgers of which those from `since` on are of the later protocol, each following the one before. */
export function upgradedAt(
  ledgers: readonly LedgerBytes[],
  since: number,
  part: LaterPart = "nothing else",
): LedgerBytes[] {
  let previousHash: Uint8Array | null = null;
  return ledgers.map(({ sequence, ledgerCloseMeta }) => {
    if (sequence < since) return { sequence, ledgerCloseMeta };
    const later = makeLater(ledgerCloseMeta, { part, previousHash });
    previousHash = later.hash;
    return { sequence, ledgerCloseMeta: later.bytes };
  });
}

type Pieces = readonly [before: Uint8Array, header: Uint8Array, after: Uint8Array];

/** Version and extension; the header without its hash; what follows. */
function aroundHeader(bytes: Uint8Array, { facts: { header } }: LedgerCloseMetaView): Pieces {
  const start = header.byteOffset - bytes.byteOffset;
  const end = start + header.length;
  return [bytes.subarray(0, start - HASH_SIZE), header, bytes.subarray(end)];
}

function versionOf(before: Uint8Array, part: LaterPart): Uint8Array {
  if (part === "ledger meta version") return Buffer.concat([uint32s(3), before.subarray(4)]);
  if (part === "ledger meta extension")
    return Buffer.concat([before.subarray(0, 4), UNKNOWN_FIELDS]);
  return before;
}

/** What a node has of a transaction of such a ledger; base64, null where it has none. */
export function laterTransaction(
  { result, meta }: { readonly result: string; readonly meta: string | null },
  part: LaterPart,
) {
  const changed = {
    result: Buffer.from(result, "base64"),
    meta: Buffer.from(meta ?? "", "base64"),
  };
  if (part === "result code") writeUnknownCode(changed.result);
  if (part === "transaction meta version" && meta !== null)
    changed.meta.writeInt32BE(UNKNOWN_ARM, 0);
  if (part === "address type") writeUnknownAddress(changed.meta);
  return {
    result: changed.result.toString("base64"),
    meta: meta === null ? null : changed.meta.toString("base64"),
  };
}

/** LedgerEntryData, base64, that a node has of an entry now. */
export function laterEntry(xdr: string, part: LaterPart): string {
  const data = Buffer.from(xdr, "base64");
  if (part === "address type") writeUnknownAddress(data);
  return data.toString("base64");
}

function writeUnknownCode(result: Buffer): void {
  result.writeInt32BE(-UNKNOWN_ARM, 8);
}

function writeUnknownAddress(bytes: Buffer): void {
  const found = bytes.indexOf(CONTRACT_DATA);
  if (found >= 0) bytes.writeInt32BE(UNKNOWN_ARM, found + 8);
}

/** What follows the header, which begins with the extension of its history entry. */
function withPart(after: Uint8Array, view: LedgerCloseMetaView, part: LaterPart): Uint8Array {
  const bytes = Buffer.from(after);
  const at = (piece: Uint8Array) => piece.byteOffset - after.byteOffset;
  const within = (piece: Uint8Array) => bytes.subarray(at(piece), at(piece) + piece.length);
  const transactions = view.transactions.filter(({ meta }) => meta.length > 0);
  switch (part) {
    case "transaction meta version":
      for (const { meta } of transactions) bytes.writeInt32BE(UNKNOWN_ARM, at(meta));
      return bytes;
    case "address type":
      for (const { meta } of transactions) writeUnknownAddress(within(meta));
      return bytes;
    case "result code":
      for (const { result } of transactions) writeUnknownCode(within(result));
      return bytes;
    case "cost type":
      return withUpgrade(bytes, at, view);
    default:
      return bytes;
  }
}

/** After transactions: one upgrade more, which sets the costs of more types than svc knows. */
function withUpgrade(
  bytes: Buffer,
  at: (piece: Uint8Array) => number,
  { transactions }: LedgerCloseMetaView,
): Uint8Array {
  const last = transactions.at(-1);
  const piece = last?.refundChanges ?? last?.meta;
  if (piece === undefined) return bytes;
  const place = at(piece) + piece.length;
  const cost = { ext: { v: 0 }, constTerm: 1n, linearTerm: 0n } as const;
  const costs = Array.from({ length: MORE_COST_TYPES }, () => cost);
  const setting = { configSettingID: 6, contractCostParamsCpuInsns: costs } as const;
  const data = { type: 8, configSetting: setting } as const;
  const entry = { lastModifiedLedgerSeq: 1, data, ext: { v: 0 } } as const;
  const upgrade = encodeBytes("UpgradeEntryMeta", {
    upgrade: { type: 1, newLedgerVersion: LATER_PROTOCOL },
    changes: [{ type: 1, updated: entry }],
  });
  const count = bytes.readUInt32BE(place);
  return Buffer.concat([
    bytes.subarray(0, place),
    uint32s(count + 1),
    upgrade,
    bytes.subarray(place + 4),
  ]);
}

/** TransactionResultSet, each result with the unknown code. */
function hashOfResults({ transactions }: LedgerCloseMetaView): Uint8Array {
  const results = transactions.flatMap(({ hash, result }) => {
    const changed = Buffer.from(result);
    writeUnknownCode(changed);
    return [Uint8Array.fromHex(hash), changed];
  });
  return sha256(uint32s(transactions.length), ...results);
}
