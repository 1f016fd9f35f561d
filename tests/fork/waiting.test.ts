// Transactions that wait for a ledger of a fork: what cannot be applied, and what needs a node that
// does not answer, costs the others nothing, and is answered by its hash.

import { beforeAll, describe, expect, test } from "bun:test";
import {
  Account,
  Asset,
  Keypair,
  Operation,
  SorobanDataBuilder,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import fc from "fast-check";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { type ErrorCode, SvcError } from "../../src/base/errors/errors.ts";
import { decodeAccountKey } from "../../src/base/text/strkey.ts";
import { Fork } from "../../src/fork/fork.ts";
import type { ForkBase, ForkEntry } from "../../src/fork/ledger/chain.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import type { Execution } from "../../src/model/execution.ts";
import { accountKeyOf, keyOfEntry } from "../../src/xdr/reader/keys.ts";
import { decode, encode, type Value } from "../../src/xdr/reader/value.ts";
import { openDyingSimulator } from "../support/dying-simulator.ts";
import { failureIn } from "../support/failure.ts";
import { openFork } from "../support/fork.ts";
import { accountEntry, CONTEXT, madeBase, PASSPHRASE, ROOT } from "../support/made-fork.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

const STROOPS = 10n ** 12n;
const NEVER = new Promise<never>(() => {});

/** What becomes of a transaction that is accepted: the code of its failure, if it has one. */
const KINDS = {
  pays: null,
  "is not supported": "FORK_UNSUPPORTED",
  "finds a bug": "INTERNAL",
  "ends svc-sim": "SIMULATOR_DIED",
  "is too slow for svc-sim": "SIMULATOR_TIMEOUT",
  "needs an unknown entry": "FORK_STATE_UNKNOWN",
  "needs a node that fails": "NETWORK_TIMEOUT",
  "needs a node that hangs": null,
} as const satisfies Record<string, ErrorCode | null>;
type Kind = keyof typeof KINDS;
const OF_SIMULATOR: readonly Kind[] = ["ends svc-sim", "is too slow for svc-sim"];

interface Sender {
  readonly kind: Kind;
  readonly keypair: Keypair;
  /** Of the data that the transaction removes, if its kind needs an entry. */
  readonly sponsor: Keypair;
}

const keypair = (byte: number) => Keypair.fromRawEd25519Seed(Buffer.alloc(32, byte));
const senderOf = (kind: Kind, at: number): Sender => {
  return { kind, keypair: keypair(10 + at), sponsor: keypair(100 + at) };
};
const idOf = (keys: Keypair) => {
  return { type: 0, ed25519: decodeAccountKey(keys.publicKey()) as Uint8Array } as const;
};
const failing = (code: ErrorCode) =>
  new SvcError(code, { message: `It failed with ${code}.`, remedy: "Send it again." });

/** A trustline that an offer holds, so that no fork knows how to revoke it. */
function lineOf(holder: Keypair, issuer: Keypair): Value<"TrustLineEntry"> {
  const asset = { type: 1, alphaNum4: { assetCode: Buffer.from("USD\0"), issuer: idOf(issuer) } };
  return {
    ...{ accountId: idOf(holder), asset: asset as Value<"TrustLineAsset"> },
    ...{ balance: 5n, limit: 10n, flags: 1 },
    ext: { v: 1, v1: { liabilities: { buying: 0n, selling: 5n }, ext: { v: 0 } } },
  };
}

function entriesOf({ keypair: own, sponsor }: Sender): string[] {
  const account = decode("LedgerEntry", accountEntry(own.publicKey(), STROOPS));
  if (account.data.type !== 0) throw new Error("no account");
  const REVOCABLE = 2;
  const counts = { numSponsored: 1, numSponsoring: 0, signerSponsoringIDs: [] };
  const issuer: Value<"AccountEntry"> = {
    ...{ ...account.data.account, flags: REVOCABLE, numSubEntries: 1 },
    ext: {
      v: 1,
      v1: {
        liabilities: { buying: 0n, selling: 0n },
        ext: { v: 2, v2: { ...counts, ext: { v: 0 } } },
      },
    },
  };
  const name = { accountId: idOf(own), dataName: Buffer.from("d") };
  const data = { ...name, dataValue: Buffer.from("x"), ext: { v: 0 as const } };
  const since = { lastModifiedLedgerSeq: 1 };
  const sponsored = { sponsoringId: idOf(sponsor), ext: { v: 0 as const } };
  return [
    encode("LedgerEntry", { ...account, data: { type: 0, account: issuer } }),
    encode("LedgerEntry", {
      ...since,
      data: { type: 1, trustLine: lineOf(ROOT, own) },
      ext: { v: 0 },
    }),
    encode("LedgerEntry", { ...since, data: { type: 3, data }, ext: { v: 1, v1: sponsored } }),
  ];
}

/** A base with the accounts of the senders, which answers for a sponsor as the kind says. */
function baseOf(senders: readonly Sender[]): ForkBase {
  const base = madeBase();
  const provenance = { kind: "ledger-scan", detail: "test" } as const;
  const known = new Map(
    senders
      .flatMap(entriesOf)
      .map((entryXdr): [string, ForkEntry] => [
        keyOfEntry(entryXdr),
        { entryXdr, liveUntilLedger: null, archived: false, provenance },
      ]),
  );
  const sponsors = new Map(
    senders.map(({ kind, sponsor }) => [accountKeyOf(sponsor.publicKey()), kind]),
  );
  return {
    ...base,
    async entries(keys, context) {
      for (const key of keys) {
        const kind = sponsors.get(key);
        if (kind === "needs a node that hangs") return NEVER;
        if (kind === "finds a bug") continue;
        const code = kind && KINDS[kind];
        if (code) throw failing(code);
      }
      const others = await base.entries(keys, context);
      return new Map(keys.map((key) => [key, known.get(key) ?? others.get(key) ?? null]));
    },
  };
}

function envelopeOf({ kind, keypair: own }: Sender): string {
  const account = new Account(own.publicKey(), "0");
  const builder = new TransactionBuilder(account, { fee: "10000", networkPassphrase: PASSPHRASE });
  const asset = new Asset("USD", own.publicKey());
  const trustor = ROOT.publicKey();
  if (kind === "pays")
    builder.addOperation(
      Operation.payment({ destination: trustor, asset: Asset.native(), amount: "1" }),
    );
  else if (kind === "is not supported")
    builder.addOperation(
      Operation.setTrustLineFlags({ trustor, asset, flags: { authorized: false } }),
    );
  else if (OF_SIMULATOR.includes(kind)) builder.addOperation(Operation.restoreFootprint({}));
  else builder.addOperation(Operation.manageData({ name: "d", value: null }));
  if (OF_SIMULATOR.includes(kind)) {
    const data = new SorobanDataBuilder().setResources(1_000, 0, 0).setResourceFee("5000").build();
    builder.setSorobanData(data);
  }
  const transaction = builder.setTimeout(0).build();
  transaction.sign(own);
  return transaction.toXDR();
}

/** Knows what declared resources cost, and fails to run the transactions of its kinds. */
function simulatorOf(senders: readonly Sender[]) {
  const kinds = new Map(senders.map((sender) => [envelopeOf(sender), sender.kind]));
  const costs: Execution["fees"] = {
    ...{ nonRefundableStroops: "100", refundableConsumedStroops: "0", rentStroops: "0" },
  } as Execution["fees"];
  return {
    replay: async (request: { readonly envelope_xdr: string }) => {
      const kind = kinds.get(request.envelope_xdr);
      const { options } = request as { readonly options?: { readonly diagnostics?: boolean } };
      if (options?.diagnostics === false) return { fees: costs } as Execution;
      throw failing((kind && KINDS[kind]) ?? "SIMULATOR_FAILED");
    },
  };
}

function forkOf(senders: readonly Sender[], mining: "never" | "each" = "never") {
  const failures: { readonly hash: string | null; readonly error: unknown }[] = [];
  const fork = new Fork(openChain(baseOf(senders), simulatorOf(senders)), {
    clock: new TestClock({ grantedUpTo: 0 }),
    ...{ mining, first: null, followed: null, changed: () => {} },
    failed: (error, hash) => failures.push({ error, hash }),
  });
  return { fork, failures };
}

/** What is asked of nodes has been answered after this. */
const answered = () => new Promise((resolve) => setImmediate(resolve));

const senders = fc
  .array(fc.constantFrom(...(Object.keys(KINDS) as Kind[])), { minLength: 1, maxLength: 9 })
  .map((kinds) => kinds.map(senderOf));

test("whatever waits together, each is in a ledger, waits, or has its own failure", async () => {
  await fc.assert(
    fc.asyncProperty(senders, async (mix) => {
      const { fork, failures } = forkOf(mix);
      const sent = new Map<string, Sender>();
      for (const sender of mix) {
        const { status, hash } = await fork.send(envelopeOf(sender), CONTEXT);
        expect([sender.kind, status]).toEqual([sender.kind, "PENDING"]);
        sent.set(hash, sender);
      }
      const ofKind = (...kinds: Kind[]) =>
        [...sent].flatMap(([hash, { kind }]) => (kinds.includes(kind) ? [hash] : []));
      const first = await fork.close(CONTEXT, { patienceMilliseconds: 0 });
      expect(first.transactions.map(({ hash }) => hash)).toEqual(ofKind("pays"));
      expect(first.transactions.every(({ isSuccess }) => isSuccess)).toBeTrue();
      for (let ledger = 0; ledger < 5; ledger += 1) {
        await answered();
        const next = await fork.close(CONTEXT, { patienceMilliseconds: 0 });
        expect(next.transactions).toEqual([]);
      }
      await answered();
      for (const [hash, { kind }] of sent) {
        const code = KINDS[kind];
        if (code === null) fork.requireNotDropped(hash);
        else {
          const failure = await failureIn(() => fork.requireNotDropped(hash));
          expect([kind, failure.code]).toEqual([kind, "FORK_NOT_APPLIED"]);
          expect([kind, (failure.cause as SvcError).code]).toEqual([kind, code]);
          expect(failure.message).toContain(hash);
        }
      }
      const failed = [...sent].filter(([, { kind }]) => KINDS[kind] !== null);
      expect(failures.map(({ hash }) => hash).sort()).toEqual(failed.map(([hash]) => hash).sort());
      // What still waits is not taken a second time; what failed can be sent again.
      for (const [hash, sender] of sent) {
        if (sender.kind === "pays") continue;
        const again = await fork.send(envelopeOf(sender), CONTEXT);
        expect(again).toEqual({ status: KINDS[sender.kind] ? "PENDING" : "DUPLICATE", hash });
        fork.requireNotDropped(hash);
      }
    }),
    { numRuns: 60 },
  );
});

test("where each transaction has its ledger, one that fails is its sender's failure alone", async () => {
  const mix = (Object.keys(KINDS) as Kind[]).map(senderOf);
  const { fork, failures } = forkOf(mix, "each");
  const sends = mix.map((sender) => fork.send(envelopeOf(sender), CONTEXT));
  for (const [at, { kind }] of mix.entries()) {
    if (kind === "needs a node that hangs") continue;
    const code = KINDS[kind];
    const result = (await Promise.allSettled([sends[at]]))[0];
    if (code === null) expect(result).toMatchObject({ status: "fulfilled" });
    else if (kind === "finds a bug") expect(result).toMatchObject({ status: "rejected" });
    else expect([kind, result]).toMatchObject([kind, { reason: { code } }]);
  }
  expect(fork.history.all.map(({ transactions }) => transactions.length)).toEqual([1]);
  expect(failures).toEqual([]);
});

test("one that nobody can pay for any more is answered as well", async () => {
  const [gone, paying] = [senderOf("pays", 0), senderOf("pays", 1)];
  const { fork, failures } = forkOf([gone, paying]);
  const { hash } = await fork.send(envelopeOf(gone), CONTEXT);
  await fork.send(envelopeOf(paying), CONTEXT);
  await fork.write([{ keyXdr: accountKeyOf(gone.keypair.publicKey()), entryXdr: null }], CONTEXT);
  const { transactions } = await fork.close(CONTEXT);
  expect(transactions).toHaveLength(1);
  const { code, message } = await failureIn(() => fork.requireNotDropped(hash));
  expect([code, message]).toEqual(["FORK_NOT_APPLIED", expect.stringContaining("txNoAccount")]);
  expect(failures.map((each) => each.hash)).toEqual([hash]);
});

test("a cheat and a ledger that closes do not wait for the entries of somebody else", async () => {
  const hanging = senderOf("needs a node that hangs", 0);
  const paying = senderOf("pays", 1);
  const { fork } = forkOf([hanging, paying], "each");
  const never = fork.send(envelopeOf(hanging), CONTEXT);
  const key = accountKeyOf(hanging.sponsor.publicKey());
  const written = fork.write([{ keyXdr: key, entryXdr: null }], CONTEXT);
  const { hash } = await fork.send(envelopeOf(paying), CONTEXT);
  expect(fork.history.find(hash)?.transaction.isSuccess).toBeTrue();
  await fork.close(CONTEXT);
  expect(fork.remember()).toBe(1);
  const pending = Symbol("pending");
  await answered();
  for (const each of [never, written])
    expect(await Promise.race([each, Promise.resolve(pending)])).toBe(pending as never);
});

describe("two clients of a fork that closes ledgers as time passes", () => {
  beforeAll(ensureBuilt, 900_000);
  const mining = { everyMilliseconds: 20 };

  /** What a client that polls gets in the end. */
  async function endOf({ node }: Awaited<ReturnType<typeof openFork>>, hash: string) {
    for (;;) {
      const answer = await node.getTransaction(hash).catch((error) => error);
      if (answer.status !== "NOT_FOUND") return answer;
    }
  }

  /** The lines of a log are written some time later. */
  async function errorsOf({ log }: Awaited<ReturnType<typeof openFork>>) {
    const errors = () => log.filter(({ level }) => level === "error");
    await until(() => errors().length > 0);
    return errors();
  }

  test("one revokes what the fork cannot, the other pays", async () => {
    await using fork = await openFork({ mining });
    const [issuer, holder, bob] = [fork.keypair(0), fork.keypair(1), fork.keypair(2)];
    const asset = new Asset("USD", issuer.publicKey());
    const { entries } = await fork.call<{ entries: { xdr: string }[] }>("getLedgerEntries", {
      keys: [accountKeyOf(issuer.publicKey())],
    });
    const own = decode("LedgerEntryData", entries[0]?.xdr ?? "");
    if (own.type !== 0) throw new Error("no account");
    const account = { ...own.account, flags: 2 };
    const since = { lastModifiedLedgerSeq: 1, ext: { v: 0 } } as const;
    const trustLine = lineOf(holder, issuer);
    for (const data of [{ type: 0, account } as const, { type: 1, trustLine } as const])
      await fork.call("fork_setLedgerEntry", { entry: encode("LedgerEntry", { ...since, data }) });
    const trustor = holder.publicKey();
    const flags = { authorized: false };
    const revoke = await fork.signed(
      issuer,
      Operation.setTrustLineFlags({ trustor, asset, flags }),
    );
    const pay = await fork.signed(
      bob,
      Operation.payment({ destination: trustor, asset: Asset.native(), amount: "1" }),
    );
    const sent = await Promise.all([
      fork.node.sendTransaction(revoke),
      fork.node.sendTransaction(pay),
    ]);
    expect(sent.map(({ status }) => status)).toEqual(["PENDING", "PENDING"]);
    const [revoked, paid] = await Promise.all(sent.map(({ hash }) => endOf(fork, hash)));
    expect(paid.status).toBe("SUCCESS");
    expect(revoked).toMatchObject({
      data: { code: "FORK_NOT_APPLIED" },
      message: expect.stringMatching(/^The fork could not apply transaction [0-9a-f]{64}.*revoke/),
    });
    expect(await errorsOf(fork)).toEqual([
      expect.objectContaining({
        ...{ message: "transaction not applied", hash: sent[0]?.hash, code: "FORK_UNSUPPORTED" },
      }),
    ]);
  });

  test("svc-sim ends while it runs the transaction of one", async () => {
    const dying = await openDyingSimulator();
    await using fork = await openFork({ mining, simulatorPath: dying.path });
    const [alice, bob] = [fork.keypair(0), fork.keypair(1)];
    const create = (asset: Asset) => Operation.createStellarAssetContract({ asset });
    const ofAlice = await fork.signed(alice, create(new Asset("A", alice.publicKey())));
    const ofBob = await fork.signed(bob, create(new Asset("B", bob.publicKey())));
    await dying.endAt(ofAlice.toXDR());
    const sent = await Promise.all([
      fork.node.sendTransaction(ofAlice),
      fork.node.sendTransaction(ofBob),
    ]);
    const [failed, deployed] = await Promise.all(sent.map(({ hash }) => endOf(fork, hash)));
    expect(deployed).toMatchObject({ status: "SUCCESS" });
    expect(failed.message).toContain(sent[0]?.hash);
    expect(await errorsOf(fork)).toEqual([
      expect.objectContaining({ hash: sent[0]?.hash, code: "SIMULATOR_DIED" }),
    ]);
    // The failure used up no sequence number: the same transaction goes through another time.
    await dying.endAt(null);
    await fork.node.sendTransaction(ofAlice);
    expect((await endOf(fork, sent[0]?.hash ?? "")).status).toBe("SUCCESS");
  }, 60_000);
});
