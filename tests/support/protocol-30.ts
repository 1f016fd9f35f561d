// Real ledgers as they would be of protocol 30: their headers have the protocol and close times in
// milliseconds (CAP-88), each ledger follows the one before by its new hash, and all else is as it
// was recorded. A hash of a transaction set seeds what contracts draw, so that the sets of ledgers
// stay; those of an archive name the ledger before, and are made anew.

import { generateKeyPairSync, sign } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { ledgerFactsOf } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import { decodeBytes, encode, encodeBytes, type Value } from "../../src/xdr/reader/value.ts";
import { framed, recordsOf } from "./made-archive.ts";
import { type LedgerFile, RecordedNetwork } from "./recorded-network.ts";

type Header = Value<"LedgerHeader">;
type StellarValue = Value<"StellarValue">;

export interface Rewriting {
  /** The ledger that upgrades the network: the next ones have milliseconds. Default: an earlier one. */
  readonly upgradeAt?: number;
  /** Only the form changes, and each ledger keeps its protocol. */
  readonly keepsProtocol?: true;
}

const PROTOCOL = 30;
const EMPTY = new Uint8Array();
const VERSION_UPGRADE = 1;
const SIGNED: Value<"LedgerCloseValueSignature"> = {
  ...{ nodeId: { type: 0, ed25519: new Uint8Array(32) }, signature: new Uint8Array(64) },
};

/** `hashes`: those of the ledgers before, by their recorded ones; those of these are added. */
export function inProtocol30(
  ledgers: readonly LedgerBytes[],
  rewriting: Rewriting = {},
  hashes: Map<string, Uint8Array> = new Map(),
): LedgerBytes[] {
  return ledgers.map(({ sequence, ledgerCloseMeta }) => {
    const ledger = decodeBytes("LedgerCloseMeta", ledgerCloseMeta);
    const parts = ledger.v === 0 ? ledger.v0 : ledger.v === 1 ? ledger.v1 : ledger.v2;
    const { ledgerHeader } = parts;
    const entry = entryInProtocol30(ledgerHeader, hashes, rewriting);
    const upgradesProcessing = parts.upgradesProcessing.map((each) => ({
      ...each,
      upgrade: isUpgraded(sequence, rewriting) ? upgradeInProtocol30(each.upgrade) : each.upgrade,
    }));
    const changed = { ...parts, ledgerHeader: entry, upgradesProcessing };
    const written = { ...ledger, [`v${ledger.v}`]: changed } as Value<"LedgerCloseMeta">;
    return { sequence, ledgerCloseMeta: encodeBytes("LedgerCloseMeta", written) };
  });
}

/** `hashes`: those of the ledgers before, by their recorded ones; this ledger's is added. */
export function entryInProtocol30(
  entry: Value<"LedgerHeaderHistoryEntry">,
  hashes: Map<string, Uint8Array>,
  rewriting: Rewriting = {},
): Value<"LedgerHeaderHistoryEntry"> {
  const { previousLedgerHash } = entry.header;
  const header = headerInProtocol30(
    {
      ...entry.header,
      previousLedgerHash: hashes.get(previousLedgerHash.toHex()) ?? previousLedgerHash,
    },
    rewriting,
  );
  const hash = sha256(encodeBytes("LedgerHeader", header));
  hashes.set(entry.hash.toHex(), hash);
  return { ...entry, hash, header };
}

export function headerInProtocol30(header: Header, rewriting: Rewriting = {}): Header {
  const { ledgerSeq } = header;
  const { upgradeAt = 0, keepsProtocol } = rewriting;
  const changes = isUpgraded(ledgerSeq, rewriting);
  const upgrades = header.scpValue.upgrades.map((bytes) =>
    changes
      ? encodeBytes("LedgerUpgrade", upgradeInProtocol30(decodeBytes("LedgerUpgrade", bytes)))
      : bytes,
  );
  const hasMilliseconds = keepsProtocol || ledgerSeq > upgradeAt;
  const scpValue = { ...header.scpValue, upgrades };
  return {
    ...header,
    ledgerVersion: changes ? PROTOCOL : header.ledgerVersion,
    scpValue: hasMilliseconds ? withMilliseconds(scpValue, ledgerSeq) : scpValue,
  };
}

function isUpgraded(sequence: number, { upgradeAt = 0, keepsProtocol }: Rewriting): boolean {
  return !keepsProtocol && sequence >= upgradeAt;
}

function upgradeInProtocol30(upgrade: Value<"LedgerUpgrade">): Value<"LedgerUpgrade"> {
  return upgrade.type === VERSION_UPGRADE ? { ...upgrade, newLedgerVersion: PROTOCOL } : upgrade;
}

