// What stellar-core's invariants hold of every operation (src/invariant): no lumens appear or
// vanish, accounts count their sub-entries and sponsorships, and a transaction that fails changes
// nothing but its fee and its sequence number. Random operations of few accounts, so that they meet.

import { expect, test } from "bun:test";
import { Asset, type AuthClawbackEnabledFlag, Keypair, Operation } from "@stellar/stellar-sdk";
import fc from "fast-check";
import type { ForkChain } from "../../src/fork/ledger/chain.ts";
import { resultCodeName } from "../../src/model/result-code.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import { decode, type Value } from "../../src/xdr/reader/value.ts";
import { CONTEXT, closeOne, madeFork, ROOT, signed } from "../support/made-fork.ts";

const KEYS = [1, 2, 3, 4].map((n) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, n)));
const ALL = [ROOT, ...KEYS];
const STROOPS = 10n ** 17n;

type Made = ReturnType<typeof Operation.payment>;

const who = fc.integer({ min: 0, max: KEYS.length - 1 }).map((at) => KEYS[at] as Keypair);
const amount = fc.constantFrom("0.0000001", "1", "2.5", "30", "1000000");
const code = fc.constantFrom("A", "LONGER");
const bits = fc.integer({ min: 0, max: 15 });
const weight = fc.integer({ min: 0, max: 3 });

/** An operation of an account; its issuer is the first of the accounts. */
const operation: fc.Arbitrary<Made> = fc
  .record({ source: fc.option(who, { nil: null }), to: who, amount, code, bits, weight })
  .chain(({ source, to, amount: value, code: asset, bits: flags, weight: threshold }) => {
    const issued = new Asset(asset, (KEYS[0] as Keypair).publicKey());
    const of = source === null ? {} : { source: source.publicKey() };
    const destination = to.publicKey();
    const signer = { ed25519PublicKey: destination, weight: (flags % 3) as number };
    const flag = flags as typeof AuthClawbackEnabledFlag;
    return fc.constantFrom(
      ...[() => Operation.createAccount({ ...of, destination, startingBalance: value })],
      () => Operation.payment({ ...of, destination, asset: Asset.native(), amount: value }),
      () => Operation.payment({ ...of, destination, asset: issued, amount: value }),
      () => Operation.changeTrust({ ...of, asset: issued, limit: flags < 3 ? "0" : value }),
      () =>
        Operation.setTrustLineFlags({
          ...{ source: (KEYS[0] as Keypair).publicKey(), trustor: destination, asset: issued },
          flags: { authorized: flags % 2 === 0, ...(flags > 12 && { clawbackEnabled: false }) },
        }),
      () =>
        Operation.clawback({
          ...{ source: (KEYS[0] as Keypair).publicKey(), from: destination },
          ...{ asset: issued, amount: value },
        }),
      () => Operation.setOptions({ ...of, setFlags: flag }),
      () => Operation.setOptions({ ...of, clearFlags: flag }),
      () => Operation.setOptions({ ...of, signer }),
      () => Operation.setOptions({ ...of, medThreshold: threshold, homeDomain: "example.org" }),
      () => Operation.manageData({ ...of, name: asset, value: flags < 5 ? null : value }),
      () => Operation.bumpSequence({ ...of, bumpTo: String(flags) }),
      () => Operation.accountMerge({ ...of, destination }),
      () => Operation.beginSponsoringFutureReserves({ ...of, sponsoredId: destination }),
      () => Operation.endSponsoringFutureReserves(of),
    );
  })
  .map((make) => make() as Made);

const transactions = fc.array(
  fc.record({ by: who, operations: fc.array(operation, { minLength: 1, maxLength: 4 }) }),
  { minLength: 5, maxLength: 25 },
);

