// Reads and writes the fee events of a meta V4: the fee taken from the fee source before all
// transactions, and the refund after them (CAP-67; stellar-core, TxEventManager::newFeeEvent). Not
// every node emits them, and an amount of zero has no event.

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";
import { readBase64 } from "../reader/cursor.ts";
import { shapeOf } from "../reader/shape.ts";
import { setUint64, uint32s as words } from "../reader/words.ts";
import { nativeContractId } from "../values/asset-contract.ts";
import { amountOf, isSymbol } from "../values/value-parts.ts";
import { readContractEvent } from "./diagnostics.ts";

export interface FeeEvents {
  /** Stroops. */
  readonly taken: string;
  readonly refunded: string;
}

const contractEvent = shapeOf("ContractEvent");
const BEFORE_ALL_TRANSACTIONS = 0;

/** `transactionEventsXdr` are TransactionEvents. Returns null if the node emits no fee events. */
export function readFeeEvents(transactionEventsXdr: readonly string[]): FeeEvents | null {
  let taken: bigint | null = null;
  let refunded = 0n;
  for (const xdr of transactionEventsXdr) {
    const { stage, eventXdr } = readBase64(xdr, "TransactionEvent", (cursor) => ({
      stage: cursor.int32(),
      eventXdr: cursor.takeBase64(contractEvent),
    }));
    const { topicsXdr, dataXdr } = readContractEvent(eventXdr);
    const amount = amountOf(dataXdr);
    if (topicsXdr[0] === undefined || !isSymbol(topicsXdr[0], "fee") || amount === null) continue;
    if (stage === BEFORE_ALL_TRANSACTIONS) taken = (taken ?? 0n) + amount;
    else refunded -= amount;
  }
  return taken === null ? null : { taken: taken.toString(), refunded: refunded.toString() };
}

export interface FeeAndRefund {
  readonly networkPassphrase: string;
  readonly protocolVersion: number;
  /** The ed25519 key. */
  readonly feeSourceKey: Uint8Array;
  readonly taken: bigint;
  readonly refunded: bigint;
}

const STAGE = { beforeAll: BEFORE_ALL_TRANSACTIONS, afterTransaction: 1, afterAll: 2 } as const;
const NO_EXTENSION = 0;
const PRESENT = 1;
const CONTRACT_EVENT = 1;
const BODY_V0 = 0;
const TOPICS = 2;
const SCV = { i128: 10, symbol: 15, address: 18 } as const;
const ACCOUNT_ADDRESS = 0;
const KEY_TYPE_ED25519 = 0;
/** The length of the symbol, and the symbol with its padding. */
const FEE_SYMBOL = utf8Bytes("\0\0\0\x03fee\0");

/** Returns the TransactionEvents (base64) that stellar-core emits (v23.0.0, EventManager.cpp). */
export function feeEventsXdr(fee: FeeAndRefund): string[] {
  const after = fee.protocolVersion >= 23 ? STAGE.afterAll : STAGE.afterTransaction;
  return [
    ...(fee.taken === 0n ? [] : [feeEvent(fee, STAGE.beforeAll, fee.taken)]),
    ...(fee.refunded === 0n ? [] : [feeEvent(fee, after, -fee.refunded)]),
  ];
}

function feeEvent(
  { networkPassphrase, feeSourceKey }: FeeAndRefund,
  stage: number,
  stroops: bigint,
): string {
  const amount = new Uint8Array(16);
  setUint64(amount, 0, BigInt.asUintN(64, stroops >> 64n));
  setUint64(amount, 8, BigInt.asUintN(64, stroops));
  return concatBytes([
    words(stage, NO_EXTENSION, PRESENT),
    nativeContractId(networkPassphrase),
    words(CONTRACT_EVENT, BODY_V0, TOPICS, SCV.symbol),
    FEE_SYMBOL,
    words(SCV.address, ACCOUNT_ADDRESS, KEY_TYPE_ED25519),
    feeSourceKey,
    words(SCV.i128),
    amount,
  ]).toBase64();
}
