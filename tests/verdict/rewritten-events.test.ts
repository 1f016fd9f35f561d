// A real ledger of protocol 22, re-encoded as meta V4: the node rewrote the events of its Stellar
// asset contracts, and only the success hash still covers the emitted events.

import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { StrKey, xdr } from "@stellar/stellar-sdk";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { protocol23Form } from "../../src/xdr/contract/asset-event.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { readResultBytes } from "../../src/xdr/outcome/result.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { needs } from "../support/needs.ts";

const LEDGER = join(
  import.meta.dir,
  "../../../shared/corpus/mainnet-ledgers/pubnet-57500008.xdr.gz",
);
const PASSPHRASE = "Public Global Stellar Network ; September 2015";
/** The contract that mints; it is the administrator of the asset. */
const ADMIN = "CDL74RF5BLYR2YBLCCI7F5FB6TPSCLKEJUBSD2RSVWZ4YHF3VMFAIGWA";

interface Emitted {
  readonly successHash: string;
  readonly returnValueXdr: string;
  readonly eventsXdr: readonly string[];
}

async function successfulInvocations(): Promise<Emitted[]> {
  const found: Emitted[] = [];
  const context = { signal: new AbortController().signal };
  for await (const { ledgerCloseMeta } of readLedgerFile(LEDGER, context)) {
    for (const { result, meta } of readLedgerCloseMeta(ledgerCloseMeta, PASSPHRASE).transactions) {
      const { successHash } = readResultBytes(result);
      if (successHash === null) continue;
      const { returnValueXdr, eventsXdr } = readTransactionMeta(meta.toBase64());
      if (returnValueXdr !== null) found.push({ successHash, returnValueXdr, eventsXdr });
    }
  }
  return found;
}

/** sha256 of InvokeHostFunctionSuccessPreImage. */
function hashOf(returnValueXdr: string, eventsXdr: readonly string[]): string {
  const count = Buffer.alloc(4);
  count.writeUInt32BE(eventsXdr.length);
  const parts = [returnValueXdr, ...eventsXdr].map((part) => Uint8Array.fromBase64(part));
  return sha256(parts[0] as Uint8Array, count, ...parts.slice(1)).toHex();
}

/** A mint as protocol 22 emitted it: the administrator is the second topic. */
function withAdmin(eventXdr: string): string {
  const event = xdr.ContractEvent.fromXdr(eventXdr, "base64");
  const { topics, data } = event.body.v0;
  const contract = new xdr.ContractId(StrKey.decodeContract(ADMIN));
  const admin = xdr.ScVal.scvAddress(xdr.ScAddress.scAddressTypeContract(contract));
  const [name, ...others] = topics as [xdr.ScVal, ...xdr.ScVal[]];
  const body = new xdr.ContractEventV0({ topics: [name, admin, ...others], data });
  const { ext, contractId, type } = event;
  return new xdr.ContractEvent({
    ext,
    contractId,
    type,
    body: xdr.ContractEventBody.v0(body),
  }).toXdr("base64");
}

const corpus = needs("../shared/corpus", existsSync(LEDGER));

corpus.test("svc recognizes the rewritten events", async () => {
  const invocations = await successfulInvocations();
  const rewritten = invocations.filter(
    ({ successHash, returnValueXdr, eventsXdr }) =>
      hashOf(returnValueXdr, eventsXdr) !== successHash,
  );
  expect([invocations.length, rewritten.length]).toEqual([36, 1]);
  const [{ successHash, returnValueXdr, eventsXdr }] = rewritten as [Emitted];
  const emitted = eventsXdr.map(withAdmin);
  expect(hashOf(returnValueXdr, emitted)).toBe(successHash);
  expect(emitted.map(protocol23Form)).toEqual([...eventsXdr]);
});
