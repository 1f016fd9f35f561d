// The close times of a fork's ledgers: whole seconds that grow, and from protocol 30 on
// milliseconds that do (CAP-88), however fast its ledgers close, and whatever its cheats do.

import { expect, test } from "bun:test";
import { Account, Asset, Operation, TransactionBuilder } from "@stellar/stellar-sdk";
import fc from "fast-check";
import { validityFacts } from "../../src/explain/sending.ts";
import { checkValidity } from "../../src/explain/validity/check-validity.ts";
import { cheatMethods } from "../../src/fork/cheats/cheats.ts";
import { Fork } from "../../src/fork/fork.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { type LedgerHeaderFacts, readLedgerHeader } from "../../src/xdr/ledger/header.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { svc } from "../cli/run-svc.ts";
import { openFork } from "../support/fork.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { CONTEXT, madeBase, madeFork, PASSPHRASE, ROOT } from "../support/made-fork.ts";
import { TestClock } from "../support/test-clock.ts";

const CLOSED_AT = 1_700_000_000n;

function timedFork(protocolVersion: number) {
  const clock = new TestClock({ grantedUpTo: 0 });
  const ledgers: LedgerHeaderFacts[] = [];
  const fork = new Fork(madeFork(undefined, protocolVersion), {
    ...{ clock, mining: "never" as const, first: null, followed: null },
    changed() {
      const header = readLedgerHeader(fork.chain.latest.headerXdr);
      if (header.sequence !== ledgers.at(-1)?.sequence) ledgers.push(header);
    },
    failed: () => {},
  });
  const unused = () => Promise.reject(new Error("not used"));
  const cheats = cheatMethods({
    ...{ fork, simulation: unused, dump: () => "", reset: unused, load: unused },
    sdkSnapshot: unused,
  });
  const cheat = async (name: string, parameters: object) =>
    JSON.parse(String(await cheats[name]?.(parameters, { signal: NEVER_ABORTED } as never)));
  return { clock, ledgers, fork, cheat };
}

const actions = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("pass" as const), value: fc.nat(2500) }),
    fc.record({ kind: fc.constant("close" as const), value: fc.constant(0) }),
    fc.record({ kind: fc.constant("ledgers" as const), value: fc.integer({ min: 1, max: 30 }) }),
    fc.record({ kind: fc.constant("fast" as const), value: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ kind: fc.constant("warp" as const), value: fc.nat(3) }),
    fc.record({ kind: fc.constant("to" as const), value: fc.nat(40) }),
  ),
  { maxLength: 12 },
);

for (const protocolVersion of [27, 29, 30])
  test(`grow in every ledger of protocol ${protocolVersion}, and have its form`, async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (all) => {
        const { clock, ledgers, fork, cheat } = timedFork(protocolVersion);
        for (const { kind, value } of all) {
          if (kind === "pass") clock.advance(value);
          else if (kind === "close") await fork.close(CONTEXT);
          else if (kind === "ledgers") await cheat("fork_closeLedgers", { ledgers: value });
          else if (kind === "fast")
            await cheat("fork_closeLedgers", { ledgers: value, timestampAdvanceSeconds: 1 });
          else if (kind === "warp") await cheat("fork_warp", { seconds: value });
          else
            await cheat("fork_warp", { toUnixSeconds: `${CLOSED_AT + BigInt(value)}` }).catch(
              () => {},
            );
        }
        let [before, seconds] = [CLOSED_AT * 1000n, CLOSED_AT];
        for (const { closeTimeUnixMilliseconds, isFork, ...facts } of ledgers) {
          const second = BigInt(facts.closeTimeUnixSeconds);
          expect(isFork).toBeTrue();
          expect(closeTimeUnixMilliseconds !== undefined).toBe(protocolVersion >= 30);
          const milliseconds = BigInt(closeTimeUnixMilliseconds ?? second * 1000n);
          expect(milliseconds).toBeGreaterThan(before);
          if (protocolVersion < 30) expect(second).toBeGreaterThan(seconds);
          [before, seconds] = [milliseconds, second];
        }
      }),
      { numRuns: 25 },
    );
  });

test("of protocol 30 can be several in a second, to which a warp goes back no more", async () => {
  const { clock, ledgers, fork, cheat } = timedFork(30);
  clock.advance(250);
  for (let count = 0; count < 3; count += 1) await fork.close(CONTEXT);
  expect(ledgers.map(({ closeTimeUnixMilliseconds: at }) => Number(at) % 10_000)).toEqual([
    250, 251, 252,
  ]);
  await cheat("fork_warp", { toUnixSeconds: String(CLOSED_AT) });
  expect(ledgers.at(-1)?.closeTimeUnixMilliseconds).toBe(`${CLOSED_AT}253`);
  await cheat("fork_warp", { toUnixSeconds: String(CLOSED_AT + 5n) });
  expect(ledgers.at(-1)?.closeTimeUnixMilliseconds).toBe(`${CLOSED_AT + 5n}000`);
  const back = cheat("fork_warp", { toUnixSeconds: String(CLOSED_AT + 4n) });
  await expect(back).rejects.toMatchObject({
    message: expect.stringContaining("has closed later than that"),
  });
});