/** Some milliseconds of its second. */
function withMilliseconds(value: StellarValue, sequence: number): StellarValue {
  const closeTimeMs = value.closeTime * 1000n + BigInt(sequence % 1000);
  const { ext } = value;
  if (ext.v === 2)
    return { ...value, ext: { v: 4, proposedMsValue: { closeTimeMs, ...ext.proposedValue } } };
  const lcValueSignature = ext.v === 1 ? ext.lcValueSignature : SIGNED;
  return { ...value, ext: { v: 3, signedMsValue: { closeTimeMs, lcValueSignature } } };
}

/** The recorded network, as its nodes would show it after an upgrade to protocol 30. */
export class Network30 extends RecordedNetwork {
  override readonly protocolVersion = PROTOCOL;
  private readonly rewritten = new Map<number, LedgerFile>();

  constructor(rewriting: Rewriting = {}) {
    super();
    const hashes = new Map<string, Uint8Array>();
    for (const sequence of this.sequences) {
      const recorded = super.ledger(sequence);
      const ledger = recorded?.rpc.result.ledgers[0];
      if (!recorded || !ledger) continue;
      const ledgerCloseMeta = Uint8Array.fromBase64(String(ledger.metadataXdr));
      const [written] = inProtocol30([{ sequence, ledgerCloseMeta }], rewriting, hashes);
      const { hash, previousHash, header } = ledgerFactsOf(written?.ledgerCloseMeta ?? EMPTY);
      const entry = { hash: Uint8Array.fromHex(hash ?? ""), ext: { v: 0 } } as const;
      const headerXdr = encode("LedgerHeaderHistoryEntry", {
        ...{ ...entry, header: decodeBytes("LedgerHeader", header) },
      });
      const metadataXdr = written?.ledgerCloseMeta.toBase64();
      const body = { ...recorded.horizon.body, hash, prev_hash: previousHash };
      this.rewritten.set(sequence, {
        sequence,
        rpc: { result: { ledgers: [{ ...ledger, hash, headerXdr, metadataXdr }] } },
        horizon: {
          body: { ...body, protocol_version: PROTOCOL, header_xdr: header.toBase64() },
        },
      });
    }
  }

  override ledger(sequence: number): LedgerFile | null {
    return this.rewritten.get(sequence) ?? null;
  }
}

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const node = new Uint8Array(publicKey.export({ format: "der", type: "spki" }).subarray(-32));
/** Who signs the messages of archives. */
export const VALIDATOR_30 = encodeStrkey("account", node);

const ENVELOPE_TYPE_SCP = 1;
const ENVELOPE_TYPE_SCPVALUE = 4;

export interface ArchiveRewriting extends Rewriting {
  readonly networkPassphrase: string;
  /** What somebody does to a header before all that follows from it is made anew. */
  readonly alter?: (header: Header) => Header;
  /** Messages of an archive that was written before, in the place of new ones. */
  readonly messagesFrom?: string;
}

/** An archive that begins with the first ledger, written to another directory. */
export function archiveInProtocol30(from: string, to: string, rewriting: ArchiveRewriting): void {
  const id = networkId(rewriting.networkPassphrase);
  for (const kept of ["bucket", "history", "results"])
    cpSync(join(from, kept), join(to, kept), { recursive: true });
  const hashes = new Map<string, Uint8Array>();
  const names = [...new Bun.Glob("ledger/**/*.xdr.gz").scanSync(from)].sort();
  for (const name of names) {
    const of = (category: string) => name.replaceAll("ledger", category);
    const sets = new Map(
      records(join(from, of("transactions"))).map((record) => {
        const set = decodeBytes("TransactionHistoryEntry", record);
        return [set.ledgerSeq, set];
      }),
    );
    const written: Record<"ledger" | "transactions" | "scp", Uint8Array[]> = {
      ...{ ledger: [], transactions: [], scp: [] },
    };
    for (const record of records(join(from, name))) {
      const entry = decodeBytes("LedgerHeaderHistoryEntry", record);
      const { ledgerSeq, previousLedgerHash } = entry.header;
      const previous = hashes.get(previousLedgerHash.toHex()) ?? previousLedgerHash;
      const set = sets.get(ledgerSeq);
      const txSetHash = set
        ? addSet(written.transactions, set, previous)
        : emptySetAfter(previous, entry.header);
      const changed = {
        ...entry,
        header: { ...entry.header, scpValue: { ...entry.header.scpValue, txSetHash } },
      };
      const { header } = entryInProtocol30(changed, hashes, rewriting);
      const altered = (rewriting.alter ?? ((same) => same))({
        ...header,
        scpValue: signedValue(header.scpValue, id),
      });
      const hash = sha256(encodeBytes("LedgerHeader", altered));
      hashes.set(entry.hash.toHex(), hash);
      written.ledger.push(
        encodeBytes("LedgerHeaderHistoryEntry", { ...entry, hash, header: altered }),
      );
      written.scp.push(messageOf(ledgerSeq, altered.scpValue, id));
    }
    for (const [category, all] of Object.entries(written)) {
      const path = join(to, of(category));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Bun.gzipSync(framed(all)));
    }
    if (rewriting.messagesFrom)
      cpSync(join(rewriting.messagesFrom, of("scp")), join(to, of("scp")));
  }
}

