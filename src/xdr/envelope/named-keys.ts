// The ed25519 keys of the accounts that an envelope acts for: fee source, source, and the sources
// of its operations. Each can sign for its account unless the account's signers were changed.

import type { MuxedAccount } from "@stellar/stellar-sdk/xdr";
import { decodeEnvelope } from "../reader/decode-sdk.ts";

/** 32 bytes each, without duplicates. Throws XDR_INVALID. */
export function readNamedKeys(envelopeXdr: string): Uint8Array[] {
  const envelope = decodeEnvelope(envelopeXdr);
  const keys: Uint8Array[] = [];
  if (envelope.type === "envelopeTypeTxV0")
    keys.push(envelope.v0.tx.sourceAccountEd25519.toBytes());
  if (envelope.type === "envelopeTypeTxFeeBump") keys.push(keyOf(envelope.feeBump.tx.feeSource));
  const { tx } =
    envelope.type === "envelopeTypeTxFeeBump"
      ? envelope.feeBump.tx.innerTx.v1
      : envelope.type === "envelopeTypeTx"
        ? envelope.v1
        : envelope.v0;
  if ("sourceAccount" in tx) keys.push(keyOf(tx.sourceAccount));
  for (const { sourceAccount } of tx.operations)
    if (sourceAccount !== null) keys.push(keyOf(sourceAccount));
  const byHex = new Map(keys.map((key) => [Buffer.from(key).toString("hex"), key]));
  return [...byHex.values()];
}

function keyOf(account: MuxedAccount): Uint8Array {
  const key = account.type === "keyTypeEd25519" ? account.ed25519 : account.med25519.ed25519;
  return key.toBytes();
}