test("begin to have milliseconds after the ledger of the upgrade", async () => {
  const upgraded = madeBase(30);
  const header = decode("LedgerHeader", upgraded.headerXdr);
  const of = async (base: typeof upgraded) => {
    const chain = openChain(base, { replay: () => Promise.reject(new Error("nothing runs")) });
    const { closeTimeUnixMilliseconds: before } = chain.latest;
    const closeTimeUnixSeconds = BigInt(chain.latest.closeTimeUnixSeconds) + 1n;
    const { closeTimeUnixMilliseconds } = await chain.close([], {
      ...{ ...CONTEXT, closeTimeUnixSeconds },
    });
    return [before, closeTimeUnixMilliseconds];
  };
  expect(await of(upgraded)).toEqual([undefined, `${CLOSED_AT + 1n}000`]);
  expect(await of(madeBase(29))).toEqual([undefined, undefined]);
  const signed = {
    nodeId: { type: 0, ed25519: new Uint8Array(32) },
    signature: new Uint8Array(64),
  };
  const closeTimeMs = CLOSED_AT * 1000n + 777n;
  const ext = { v: 3, signedMsValue: { closeTimeMs, lcValueSignature: signed } } as const;
  const scpValue = { ...header.scpValue, ext } as typeof header.scpValue;
  const headerXdr = encode("LedgerHeader", { ...header, scpValue });
  expect(await of({ ...upgraded, headerXdr })).toEqual([`${CLOSED_AT}777`, `${CLOSED_AT + 1n}000`]);
});

test("a transaction is valid to the end of its last second, in each ledger of it", async () => {
  const built = new TransactionBuilder(new Account(ROOT.publicKey(), "0"), {
    ...{ fee: "1000", networkPassphrase: PASSPHRASE },
    timebounds: { minTime: 0, maxTime: Number(CLOSED_AT) },
  })
    .addOperation(Operation.manageData({ name: "a", value: "b" }))
    .build();
  built.sign(ROOT);
  const envelopeXdr = built.toXDR();
  const ended = await madeFork(undefined, 29).check(envelopeXdr, CONTEXT);
  expect(ended?.code).toBe("txTooLate");
  const chain = madeFork(undefined, 30);
  expect(await chain.check(envelopeXdr, CONTEXT)).toBeNull();
  const envelope = openEnvelope(envelopeXdr, PASSPHRASE);
  const state = {
    ...{ sequence: 1000, baseReserveStroops: 1, settingsXdr: [] },
    accounts: new Map(),
  };
  for (const [protocolVersion, isLate] of [
    [29, true],
    [30, false],
  ] as const) {
    const latest = { ...state, protocolVersion, closeTimeUnixSeconds: String(CLOSED_AT) };
    const broken = checkValidity(validityFacts(envelope, latest));
    expect(broken.some(({ rule }) => rule.code === "txTooLate")).toBe(isLate);
  }
  const closeTimeUnixSeconds = CLOSED_AT;
  await chain.close([], { ...CONTEXT, closeTimeUnixSeconds });
  const ledger = await chain.close([envelopeXdr], { ...CONTEXT, closeTimeUnixSeconds });
  expect(ledger.closeTimeUnixMilliseconds).toBe(`${CLOSED_AT}002`);
  expect(ledger.transactions[0]?.isSuccess).toBeTrue();
  const closesLater = { ...CONTEXT, closeTimeUnixSeconds: CLOSED_AT + 1n };
  expect((await chain.check(envelopeXdr, closesLater))?.code).toBe("txTooLate");
});

test("nodes of protocol 30 answer as Stellar RPC 30 does, and their ledgers are verified", async () => {
  await using fork = await openFork({ protocolVersion: 30 });
  const sent = [];
  for (const value of ["one", "two"]) {
    const data = Operation.manageData({ name: "a", value });
    sent.push((await fork.node.sendTransaction(await fork.signed(fork.keypair(0), data))).hash);
  }
  const { latestLedger } = await fork.call<{ latestLedger: number }>("getHealth");
  const { ledgers } = await fork.call<{ ledgers: { headerXdr: string }[] }>("getLedgers", {
    startLedger: latestLedger - 1,
  });
  const times = ledgers.map(({ headerXdr }) => readLedgerHeader(headerXdr));
  expect(times.every(({ closeTimeUnixMilliseconds }) => closeTimeUnixMilliseconds)).toBeTrue();
  const { events } = await fork.call<{ events: object[] }>("getEvents", {
    startLedger: latestLedger - 1,
    filters: [],
  });
  expect(events.length).toBeGreaterThan(0);
  for (const event of events) expect(event).not.toHaveProperty("inSuccessfulContractCall");
  const deploy = Operation.createStellarAssetContract({ asset: Asset.native() });
  const { hash } = await fork.node.sendTransaction(await fork.signed(fork.keypair(0), deploy));
  sent.push(hash);
  const node = ["--rpc-url", fork.url, "--json"];
  const debugged = JSON.parse((await svc(["debug", hash, ...node])).stdout);
  expect([debugged.verdict.kind, debugged.ledger.protocolVersion]).toEqual(["exact", 30]);
  expect(debugged.ledger.closeTimeUnixMilliseconds).toStartWith(
    debugged.ledger.closeTimeUnixSeconds,
  );
  const { sequence } = debugged.ledger;
  const verified = JSON.parse((await svc(["verify", `2-${sequence}`, ...node])).stdout);
  expect(verified.verdicts).toMatchObject({ exact: 1, diverged: 0, inconclusive: 0 });
  for (const hash of sent)
    expect((await fork.node.getTransaction(hash)).status).toBe("SUCCESS" as never);
});
