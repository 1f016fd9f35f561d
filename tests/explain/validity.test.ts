// stellar-core's validity check, rule by rule: each case breaks one rule in an envelope that the
// recorded network took, and the first answer is that rule's. Every rule has a case.

import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { decodeAccountKey } from "../../src/base/text/strkey.ts";
import { checkValidity, RULES } from "../../src/explain/validity/check-validity.ts";
import type { Rule, ValidityFacts } from "../../src/explain/validity/rule.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import type { AccountFacts } from "../../src/xdr/ledger/account.ts";
import { readLedgerCloseMeta } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { accountKeyOf } from "../../src/xdr/reader/keys.ts";
import { encode, type Value } from "../../src/xdr/reader/value.ts";
import { signerWith } from "../../src/xdr/values/signer.ts";
import {
  ACCOUNT,
  alphaNum4,
  CODE,
  changed,
  DATA,
  type Decoded,
  dataKey,
  dataOf,
  declaring,
  extendingTo,
  HASH_SIGNER,
  KEY,
  LONG,
  multiplexed,
  OFFER,
  preconditions,
  reopened,
  SETTING,
  TEMPORARY,
  TTL,
  trustline,
  withKeys,
} from "../support/changed-envelope.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { arbitraryOf } from "../support/xdr-arbitrary.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const { network } = loopback;
const sent = (n: number): Envelope => {
  const found = network.transactions.find((each) => each.n === n);
  if (found === undefined) throw new Error(`no transaction ${n}`);
  const { envelopeXdr } = network.file(found).rpcGetTransaction.result;
  return openEnvelope(String(envelopeXdr), network.passphrase);
};
const CALL = sent(29);
const UPLOAD = sent(12);
const RESTORE = sent(159);
const EXTEND = sent(161);
const SIGNED_ENTRY = sent(82);
const BUMP = sent(121);
const DEPLOY_ASSET = sent(103);
const PAYMENT = sent(124);
const SETTINGS = network.settingEntries.map(({ xdr }) => {
  const entry = Buffer.concat([Buffer.alloc(4), Buffer.from(xdr, "base64"), Buffer.alloc(4)]);
  return entry.toString("base64");
});

type Change = Partial<Omit<ValidityFacts, "ledger">> & {
  readonly ledger?: Partial<ValidityFacts["ledger"]>;
  readonly account?: (account: AccountFacts) => AccountFacts | null;
};

/** The envelope on a state on which the network takes it, but for the changes. */
function broken(envelope: Envelope, { ledger, account = (same) => same, ...change }: Change = {}) {
  const { terms } = envelope;
  const accounts = terms.signers.map((address) => [address, account(accountOf(address, envelope))]);
  return checkValidity({
    envelope,
    settingsXdr: SETTINGS,
    accounts: new Map(accounts as [string, AccountFacts | null][]),
    ledger: {
      ...{ protocolVersion: 28, sequence: 101, baseReserveStroops: 5_000_000, baseFeeStroops: 100 },
      ...{ closesFrom: terms.latestSeconds ?? 1n, closesUntil: terms.latestSeconds ?? 1n },
      ...ledger,
    },
    ...change,
  });
}

function accountOf(address: string, { terms }: Envelope): AccountFacts {
  const key = decodeAccountKey(address) ?? new Uint8Array();
  return {
    ...{ address, balanceStroops: 10n ** 15n, sellingLiabilitiesStroops: 0n },
    sequence: address === terms.source ? terms.sequence - 1n : 7n,
    ...{ sequenceLedger: 90, sequenceSeconds: 0n, reserves: 2n },
    ...{ signers: [signerWith("ed25519", key, 1)], thresholds: [0, 0, 0] },
  };
}

const bumped = (change: (tx: Extract<Decoded, { type: 5 }>["feeBump"]["tx"]) => object) => {
  if (BUMP.decoded.type !== 5) throw new Error("not a fee-bump");
  const { tx, signatures } = BUMP.decoded.feeBump;
  return reopened(BUMP, { ...BUMP.decoded, feeBump: { tx: { ...tx, ...change(tx) }, signatures } });
};

const calling = (envelope: Envelope, hostFunction: Value<"HostFunction">) =>
  changed(envelope, ({ operations }) => ({
    operations: operations.map((operation) =>
      operation.body.type === 24
        ? {
            ...operation,
            body: {
              ...operation.body,
              invokeHostFunctionOp: { ...operation.body.invokeHostFunctionOp, hostFunction },
            },
          }
        : operation,
    ),
  }));
