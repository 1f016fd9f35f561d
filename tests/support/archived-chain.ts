// The archive of a made network: a chain of the model as validators would sign it, its ledgers with the
// hashes that they have then, and the files of a history archive with a checkpoint every 8 ledgers.
// made-network.ts has the other faces, nodes and a lake, for which these ledgers are as good. The
// model's own state is what all of them must agree with.

import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { decodeBytes, encodeBytes, type Value } from "../../src/xdr/reader/value.ts";
import { ttlOf } from "./ledger-entries.ts";
import { ArchiveWriter, type MadeState } from "./made-archive.ts";
import { MADE_PASSPHRASE } from "./made-ledgers.ts";
import type { ModelChain, TrueState } from "./model-chain.ts";

const LEDGERS_PER_CHECKPOINT = 8;
/** Ledger 1 is made, not closed, and so it has no meta. */
const GENESIS = 1;
const ZERO = new Uint8Array(32);

/**
 * Returns the views of a chain of protocol 23 or later that ends with a checkpoint, and the hashes
 * of each ledger's transactions in apply order. `isSigned` is false for a chain of somebody who has no
 * validator's key.
 */
export function archivedChain(chain: ModelChain, { isSigned = true } = {}) {
  const archive = new ArchiveWriter(MADE_PASSPHRASE);
  const metas = chain.ledgers.map(({ ledgerCloseMeta }) => {
    const meta = decodeBytes("LedgerCloseMeta", ledgerCloseMeta);
    if (meta.v !== 2) throw new Error("the chain is of a protocol before 23");
    return meta.v2;
  });
  const template = metas[0]?.ledgerHeader.header;
  if (template === undefined) throw new Error("the chain has no ledger");
  let previous = archive.addLedger({
    header: headerOf(template, { ledgerSeq: GENESIS, results: NO_RESULTS }),
    transactions: null,
    results: NO_RESULTS,
    isSigned,
  });
  const hashes = new Map<number, readonly string[]>();
  const ledgers: LedgerBytes[] = metas.map((meta) => {
    const { header } = meta.ledgerHeader;
    const { ledgerSeq } = header;
    const generalizedTxSet = followed(meta.txSet, previous);
    const results = { results: meta.txProcessing.map(({ result }) => result) };
    hashes.set(
      ledgerSeq,
      results.results.map(({ transactionHash }) => transactionHash.toHex()),
    );
    const isCheckpoint = ledgerSeq % LEDGERS_PER_CHECKPOINT === LEDGERS_PER_CHECKPOINT - 1;
    const state = isCheckpoint ? stateOf(chain.after.get(ledgerSeq) ?? new Map()) : null;
    const signed = headerOf(header, {
      ledgerSeq,
      results,
      previous,
      transactionSet: encodeBytes("GeneralizedTransactionSet", generalizedTxSet),
      bucketListHash: state === null ? ZERO : archive.addState(ledgerSeq, state),
    });
    const txSet = { previousLedgerHash: previous, txs: [] };
    const hasTransactions = meta.txProcessing.length > 0;
    const hash = archive.addLedger({
      header: signed,
      transactions: hasTransactions ? { txSet, ext: { v: 1, generalizedTxSet } } : null,
      results,
      isSigned,
    });
    previous = hash;
    const ledgerHeader = { ...meta.ledgerHeader, hash, header: signed };
    const closed = { ...meta, ledgerHeader, txSet: generalizedTxSet };
    const ledgerCloseMeta = encodeBytes("LedgerCloseMeta", { v: 2, v2: closed });
    return { sequence: ledgerSeq, ledgerCloseMeta };
  });
  const last = ledgers.at(-1)?.sequence ?? 0;
  return { ledgers, hashes, ...archive.finish(last) };
}

const NO_RESULTS: Value<"TransactionResultSet"> = { results: [] };

interface Closed {
  readonly ledgerSeq: number;
  readonly results: Value<"TransactionResultSet">;
  readonly previous?: Uint8Array;
  readonly transactionSet?: Uint8Array;
  readonly bucketListHash?: Uint8Array;
}

function headerOf(header: Value<"LedgerHeader">, closed: Closed): Value<"LedgerHeader"> {
  const { ledgerSeq, results, previous = ZERO, transactionSet, bucketListHash = ZERO } = closed;
  const txSetHash = transactionSet === undefined ? ZERO : sha256(transactionSet);
  return {
    ...header,
    ledgerSeq,
    bucketListHash,
    previousLedgerHash: previous,
    txSetResultHash: sha256(encodeBytes("TransactionResultSet", results)),
    scpValue: { ...header.scpValue, txSetHash },
  };
}

/** A set names the ledger that it follows. */
function followed(
  set: Value<"GeneralizedTransactionSet">,
  previousLedgerHash: Uint8Array,
): Value<"GeneralizedTransactionSet"> {
  return { ...set, v1TxSet: { ...set.v1TxSet, previousLedgerHash } };
}

/** The live and the hot entries as the bucket lists have them. */
function stateOf(states: ReadonlyMap<string, TrueState>): MadeState {
  const live: string[] = [];
  const hot: string[] = [];
  for (const [key, { entryXdr, liveUntilLedger, ttlLedger, archivedXdr }] of states) {
    if (archivedXdr !== null) hot.push(archivedXdr);
    if (entryXdr === null) continue;
    live.push(entryXdr);
    if (liveUntilLedger !== null) live.push(ttlOf(key, liveUntilLedger, ttlLedger ?? 0));
  }
  return {
    live: live.map((each) => Uint8Array.fromBase64(each)),
    hot: hot.map((each) => Uint8Array.fromBase64(each)),
  };
}
