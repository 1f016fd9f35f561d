// The chain of a fork as its server uses it: what is refused before a ledger, ledgers that follow
// each other, marks that are returned to, and what of it is saved.

import { expect, test } from "bun:test";
import { Account, Asset, Keypair, Operation, TransactionBuilder } from "@stellar/stellar-sdk";
import * as v from "valibot";
import { overlaySchema } from "../../src/fork/ledger/chain.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import { resultCodeName } from "../../src/model/result-code.ts";
import { readAccount } from "../../src/xdr/ledger/account.ts";
import { readLedgerHeader } from "../../src/xdr/ledger/header.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readDiagnosticEvent } from "../../src/xdr/outcome/diagnostics.ts";
import { readEntryChanges, readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { accountKeyOf } from "../../src/xdr/reader/keys.ts";
import { symbolOf } from "../../src/xdr/values/value-parts.ts";
import { failureOf } from "../support/failure.ts";
import {
  accountEntry,
  CONTEXT,
  closeOne,
  madeBase,
  madeFork,
  PASSPHRASE,
  ROOT,
  signed,
} from "../support/made-fork.ts";

const ALICE = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1));
const BOB = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 2));

const create = (account: Keypair, startingBalance = "100") =>
  Operation.createAccount({ destination: account.publicKey(), startingBalance });
const pay = (account: Keypair, amount: string) =>
  Operation.payment({ destination: account.publicKey(), asset: Asset.native(), amount });

async function accountOf(chain: ReturnType<typeof madeFork>, account: Keypair) {
  const key = accountKeyOf(account.publicKey());
  const entry = (await chain.read([key], CONTEXT)).get(key);
  return entry ? readAccount(entry.entryXdr) : null;
}

async function balanceOf(chain: ReturnType<typeof madeFork>, account: Keypair) {
  return (await accountOf(chain, account))?.balanceStroops ?? null;
}

test("ledgers follow each other, and readers of the network's ledgers read them", async () => {
  const chain = madeFork();
  const before = chain.latest;
  const { ledger } = await closeOne(chain, await signed(chain, [ROOT], create(ALICE)));
  const facts = readLedgerHeader(ledger.headerXdr);
  expect(facts.previousHash).toBe(before.hash);
  expect(facts.sequence).toBe(before.sequence + 1);
  expect(ledger.hash).toBe(sha256(Buffer.from(ledger.headerXdr, "base64")).toHex());
  expect(chain.latest.hash).toBe(ledger.hash);
  const view = readLedgerCloseMeta(Buffer.from(ledger.ledgerCloseMetaXdr, "base64"), PASSPHRASE);
  expect(view.facts.hash).toBe(ledger.hash);
  const [read] = view.transactions;
  expect(read?.hash).toBe(ledger.transactions[0]?.hash as string);
  expect(read?.envelopeXdr).toBe(ledger.transactions[0]?.envelopeXdr as string);
  expect(sha256(view.transactionSet ?? new Uint8Array()).toHex()).toBe(facts.transactionSetHash);
  expect(await balanceOf(chain, ALICE)).toBe(1_000_000_000n);
});

test("what is refused before a ledger has the result that a node answers", async () => {
  const chain = madeFork();
  const refusal = async (envelopeXdr: string) => {
    const refused = await chain.check(envelopeXdr, CONTEXT);
    return (
      refused && [
        refused.code,
        readTransactionResult(refused.resultXdr).operationResults.map(resultCodeName),
      ]
    );
  };
  expect(await refusal(await signed(chain, [ROOT], create(ALICE)))).toBeNull();
  const unsigned = await signed(chain, [ROOT], create(ALICE));
  const early = await signed(chain, [ROOT], create(ALICE));
  await closeOne(chain, early);
  expect(await refusal(unsigned)).toEqual(["txBadSeq", []]);
  expect(await refusal(await signed(chain, [BOB], pay(ALICE, "1")))).toEqual(["txNoAccount", []]);
  const byOther = await signed(chain, [ROOT], pay(ROOT, "1"));
  expect(await refusal(byOther)).toBeNull();
  const malformed = Operation.createAccount({
    destination: ROOT.publicKey(),
    startingBalance: "1",
  });
  expect(await refusal(await signed(chain, [ROOT], pay(ALICE, "1"), malformed))).toEqual([
    "createAccountMalformed",
    ["paymentSuccess", "createAccountMalformed"],
  ]);
});