const frozenKeys = (...keys: string[]) => [
  ...SETTINGS,
  encode("LedgerEntry", {
    lastModifiedLedgerSeq: 1,
    data: {
      type: 8,
      configSetting: {
        configSettingID: 17,
        frozenLedgerKeys: { keys: keys.map((key) => Buffer.from(key, "base64")) },
      },
    },
    ext: { v: 0 },
  }),
];
const memo = (envelope: Envelope) =>
  changed(envelope, () => ({ memo: { type: 1, text: Buffer.from("a") } }));
const v0 = () => {
  if (PAYMENT.decoded.type !== 2) throw new Error("not V1");
  const { tx, signatures } = PAYMENT.decoded.v1;
  const { sourceAccount, cond, fee, seqNum, memo: text, operations } = tx;
  if (sourceAccount.type !== 0) throw new Error("multiplexed");
  const timeBounds = cond.type === 1 ? cond.timeBounds : null;
  return reopened(PAYMENT, {
    type: 0,
    v0: {
      tx: {
        ...{ sourceAccountEd25519: sourceAccount.ed25519, fee, seqNum, timeBounds },
        ...{ memo: text, operations, ext: { v: 0 } },
      },
      signatures,
    },
  });
};
const operationsOf = ({ decoded }: Envelope) =>
  decoded.type === 2 ? decoded.v1.tx.operations : [];
const [FIRST_KEY = ""] = CALL.soroban?.footprint.readOnly ?? [];

interface Case {
  readonly what: string;
  readonly code: string;
  readonly of: Envelope;
  readonly given?: Change;
  readonly words: RegExp;
}
/** Nothing is said of accounts and signatures. */
const UNKNOWN: Change = { accounts: new Map() };
const at = (protocolVersion: number): Change => ({ ledger: { protocolVersion } });

