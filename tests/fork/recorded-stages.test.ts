// Transactions of the network that a fork takes over as recorded: how long read-only entries live is
// seen in other clusters only after the stage (CAP-63), as for those that it applies itself.

import { expect, test } from "bun:test";
import { Account, Operation, SorobanDataBuilder, TransactionBuilder } from "@stellar/stellar-sdk";
import { Layer, NOT_READ } from "../../src/fork/ledger/layers.ts";
import { type SorobanContext, Stages, ttlEntry } from "../../src/fork/ledger/soroban.ts";
import { begin } from "../../src/fork/ledger/transactions.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { withSorobanTransactionData } from "../../src/xdr/envelope/patch-envelope.ts";
import type { EntryChange } from "../../src/xdr/outcome/meta.ts";
import { liveUntilOf, ttlKeyOf } from "../../src/xdr/reader/keys.ts";
import { encode } from "../../src/xdr/reader/value.ts";
import { PASSPHRASE, ROOT } from "../support/made-fork.ts";

const LEDGER = 1000;
const [BEFORE, AFTER] = [5_000, 9_000];
const CODE_KEY = { type: 7, contractCode: { hash: new Uint8Array(32).fill(9) } } as const;
const TTL = ttlKeyOf(encode("LedgerKey", CODE_KEY));
const ttlAt = (until: number) => ttlEntry(TTL, until, LEDGER);

/** A transaction with the code in its footprint. */
function transaction(isReadOnly: boolean) {
  const built = new TransactionBuilder(new Account(ROOT.publicKey(), "0"), {
    ...{ fee: "6000", networkPassphrase: PASSPHRASE },
  })
    .addOperation(Operation.extendFootprintTtl({ extendTo: 100 }))
    .setSorobanData(new SorobanDataBuilder().setResourceFee("5000").build())
    .setTimeout(0)
    .build();
  const data = encode("SorobanTransactionData", {
    ext: { v: 0 },
    resources: {
      footprint: {
        readOnly: isReadOnly ? [CODE_KEY] : [],
        readWrite: isReadOnly ? [] : [CODE_KEY],
      },
      ...{ instructions: 1, diskReadBytes: 0, writeBytes: 0 },
    },
    resourceFee: 5000n,
  });
  const envelope = openEnvelope(built.toXDR(), PASSPHRASE);
  return begin(withSorobanTransactionData(envelope, data), 1, null);
}

const extension: readonly EntryChange[] = [
  { kind: "state", keyXdr: TTL, entryXdr: ttlAt(BEFORE) },
  { kind: "updated", keyXdr: TTL, entryXdr: ttlAt(AFTER) },
];

function opened() {
  const held = { entryXdr: ttlAt(BEFORE), archived: false, provenance: null };
  const layer = new Layer({ get: (key) => (key === TTL ? held : NOT_READ) }, LEDGER);
  const context = { facts: { sequence: LEDGER } } as unknown as SorobanContext;
  return {
    stages: new Stages(layer, context),
    until: () => liveUntilOf(layer.entryXdr(TTL) ?? ""),
  };
}

test("an extension of a read-only entry is seen after its stage", () => {
  const { stages, until } = opened();
  const [reader, other] = [transaction(true), transaction(true)];
  stages.before(reader, 0, 0);
  stages.adopt(reader, extension, 0);
  stages.before(other, 0, 1);
  expect(until()).toBe(BEFORE);
  stages.before(other, 1, 0);
  expect(until()).toBe(AFTER);
});

test("and at once by one of its own cluster that writes the entry, and where it wrote it itself", () => {
  const { stages, until } = opened();
  stages.before(transaction(true), 0, 0);
  stages.adopt(transaction(true), extension, 0);
  stages.before(transaction(false), 0, 0);
  expect(until()).toBe(AFTER);
  const writing = opened();
  writing.stages.before(transaction(false), 0, 0);
  writing.stages.adopt(transaction(false), extension, 0);
  expect(writing.until()).toBe(AFTER);
});
