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

/** The ledger as the later protocol has it. Its number and its transactions stay. */
export function laterLedger(
  ledgerCloseMeta: Uint8Array,
  {
    part = "nothing else",
    protocolVersion = LATER_PROTOCOL,
    previousHash = null,
  }: LaterLedger = {},
): Uint8Array {
  const view = readLedgerCloseMeta(ledgerCloseMeta, "");
  const [before, header, after] = aroundHeader(ledgerCloseMeta, view);
  const rest = withPart(after, view, part);
  const resultHash = part === "result code" ? hashOfResults(view) : null;
  const changed = { protocolVersion, part, previousHash, resultHash };
  const later = laterHeader(header, changed);
  return Buffer.concat([versionOf(before, part), sha256(later), later, rest]);
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

/** The hash of the ledger as its LedgerCloseMeta has it beside the header. */
export function hashOfLater(later: Uint8Array, original: Uint8Array): Uint8Array {
  const view = readLedgerCloseMeta(original, "");
  const [before] = aroundHeader(original, view);
  const start = versionOf(before, partOf(later)).length;
  return later.subarray(start, start + HASH_SIZE);
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
    const later = laterLedger(ledgerCloseMeta, { part, previousHash });
    previousHash = hashOfLater(later, ledgerCloseMeta);
    return { sequence, ledgerCloseMeta: later };
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

function partOf(later: Uint8Array): LaterPart {
  const [version, extension] = [
    Buffer.from(later).readUInt32BE(0),
    Buffer.from(later).readUInt32BE(4),
  ];
  if (version === 3) return "ledger meta version";
  return version > 0 && extension === UNKNOWN_ARM ? "ledger meta extension" : "nothing else";
}

/** What follows the header, which begins with the extension of its history entry. */
function withPart(after: Uint8Array, view: LedgerCloseMetaView, part: LaterPart): Uint8Array {
  const bytes = Buffer.from(after);
  const at = (piece: Uint8Array) => piece.byteOffset - after.byteOffset;
  const transactions = view.transactions.filter(({ meta }) => meta.length > 0);
  switch (part) {
    case "transaction meta version":
      for (const { meta } of transactions) bytes.writeInt32BE(UNKNOWN_ARM, at(meta));
      return bytes;
    case "address type":
      for (const { meta } of transactions) {
        const found = Buffer.from(meta).indexOf(CONTRACT_DATA);
        if (found >= 0) bytes.writeInt32BE(UNKNOWN_ARM, at(meta) + found + 8);
      }
      return bytes;
    case "result code":
      for (const { result } of transactions) bytes.writeInt32BE(-UNKNOWN_ARM, at(result) + 8);
      return bytes;
    case "cost type":
      return withUpgrade(bytes, at, view);
    default:
      return bytes;
  }
}

/** One upgrade more, which sets the costs of more types than svc knows. */
function withUpgrade(
  bytes: Buffer,
  at: (piece: Uint8Array) => number,
  { transactions }: LedgerCloseMetaView,
): Uint8Array {
  const last = transactions.at(-1);
  const piece = last?.refundChanges ?? last?.meta;
  if (piece === undefined) throw new Error("a ledger without transactions");
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
    changed.writeInt32BE(-UNKNOWN_ARM, 8);
    return [Uint8Array.fromHex(hash), changed];
  });
  return sha256(uint32s(transactions.length), ...results);
}