function records(path: string): Uint8Array[] {
  return recordsOf(Bun.gunzipSync(readFileSync(path)));
}

/** Its hash. */
function addSet(
  to: Uint8Array[],
  { txSet, ext, ...rest }: Value<"TransactionHistoryEntry">,
  previousLedgerHash: Uint8Array,
): Uint8Array {
  const classic = { ...txSet, previousLedgerHash };
  if (ext.v === 0) {
    to.push(encodeBytes("TransactionHistoryEntry", { ...rest, txSet: classic, ext }));
    const envelopes = txSet.txs.map((each) => encodeBytes("TransactionEnvelope", each));
    return sha256(previousLedgerHash, ...envelopes);
  }
  const { v1TxSet } = ext.generalizedTxSet;
  const generalizedTxSet = { v: 1, v1TxSet: { ...v1TxSet, previousLedgerHash } } as const;
  to.push(
    encodeBytes("TransactionHistoryEntry", {
      ...rest,
      txSet: classic,
      ext: { v: 1, generalizedTxSet },
    }),
  );
  return sha256(encodeBytes("GeneralizedTransactionSet", generalizedTxSet));
}

/** The hash of the same set without transactions, after another ledger. */
function emptySetAfter(previous: Uint8Array, { previousLedgerHash, scpValue }: Header): Uint8Array {
  const plain = { v: 0, v0Components: [] } as const;
  const shapes = [
    (hash: Uint8Array) => sha256(hash),
    (hash: Uint8Array) => hashOfEmpty(hash, [plain]),
    (hash: Uint8Array) => hashOfEmpty(hash, [plain, plain]),
  ];
  const own = scpValue.txSetHash.toHex();
  const shape = shapes.find((hashAfter) => hashAfter(previousLedgerHash).toHex() === own);
  // The first ledger of a network has none.
  return shape === undefined ? scpValue.txSetHash : shape(previous);
}

function hashOfEmpty(
  previousLedgerHash: Uint8Array,
  phases: Value<"TransactionPhase">[],
): Uint8Array {
  const set = { v: 1, v1TxSet: { previousLedgerHash, phases } } as const;
  return sha256(encodeBytes("GeneralizedTransactionSet", set));
}

/** With the signature of who proposed it: of the milliseconds too (CAP-88). */
function signedValue(value: StellarValue, id: Uint8Array): StellarValue {
  const { ext, txSetHash, closeTime } = value;
  if (ext.v !== 1 && ext.v !== 3) return value;
  const payload = Buffer.alloc(id.length + 4 + 32 + 8 + (ext.v === 3 ? 8 : 0));
  payload.set(id);
  payload.writeUInt32BE(ENVELOPE_TYPE_SCPVALUE, 32);
  payload.set(txSetHash, 36);
  payload.writeBigUInt64BE(closeTime, 68);
  if (ext.v === 3) payload.writeBigUInt64BE(ext.signedMsValue.closeTimeMs, 76);
  const signature = new Uint8Array(sign(null, payload, privateKey));
  const lcValueSignature = { nodeId: { type: 0, ed25519: node }, signature } as const;
  if (ext.v === 1) return { ...value, ext: { v: 1, lcValueSignature } };
  const { closeTimeMs } = ext.signedMsValue;
  return { ...value, ext: { v: 3, signedMsValue: { closeTimeMs, lcValueSignature } } };
}

/** An SCPHistoryEntry: the validator says that the value was agreed on. */
function messageOf(ledgerSeq: number, scpValue: StellarValue, id: Uint8Array): Uint8Array {
  const value = encodeBytes("StellarValue", scpValue);
  const commitQuorumSetHash = new Uint8Array(32);
  const statement: Value<"ScpStatement"> = {
    nodeId: { type: 0, ed25519: node },
    slotIndex: BigInt(ledgerSeq),
    pledges: {
      type: 2,
      externalize: { commit: { counter: 1, value }, nH: 1, commitQuorumSetHash },
    },
  };
  const head = Buffer.alloc(36);
  head.set(id);
  head.writeUInt32BE(ENVELOPE_TYPE_SCP, 32);
  const message = Buffer.concat([head, encodeBytes("ScpStatement", statement)]);
  const signature = new Uint8Array(sign(null, message, privateKey));
  const ledgerMessages = { ledgerSeq, messages: [{ statement, signature }] };
  return encodeBytes("ScpHistoryEntry", { v: 0, v0: { quorumSets: [], ledgerMessages } });
}