test("no operation breaks what stellar-core's invariants hold", async () => {
  const ended = new Set<string>();
  await fc.assert(
    fc.asyncProperty(transactions, async (sent) => {
      const chain = madeFork();
      for (const key of KEYS) {
        const funding = { destination: key.publicKey(), startingBalance: "100" };
        await closeOne(chain, await signed(chain, [ROOT], Operation.createAccount(funding)));
      }
      for (const { by, operations } of sent) {
        const envelopeXdr = await signed(chain, [by], ...operations);
        const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 6n;
        const ledger = await chain.close([envelopeXdr], {
          ...{ ...CONTEXT, closeTimeUnixSeconds, impersonated: "all" },
        });
        for (const { resultXdr, metaXdr, isSuccess } of ledger.transactions) {
          for (const each of readTransactionResult(resultXdr).operationResults)
            ended.add(resultCodeName(each));
          const { operationChanges } = readTransactionMeta(metaXdr);
          expect(operationChanges.length).toBe(isSuccess ? operations.length : 0);
        }
        expectInvariants(chain);
      }
    }),
    { numRuns: 60, seed: 20_261_123 },
  );
  // Operations meet each other, and fail in most ways that few accounts allow.
  expect(ended.size).toBeGreaterThan(25);
}, 120_000);

type Account = Value<"AccountEntry">;

function expectInvariants(chain: ForkChain): void {
  const entries = chain
    .overlay()
    .entries.flatMap(({ entryXdr }) => (entryXdr === null ? [] : decode("LedgerEntry", entryXdr)));
  const accounts = entries.flatMap(({ data }) =>
    data.type === ENTRY_TYPE.account ? [data.account] : [],
  );
  const { feePool } = decode("LedgerHeader", chain.latest.headerXdr);
  const lumens = accounts.reduce((sum, { balance }) => sum + balance, feePool);
  expect(lumens).toBe(STROOPS);
  const nameOf = ({ ed25519 }: Account["accountId"]) => ed25519.toHex();
  const [owned, sponsored, sponsoring] = [counter(), counter(), counter()];
  for (const { data, ext } of entries) {
    const sponsor = ext.v === 1 ? ext.v1.sponsoringId : null;
    const owner =
      data.type === ENTRY_TYPE.trustline
        ? data.trustLine.accountId
        : data.type === ENTRY_TYPE.data
          ? data.data.accountId
          : null;
    if (owner !== null) owned.add(nameOf(owner), 1);
    const reserves = data.type === ENTRY_TYPE.account ? 2 : 1;
    const holder = data.type === ENTRY_TYPE.account ? data.account.accountId : owner;
    if (sponsor === null || holder === null) continue;
    sponsoring.add(nameOf(sponsor), reserves);
    sponsored.add(nameOf(holder), reserves);
  }
  for (const account of accounts) {
    const { signerSponsoringIDs = [] } = sponsorshipOf(account);
    owned.add(nameOf(account.accountId), account.signers.length);
    for (const id of signerSponsoringIDs) {
      if (id === null) continue;
      sponsoring.add(nameOf(id), 1);
      sponsored.add(nameOf(account.accountId), 1);
    }
    const { ext } = account;
    if (ext.v === 1 && ext.v1.ext.v === 2)
      expect(signerSponsoringIDs.length).toBe(account.signers.length);
  }
  for (const account of accounts) {
    const name = nameOf(account.accountId);
    const { numSponsored = 0, numSponsoring = 0 } = sponsorshipOf(account);
    expect(account.numSubEntries).toBe(owned.get(name));
    expect([numSponsored, numSponsoring]).toEqual([sponsored.get(name), sponsoring.get(name)]);
    expect(account.balance >= 0n).toBe(true);
  }
  expect(accounts.length).toBeLessThanOrEqual(ALL.length);
}

function sponsorshipOf({ ext }: Account): Partial<Value<"AccountEntryExtensionV2">> {
  return ext.v === 1 && ext.v1.ext.v === 2 ? ext.v1.ext.v2 : {};
}

function counter() {
  const counts = new Map<string, number>();
  return {
    add: (name: string, by: number) => counts.set(name, (counts.get(name) ?? 0) + by),
    get: (name: string) => counts.get(name) ?? 0,
  };
}
