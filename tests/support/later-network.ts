// The recorded network, upgraded at one of its ledgers to a protocol that svc does not know: its
// ledgers from there on, their transactions, and what nodes have of the state since.

import {
  LATER_PROTOCOL,
  type LaterPart,
  laterEntry,
  laterTransaction,
  type MadeLater,
  makeLater,
} from "./later-protocol.ts";
import {
  type LedgerFile,
  RecordedNetwork,
  type RecordedTransaction,
  type RpcEntry,
  type TransactionFile,
} from "./recorded-network.ts";

export class LaterNetwork extends RecordedNetwork {
  override readonly protocolVersion = LATER_PROTOCOL;
  private readonly recorded = new RecordedNetwork();
  private readonly later = new Map<number, MadeLater>();

  constructor(
    readonly since: number,
    readonly part: LaterPart = "nothing else",
  ) {
    super();
  }

  override ledger(sequence: number): LedgerFile | null {
    const file = this.recorded.ledger(sequence);
    const original = this.recorded.ledgerBytes(sequence);
    if (file === null || original === null || sequence < this.since) return file;
    const { bytes, header, hash } = this.madeOf(sequence, original);
    const [ledger = {}] = file.rpc.result.ledgers;
    const rpc = {
      ...ledger,
      hash: hash.toHex(),
      metadataXdr: Buffer.from(bytes).toString("base64"),
      headerXdr: Buffer.concat([hash, header, Buffer.alloc(4)]).toString("base64"),
    };
    const horizon = {
      ...file.horizon.body,
      hash: hash.toHex(),
      header_xdr: Buffer.from(header).toString("base64"),
      protocol_version: LATER_PROTOCOL,
    };
    return { sequence, rpc: { result: { ledgers: [rpc] } }, horizon: { body: horizon } };
  }

  override file(transaction: RecordedTransaction): TransactionFile {
    const file = this.recorded.file(transaction);
    if (transaction.ledger < this.since) return file;
    const { result } = file.rpcGetTransaction;
    const { body } = file.horizonTransaction;
    const later = (result: unknown, meta: unknown) =>
      laterTransaction(
        { result: String(result), meta: typeof meta === "string" ? meta : null },
        this.part,
      );
    const rpc = later(result.resultXdr, result.resultMetaXdr);
    const horizon = later(body.result_xdr, body.result_meta_xdr);
    return {
      ...file,
      rpcGetTransaction: {
        result: { ...result, resultXdr: rpc.result, resultMetaXdr: rpc.meta },
      },
      horizonTransaction: {
        body: { ...body, result_xdr: horizon.result, result_meta_xdr: horizon.meta },
      },
    };
  }

  override entries(keys: readonly string[], ledger: number): RpcEntry[] {
    const entries = this.recorded.entries(keys, ledger);
    return entries.map((each) => ({ ...each, xdr: laterEntry(each.xdr, this.part) }));
  }

  private madeOf(sequence: number, original: Uint8Array): MadeLater {
    const known = this.later.get(sequence);
    if (known !== undefined) return known;
    const before = sequence > this.since ? this.recorded.ledgerBytes(sequence - 1) : null;
    const previousHash = before && this.madeOf(sequence - 1, before).hash;
    const made = makeLater(original, { part: this.part, previousHash });
    this.later.set(sequence, made);
    return made;
  }
}