test("an envelope that nobody can pay for is in no ledger; one that fails is", async () => {
  const chain = madeFork();
  const { ledger, leftOut } = await closeOne(chain, await signed(chain, [BOB], pay(ALICE, "1")));
  expect(ledger.transactions).toEqual([]);
  expect(leftOut.map(({ refusal }) => refusal.code)).toEqual(["txNoAccount"]);
  const failing = await closeOne(chain, await signed(chain, [ROOT], pay(BOB, "1")));
  const { resultXdr = "", isSuccess, metaXdr = "" } = failing.transaction ?? {};
  expect(isSuccess).toBe(false);
  expect(readTransactionResult(resultXdr).operationResults.map(resultCodeName)).toEqual([
    "paymentNoDestination",
  ]);
  expect(readTransactionResult(resultXdr).feeChargedStroops).toBe("100");
  expect(readTransactionMeta(metaXdr).operationChanges).toEqual([]);
});

test("a malformed envelope is in no ledger, whatever is in it", async () => {
  const chain = madeFork();
  const extend = Operation.extendFootprintTtl({ extendTo: 10 });
  const malformed = [
    await signed(chain, [ROOT], extend, create(ALICE)),
    await signed(chain, [ROOT], create(ALICE), extend),
    await signed(chain, [ROOT], create(ROOT)),
  ];
  const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 6n;
  const ledger = await chain.close(malformed, { ...CONTEXT, closeTimeUnixSeconds });
  expect(ledger.transactions).toEqual([]);
  expect(ledger.leftOut.map(({ refusal }) => refusal.code)).toEqual([
    ...["txMalformed", "txMalformed", "createAccountMalformed"],
  ]);
});

test("an operation that a fork does not know is refused by its name", async () => {
  const chain = madeFork();
  const offer = Operation.manageSellOffer({
    ...{ selling: Asset.native(), buying: new Asset("USD", BOB.publicKey()) },
    ...{ amount: "1", price: "1" },
  });
  const envelopeXdr = await signed(chain, [ROOT], offer);
  const closed = closeOne(chain, envelopeXdr).catch((error) => Promise.reject(error.cause));
  for (const refused of [chain.check(envelopeXdr, CONTEXT), closed]) {
    const { code, message } = await failureOf(refused);
    expect(code).toBe("FORK_UNSUPPORTED");
    expect(message).toContain("manageSellOffer");
  }
  expect(chain.latest.sequence).toBe(1000);
});

test("a mark is returned to, with all that was since then gone", async () => {
  const chain = madeFork();
  await closeOne(chain, await signed(chain, [ROOT], create(ALICE)));
  const at = chain.latest;
  for (let round = 0; round < 2; round += 1) {
    const mark = chain.mark();
    await closeOne(chain, await signed(chain, [ROOT], create(BOB), pay(ALICE, "5")));
    chain.mark();
    await closeOne(chain, await signed(chain, [ALICE], pay(BOB, "1")));
    chain.remove(accountKeyOf(ALICE.publicKey()));
    expect(await balanceOf(chain, ALICE)).toBeNull();
    chain.dropTo(mark);
    expect(chain.latest).toEqual(at);
    expect(await balanceOf(chain, BOB)).toBeNull();
    expect(await balanceOf(chain, ALICE)).toBe(1_000_000_000n);
  }
});

test("a saved fork goes on where it was", async () => {
  const chain = madeFork();
  await closeOne(chain, await signed(chain, [ROOT], create(ALICE)));
  chain.put({ entryXdr: accountEntry(BOB.publicKey(), 42n) });
  const overlay = v.parse(overlaySchema, JSON.parse(JSON.stringify(chain.overlay())));
  const again = openChain(
    madeBase(),
    { replay: () => Promise.reject(new Error("no run")) },
    { overlay },
  );
  expect(again.latest).toEqual(chain.latest);
  expect(await balanceOf(again, BOB)).toBe(42n);
  const envelopeXdr = await signed(chain, [ALICE], pay(BOB, "1"));
  const closed = await Promise.all([chain, again].map((each) => closeOne(each, envelopeXdr)));
  expect(closed[1]?.ledger.hash).toBe(closed[0]?.ledger.hash as string);
  expect(overlay.entries.length).toBe(3);
});