const CASES: readonly Case[] = [
  {
    ...{ what: "nothing declared", code: "txMalformed", words: /does not declare its resources/ },
    of: changed(CALL, () => ({ ext: { v: 0 } })),
  },
  {
    ...{ what: "a resource fee below 0", code: "txMalformed", words: /resource fee is -1 stroops/ },
    of: declaring(CALL, () => ({ resourceFee: -1n })),
  },
  {
    ...{
      what: "a resource fee of 2^50 and one",
      code: "txMalformed",
      words: /allowed range is 0 to/,
    },
    of: declaring(CALL, () => ({ resourceFee: 2n ** 50n + 1n })),
  },
  {
    ...{ what: "a fee-bump below 0", code: "txMalformed", words: /fee bid is below 0/ },
    of: bumped(() => ({ fee: -1n })),
  },
  {
    ...{ what: "a fee below the resource fee", code: "txMalformed", words: /the minimum is / },
    of: changed(CALL, () => ({ fee: 1 })),
  },
  {
    ...{ what: "a fee-bump's inclusion fee", code: "txInsufficientFee", words: /the minimum is / },
    of: bumped(() => ({ fee: BigInt(BUMP.soroban?.resourceFeeStroops ?? 0) + 199n })),
  },
  {
    what: "an inner fee below the resource fee",
    ...{ code: "txFeeBumpInnerFailed", words: /inner transaction bids 1 stroop,/ },
    ...{ of: changed(BUMP, () => ({ fee: 1 })), given: at(22) },
  },
  {
    ...{ what: "a fee-bump that bids less", code: "txInsufficientFee", words: /the minimum is / },
    of: changed(BUMP, () => ({ fee: 2 ** 31 })),
  },
  {
    ...{ what: "no account of a fee-bump", code: "txNoAccount", words: /no entry for account G/ },
    of: BUMP,
    given: { account: (one) => (one.address === BUMP.terms.payer ? null : one) },
  },
  {
    ...{
      what: "a fee-bump that is not signed",
      code: "txBadAuth",
      words: /no valid signature for/,
    },
    of: bumped(({ fee }) => ({ fee: (fee as bigint) + 1n })),
  },
  {
    ...{ what: "a payer without XLM", code: "txInsufficientBalance", words: /can spend 0 XLM/ },
    ...{ of: BUMP, given: { account: (one) => ({ ...one, balanceStroops: 10_000_000n }) } },
  },
  {
    ...{ what: "a frozen payer", code: "txFrozenKeyAccessed", words: /has frozen account G/ },
    of: BUMP,
    given: { settingsXdr: frozenKeys(accountKeyOf(BUMP.terms.payer)) },
  },
  {
    ...{ what: "a signature too many of a fee-bump", code: "txBadAuthExtra" },
    words: /not needed \(hints 07/,
    of: {
      ...BUMP,
      terms: {
        ...BUMP.terms,
        signatures: [...BUMP.terms.signatures, { hint: KEY.subarray(0, 4), signature: KEY }],
      },
    },
  },
  { what: "a V0 envelope", code: "txNotSupported", words: /V0 envelope/, of: v0() },
  {
    ...{
      what: "an extra signer twice",
      code: "txMalformed",
      words: /names? an extra signer twice/,
    },
    of: changed(CALL, () => preconditions([HASH_SIGNER, HASH_SIGNER])),
  },
  {
    ...{ what: "an empty payload", code: "txMalformed", words: /empty payload/ },
    of: changed(CALL, () =>
      preconditions([
        { type: 3, ed25519SignedPayload: { ed25519: KEY, payload: new Uint8Array() } },
      ]),
    ),
  },
  {
    ...{ what: "no operation", code: "txMissingOperation", words: /has no operation/ },
    of: changed(PAYMENT, () => ({ operations: [] })),
  },
  {
    ...{ what: "two Soroban operations", code: "txMalformed", words: /beside another operation/ },
    of: changed(CALL, ({ operations }) => ({ operations: [...operations, ...operations] })),
  },
  {
    ...{ what: "a call beside a payment", code: "txMalformed", words: /beside another operation/ },
    of: changed(PAYMENT, ({ operations }) => ({
      operations: [...operations, ...operationsOf(CALL)],
    })),
  },
  { what: "a memo", code: "txSorobanInvalid", words: /has a memo/, of: memo(CALL) },
  {
    ...{ what: "a multiplexed source", code: "txSorobanInvalid", words: /multiplexed source acc/ },
    of: changed(CALL, ({ sourceAccount }) => ({ sourceAccount: multiplexed(sourceAccount) })),
    given: at(25),
  },
  {
    what: "a multiplexed source of the operation",
    ...{ code: "txSorobanInvalid", words: /multiplexed source account of its operation/ },
    of: changed(CALL, ({ sourceAccount, operations }) => ({
      operations: operations.map((each) => ({
        ...each,
        sourceAccount: multiplexed(sourceAccount),
      })),
    })),
  },
  {
    ...{
      what: "too many instructions",
      code: "txSorobanInvalid",
      words: /declares 4,000,000,000 /,
    },
    of: declaring(CALL, ({ resources }) => ({
      resources: { ...resources, instructions: 4_000_000_000 },
    })),
  },
  ...(
    [
      ["an offer", OFFER],
      ["a data entry", DATA],
      ["a setting", SETTING],
      ["a TTL", TTL],
    ] as const
  ).map(
    ([what, key]): Case => ({
      ...{ what, code: "txSorobanInvalid", words: /has no entries of that type/ },
      of: withKeys(RESTORE, [], [key]),
    }),
  ),
  ...(
    [
      ["a trustline of XLM", trustline({ type: 0 })],
      ["a trustline of the issuer's own", trustline(alphaNum4("LAB"))],
      ["a trustline of no asset", trustline(alphaNum4("L\0B", new Uint8Array(32)))],
    ] as const
  ).map(
    ([what, key]): Case => ({
      ...{ what, code: "txSorobanInvalid", words: /no such trustline can exist/ },
      of: withKeys(CALL, [key]),
    }),
  ),
  {
    ...{ what: "a long key", code: "txSorobanInvalid", words: /key of 3\d\d bytes.*allows 250: / },
    of: withKeys(CALL, [LONG]),
  },
  {
    what: "archived entries before protocol 23",
    ...{ code: "txSorobanInvalid", words: /only protocol 23 and later/ },
    ...{ of: withKeys(CALL, [], [CODE], [0]), given: at(22) },
  },
  {
    ...{ what: "unsorted indexes", code: "txSorobanInvalid", words: /not in ascending order/ },
    of: withKeys(CALL, [], [CODE, LONG], [1, 0]),
    given: { settingsXdr: [] },
  },
  {
    ...{ what: "indexes out of bounds", code: "txSorobanInvalid", words: /index 1 of an archived/ },
    of: withKeys(CALL, [], [CODE], [0, 1]),
  },
  {
    ...{ what: "indexes of no read-write entry", code: "txSorobanInvalid", words: /has 0 read-wr/ },
    of: withKeys(CALL, [CODE], [], [0]),
  },
  {
    ...{ what: "a temporary archived entry", code: "txSorobanInvalid", words: /is not persistent/ },
    of: withKeys(CALL, [], [TEMPORARY], [0]),
  },
  {
    ...{
      what: "a resource cost",
      code: "txSorobanInvalid",
      words: /declared resources cost [\d,]+ stroops/,
    },
    ...{ of: CALL, given: { resourceCostStroops: 10n ** 12n } },
  },
  {
    ...{ what: "a key twice", code: "txSorobanInvalid", words: /a key twice: / },
    of: withKeys(CALL, [FIRST_KEY], [FIRST_KEY]),
  },
  {
    ...{
      what: "Soroban data beside a payment",
      code: "txMalformed",
      words: /no operation runs in/,
    },
    of: changed(PAYMENT, ({ ext }) => ({ ext: dataOf(CALL) ?? ext })),
    given: at(21),
  },
  {
    ...{
      what: "a lower bound",
      code: "txTooEarly",
      words: /^The transaction is valid from ledger 102; /,
    },
    of: { ...CALL, terms: { ...CALL.terms, earliestLedger: 102 } },
  },
  {
    ...{ what: "an upper bound", code: "txTooLate", words: /^The transaction is valid until / },
    ...{ of: CALL, given: { ledger: { closesFrom: 2n ** 40n, closesUntil: 2n ** 40n } } },
  },
  {
    ...{ what: "an inclusion fee", code: "txInsufficientFee", words: /the minimum is / },
    of: changed(CALL, () => ({ fee: Number(CALL.soroban?.resourceFeeStroops) + 99 })),
  },
  {
    ...{ what: "no account", code: "txNoAccount", words: /no entry for account G/ },
    ...{ of: CALL, given: { account: () => null } },
  },
  {
    ...{ what: "a frozen entry", code: "txFrozenKeyAccessed", words: /The network has frozen / },
    ...{ of: CALL, given: { settingsXdr: frozenKeys(FIRST_KEY), ...at(26) } },
  },
  {
    ...{ what: "a sequence number", code: "txBadSeq", words: /the account expects/ },
    of: CALL,
    given: { account: (one) => ({ ...one, sequence: one.sequence + 1n }) },
  },
  {
    ...{ what: "the sequence number of new accounts", code: "txBadSeq", words: /creates accounts/ },
    of: changed(CALL, () => ({ seqNum: 101n * 2n ** 32n })),
  },
  {
    ...{ what: "a ledger gap", code: "txBadMinSeqAgeOrGap", words: /last used in ledger 90/ },
    of: { ...CALL, terms: { ...CALL.terms, leastLedgerGap: 12 } },
  },
  {
    ...{ what: "no signature", code: "txBadAuth", words: /no valid signature for/ },
    of: changed(CALL, ({ seqNum }) => ({ seqNum: seqNum + 1n })),
  },
  {
    ...{ what: "no extra signature", code: "txBadAuth", words: /name an extra signer/ },
    of: {
      ...CALL,
      terms: { ...CALL.terms, extraSigners: [signerWith("ed25519", KEY, 1)] },
    },
  },
  {
    ...{ what: "a reserve", code: "txInsufficientBalance", words: /can spend 0 XLM/ },
    ...{ of: CALL, given: { account: (one) => ({ ...one, balanceStroops: 10_000_000n }) } },
  },
  {
    ...{
      what: "an operation's threshold",
      code: "opBadAuth",
      words: /its operation needs weight 2/,
    },
    ...{ of: CALL, given: { account: (one) => ({ ...one, thresholds: [1, 2, 2] }) } },
  },
  {
    ...{ what: "code over the limit", code: "txFailed", words: /The code has 200,000 bytes/ },
    of: calling(UPLOAD, { type: 2, wasm: new Uint8Array(200_000) }),
    given: { ...UNKNOWN, settingsXdr: SETTINGS.slice(0, 1) },
  },
  {
    ...{ what: "an asset of no code", code: "txFailed", words: /invalid code/ },
    of: calling(DEPLOY_ASSET, {
      type: 1,
      createContract: {
        contractIdPreimage: { type: 1, fromAsset: alphaNum4("") },
        executable: { type: 1 },
      },
    }),
    given: UNKNOWN,
  },
  {
    ...{ what: "read-write keys to extend", words: /read-write entries in the footprint/ },
    ...{ code: "extendFootprintTtlMalformed", of: withKeys(EXTEND, [], [CODE]), given: UNKNOWN },
  },
  {
    ...{ what: "an account to extend", words: /has no TTL that can be extended/ },
    code: "extendFootprintTtlMalformed",
    of: withKeys(EXTEND, [accountKeyOf(CALL.terms.source)]),
    given: UNKNOWN,
  },
  {
    ...{ what: "a TTL over the maximum", words: /extended to 4,000,000,000 ledgers; the network/ },
    ...{
      code: "extendFootprintTtlMalformed",
      of: extendingTo(EXTEND, 4_000_000_000),
      given: UNKNOWN,
    },
  },
  {
    ...{ what: "read-only keys to restore", words: /read-only entries in the footprint/ },
    ...{ code: "restoreFootprintMalformed", of: withKeys(RESTORE, [CODE]), given: UNKNOWN },
  },
  {
    ...{ what: "a temporary entry to restore", words: /it is not a persistent entry/ },
    ...{
      code: "restoreFootprintMalformed",
      of: withKeys(RESTORE, [], [TEMPORARY]),
      given: UNKNOWN,
    },
  },
  {
    ...{ what: "a signature too many", code: "txBadAuthExtra", words: /not needed \(hints / },
    of: {
      ...CALL,
      terms: {
        ...CALL.terms,
        signatures: [...CALL.terms.signatures, { hint: KEY, signature: KEY }],
      },
    },
  },
  {
    ...{ what: "a memo, by the queue alone", code: "txSorobanInvalid", words: /has a memo/ },
    ...{ of: memo(CALL), given: { ...UNKNOWN, ...at(24) } },
  },
  {
    ...{ what: "code for an asset's contract", code: "txSorobanInvalid", words: /or neither/ },
    of: calling(DEPLOY_ASSET, {
      type: 1,
      createContract: {
        contractIdPreimage: { type: 1, fromAsset: alphaNum4("LAB") },
        executable: { type: 0, wasmHash: KEY },
      },
    }),
    given: { ...UNKNOWN, ...at(27) },
  },
];

const reached = new Set<Rule>();
describe("the first answer is of the rule that is broken:", () => {
  for (const { what, of, given = {}, code, words } of CASES)
    test(what, () => {
      const found = broken(of, given);
      for (const { rule } of found) reached.add(rule);
      const [first] = found;
      expect([first?.rule.code, first?.words]).toEqual([code, expect.stringMatching(words)]);
    });
});

describe("protocols", () => {
  const first = (envelope: Envelope, protocol: number, change: Change = UNKNOWN) =>
    broken(envelope, { ...change, ledger: { protocolVersion: protocol, sequence: 101 } })[0]?.rule;

  test("a contract call with a memo is valid before 25, and no queue takes it from 22 on", () => {
    const of = memo(CALL);
    expect([20, 21, 22, 23, 24, 25, 28].map((each) => first(of, each)?.ofQueue)).toEqual([
      undefined,
      undefined,
      undefined,
      true,
      true,
      undefined,
      undefined,
    ]);
    expect([20, 22, 23, 25, 28].map((each) => first(of, each)?.code)).toEqual([
      undefined,
      undefined,
      ...Array(3).fill("txSorobanInvalid"),
    ]);
    // In protocol 22 only with an authorization of another account than the source.
    expect(first(memo(SIGNED_ENTRY), 22)?.code).toBe("txSorobanInvalid");
    expect(first(memo(EXTEND), 28)).toBeUndefined();
  });

  test("an inner fee below the resource fee is valid from 23", () => {
    const of = changed(BUMP, () => ({ fee: 1 }));
    expect(first(of, 22)?.code).toBe("txFeeBumpInnerFailed");
    expect(first(of, 23)).toBeUndefined();
  });

  test("Soroban data beside a payment is valid before 21", () => {
    const of = changed(PAYMENT, ({ ext }) => ({ ext: dataOf(CALL) ?? ext }));
    expect(first(of, 20)).toBeUndefined();
  });

  test("frozen entries count from 26, except for the transactions that the network names", () => {
    const settingsXdr = frozenKeys(FIRST_KEY);
    expect(first(CALL, 25, { ...UNKNOWN, settingsXdr })).toBeUndefined();
    expect(first(CALL, 26, { ...UNKNOWN, settingsXdr })?.code).toBe("txFrozenKeyAccessed");
    const exception = encode("LedgerEntry", {
      lastModifiedLedgerSeq: 1,
      data: {
        type: 8,
        configSetting: {
          configSettingID: 19,
          freezeBypassTxs: { txHashes: [Buffer.from(CALL.hash, "hex")] },
        },
      },
      ext: { v: 0 },
    });
    const named = { ...UNKNOWN, settingsXdr: [...settingsXdr, exception] };
    expect(first(CALL, 26, named)).toBeUndefined();
  });

  test("all entries to restore count as read from disk", () => {
    const keys = Array.from({ length: 300 }, (_, i) => dataKey(1, { type: 3, u32: i }));
    const words = broken(withKeys(RESTORE, [], keys), {
      ...UNKNOWN,
      settingsXdr: SETTINGS.slice(2, 3),
    })[0]?.words;
    expect(words).toMatch(/300 entries read from disk/);
  });
});

test("a fee below the resource fee has another code where no queue is asked", () => {
  const of = changed(CALL, () => ({ fee: 1 }));
  const [first, ...more] = broken(of, { ...UNKNOWN, withoutQueue: true });
  if (first !== undefined) reached.add(first.rule);
  expect(more).toEqual([]);
  expect([first?.rule.code, first?.words]).toEqual([
    "txSorobanInvalid",
    expect.stringMatching(/the whole fee is 1 stroop\.$/),
  ]);
});

test("the operation's account is missing: only likely, as a node may leave it out", () => {
  const of = changed(CALL, ({ operations }) => ({
    operations: operations.map((each) => ({ ...each, sourceAccount: ACCOUNT })),
  }));
  const found = broken(of, { account: (one) => (one.address === of.terms.source ? one : null) });
  for (const { rule } of found) reached.add(rule);
  const missing = found.find(({ rule }) => rule.code === "opNoAccount");
  expect(missing?.rule.isLikely).toBe(true);
});

test("what the network took is valid", () => {
  const taken = network.transactions.filter(
    ({ soroban, status }) => soroban && status === "SUCCESS",
  );
  expect(taken.length).toBeGreaterThan(50);
  for (const { n } of taken) {
    const envelope = sent(n);
    const account = (one: AccountFacts) => ({ ...one, sequenceLedger: 0 });
    const found = broken(envelope, { account, ledger: { sequence: 101 } });
    expect([n, found.map(({ words }) => words)]).toEqual([n, []]);
  }
});

test("no envelope is too strange, and the order of the answers is that of the rules", () => {
  const { schema } = TransactionEnvelope;
  const envelopes = arbitraryOf({ schema }).map((wire) =>
    schema.encode(wire as Parameters<typeof schema.encode>[0]).toBase64(),
  );
  const property = fc.property(envelopes, fc.integer({ min: 20, max: 28 }), (xdr, protocol) => {
    const envelope = openEnvelope(xdr, network.passphrase);
    const found = broken(envelope, at(protocol)).map(({ rule }) => RULES.indexOf(rule));
    expect(found).toEqual(found.toSorted((one, other) => one - other));
  });
  fc.assert(property, { numRuns: 500 });
});

const LEDGERS = hasCorpus("mainnet-ledgers") ? readdirSync(corpusPath("mainnet-ledgers")) : [];
needs("../shared/corpus", LEDGERS.length > 0).describe("what public networks took is valid", () => {
  test.each(LEDGERS)("%s", async (file) => {
    const { passphrase } = file.startsWith("testnet") ? NETWORKS.testnet : NETWORKS.mainnet;
    const path = corpusPath("mainnet-ledgers", file);
    for await (const { ledgerCloseMeta } of readLedgerFile(path, { signal: NEVER_ABORTED })) {
      const { facts, transactions } = readLedgerCloseMeta(ledgerCloseMeta, passphrase);
      const { protocolVersion, sequence } = facts;
      const closed = BigInt(facts.closeTimeUnixSeconds);
      const closes = { closesFrom: closed, closesUntil: closed };
      expect(transactions.length).toBeGreaterThan(10);
      for (const { envelopeXdr, hash } of transactions) {
        const found = checkValidity({
          ...{ envelope: openEnvelope(envelopeXdr, passphrase), accounts: new Map() },
          ...{ settingsXdr: [], withoutQueue: true },
          ledger: {
            ...{ protocolVersion, sequence, ...closes },
            ...{ baseReserveStroops: 5_000_000, baseFeeStroops: 100 },
          },
        });
        expect([hash, found.map(({ words }) => words)]).toEqual([hash, []]);
      }
    }
  });
});

test("every rule has a case", () => {
  const missing = RULES.filter((rule) => !reached.has(rule));
  expect(missing.map(({ code, finds }) => `${code}: ${finds}`)).toEqual([]);
});