test("who is impersonated needs no signature, and the ledger says so", async () => {
  const chain = madeFork();
  await closeOne(chain, await signed(chain, [ROOT], create(ALICE)));
  const envelopeXdr = await signed(chain, [ALICE], pay(ROOT, "1"));
  const impersonated = new Set([ALICE.publicKey()]);
  const bare = await signed(chain, [ALICE], pay(ROOT, "2"));
  const unsigned = withoutSignatures(bare);
  expect((await chain.check(unsigned, CONTEXT))?.code).toBe("txBadAuth");
  expect(await chain.check(unsigned, { ...CONTEXT, impersonated })).toBeNull();
  const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 6n;
  const ledger = await chain.close([unsigned], { ...CONTEXT, closeTimeUnixSeconds, impersonated });
  expect(ledger.transactions.map(({ isSuccess, waived }) => ({ isSuccess, waived }))).toEqual([
    { isSuccess: true, waived: [ALICE.publicKey()] },
  ]);
  const { diagnosticsXdr } = readTransactionMeta(ledger.transactions[0]?.metaXdr ?? "");
  const [said, ...others] = diagnosticsXdr.map((event) => readDiagnosticEvent(event));
  expect(said?.topicsXdr.map(symbolOf)).toEqual(["fork", "waived_signatures"]);
  expect(others).toEqual([]);
  const second = await signed(chain, [ALICE], pay(ROOT, "3"));
  const next = BigInt(chain.latest.closeTimeUnixSeconds) + 6n;
  const asSigned = await chain.close([second], {
    ...{ ...CONTEXT, closeTimeUnixSeconds: next, impersonated: "all" as const },
  });
  expect(asSigned.transactions.map(({ waived }) => waived)).toEqual([[]]);
  expect((await chain.check(envelopeXdr, CONTEXT))?.code).toBe("txBadSeq");
});

/** The signatures of an envelope are its last bytes: a count, then each with its hint. */
function withoutSignatures(envelopeXdr: string): string {
  const bytes = Buffer.from(envelopeXdr, "base64");
  const [count, hint, length, signature] = [4, 4, 4, 64];
  return Buffer.concat([
    bytes.subarray(0, -(count + hint + length + signature)),
    Buffer.alloc(4),
  ]).toString("base64");
}

test("a ledger that lets others pass moves the number and the time", async () => {
  const chain = madeFork();
  const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 86_400n;
  const ledger = await chain.close([], { ...CONTEXT, closeTimeUnixSeconds, sequence: 20_000 });
  expect(chain.latest.sequence).toBe(20_000);
  expect(ledger.closeTimeUnixSeconds).toBe(String(closeTimeUnixSeconds));
});

test("a signer for one transaction is used up by it, whatever becomes of it", async () => {
  const chain = madeFork();
  await closeOne(chain, await signed(chain, [ROOT], create(ALICE)));
  const { sequence = 0n } = (await accountOf(chain, ALICE)) ?? {};
  const account = new Account(ALICE.publicKey(), String(sequence + 1n));
  const later = new TransactionBuilder(account, { fee: "100", networkPassphrase: PASSPHRASE })
    .addOperation(pay(BOB, "1"))
    .setTimeout(0)
    .build();
  const signer = { preAuthTx: later.hash(), weight: 1 };
  await closeOne(chain, await signed(chain, [ALICE], Operation.setOptions({ signer })));
  expect((await accountOf(chain, ALICE))?.signers.length).toBe(2);
  expect(await chain.check(later.toXDR(), CONTEXT)).toBeNull();
  const { transaction } = await closeOne(chain, later.toXDR());
  // BOB does not exist.
  expect(
    readTransactionResult(transaction?.resultXdr ?? "").operationResults.map(resultCodeName),
  ).toEqual(["paymentNoDestination"]);
  const left = await accountOf(chain, ALICE);
  expect([left?.signers.length, left?.reserves]).toEqual([1, 2n]);
});

test("transactions of one ledger see those before them, and all pay first", async () => {
  const chain = madeFork();
  await closeOne(chain, await signed(chain, [ROOT], create(ALICE, "2"), create(BOB, "2")));
  const merge = Operation.accountMerge({ destination: ROOT.publicKey() });
  const envelopes = [
    await signed(chain, [ALICE], merge),
    await signed(chain, [BOB], pay(ALICE, "0.5")),
    await signed(chain, [ROOT], create(ALICE, "3")),
  ];
  const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 6n;
  const merged = (await accountOf(chain, ALICE))?.sequence ?? 0n;
  const tooSoon = await chain.close(envelopes, { ...CONTEXT, closeTimeUnixSeconds });
  const codes = tooSoon.transactions.map(({ resultXdr }) => {
    return readTransactionResult(resultXdr).operationResults.map(resultCodeName).join();
  });
  expect(codes).toEqual(["accountMergeSuccess", "paymentNoDestination", "createAccountSuccess"]);
  // A new account begins beyond every number that the old one had.
  expect(((await accountOf(chain, ALICE))?.sequence ?? 0n) > merged).toBe(true);
  const fees = tooSoon.transactions.map(({ feeChangesXdr }) => readEntryChanges(feeChangesXdr));
  expect(fees.map((changes) => changes.map(({ kind }) => kind))).toEqual(
    Array(3).fill(["state", "updated"]),
  );
});
