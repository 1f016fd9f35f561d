// What the network checks before the contract host runs: every recorded transaction would have been
// taken on the state that it was sent on, and no longer once one thing is wrong.

import { afterAll, describe, expect, test } from "bun:test";
import { decodeAccountKey } from "../../src/base/text/strkey.ts";
import { refusalsOnSending, type SendingState } from "../../src/explain/sending.ts";
import type { Simulation } from "../../src/model/simulation.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import type { AccountFacts } from "../../src/xdr/ledger/account.ts";
import { signerWith } from "../../src/xdr/values/signer.ts";
import { openLoopback } from "../support/loopback-server.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const { network } = loopback;
const sent = network.transactions
  .filter((each) => each.soroban && each.result.includes("uccess/"))
  .map((each) => {
    const { envelopeXdr } = network.file(each).rpcGetTransaction.result;
    return { name: each.name, envelope: openEnvelope(String(envelopeXdr), network.passphrase) };
  });

const SIMULATED = { minResourceFeeStroops: "0", authorizationsXdr: [] } as unknown as Simulation;
const NOW = 1_800_000_000n;
const NETWORK = { protocolVersion: 23, baseReserveStroops: 5_000_000, settingsXdr: [] };

function accountOf(address: string, { terms }: Envelope): AccountFacts {
  const key = decodeAccountKey(address) ?? new Uint8Array();
  return {
    address,
    balanceStroops: 10n ** 15n,
    sellingLiabilitiesStroops: 0n,
    sequence: address === terms.source ? terms.sequence - 1n : 7n,
    sequenceLedger: 90,
    sequenceSeconds: 0n,
    reserves: 2n,
    signers: [signerWith("ed25519", key, 1)],
    thresholds: [0, 0, 0],
  };
}

type Change = (account: AccountFacts) => AccountFacts | null;

function codes(envelope: Envelope, change: Change = (account) => account, at = 100): string[] {
  const latest = envelope.terms.latestSeconds;
  const state: SendingState = {
    sequence: at,
    closeTimeUnixSeconds: String(latest === null ? NOW : latest - 1n),
    ...NETWORK,
    accounts: new Map(
      envelope.terms.signers.map((address) => [address, change(accountOf(address, envelope))]),
    ),
  };
  return refusalsOnSending(envelope, state, SIMULATED).map(({ code }) => code);
}

test("what the network took would be taken", () => {
  expect(sent.length).toBeGreaterThan(50);
  for (const { name, envelope } of sent) expect([name, codes(envelope)]).toEqual([name, []]);
});

const CHANGES: readonly { what: string; code: string; change: Change }[] = [
  { what: "no account", code: "txNoAccount", change: () => null },
  {
    what: "a used sequence number",
    code: "txBadSeq",
    change: (account) => ({ ...account, sequence: account.sequence + 1n }),
  },
  {
    what: "a balance that its reserve takes up",
    code: "txInsufficientBalance",
    change: (account) => ({ ...account, balanceStroops: 10_000_000n }),
  },
  {
    what: "a balance that is offered for sale",
    code: "txInsufficientBalance",
    change: (account) => ({ ...account, sellingLiabilitiesStroops: account.balanceStroops }),
  },
  {
    what: "a higher threshold",
    code: "txBadAuth",
    change: (account) => ({ ...account, thresholds: [2, 2, 2] }),
  },
  {
    what: "a signature by another key",
    code: "txBadAuth",
    change: (account) => ({
      ...account,
      signers: account.signers.map((signer) => ({ ...signer, key: new Uint8Array(32) })),
    }),
  },
  {
    what: "a signature whose hint is another key's",
    code: "txBadAuth",
    change: (account) => ({
      ...account,
      signers: account.signers.map((signer) => ({ ...signer, hint: "00000000" })),
    }),
  },
];

describe("is named:", () => {
  for (const { what, code, change } of CHANGES)
    test(what, () => {
      for (const { name, envelope } of sent)
        expect([name, [...new Set(codes(envelope, change))]]).toEqual([name, [code]]);
    });

  test("time bounds and ledger bounds that have passed, or have not begun", () => {
    const [{ envelope }] = sent as [(typeof sent)[number]];
    const bounds = (more: Partial<Envelope["terms"]>, at = 100) =>
      codes(
        { ...envelope, terms: { ...envelope.terms, latestSeconds: null, ...more } },
        undefined,
        at,
      );
    expect(bounds({})).toEqual([]);
    expect(bounds({ endLedger: 101 })).toEqual(["txTooLate"]);
    expect(bounds({ endLedger: 102 })).toEqual([]);
    expect(bounds({ earliestLedger: 102 })).toEqual(["txTooEarly"]);
    expect(bounds({ earliestSeconds: NOW + 3600n })).toEqual(["txTooEarly"]);
    expect(bounds({ earliestSeconds: NOW })).toEqual([]);
  });

  test("a fee below what is declared", () => {
    const [{ envelope }] = sent as [(typeof sent)[number]];
    const least = BigInt(envelope.soroban?.resourceFeeStroops ?? 0);
    // A node's queue looks at this before anything else.
    expect(codes({ ...envelope, feeBidStroops: String(least - 1n) })).toEqual(["txMalformed"]);
    expect(codes({ ...envelope, feeBidStroops: String(least) })).toEqual(["txInsufficientFee"]);
  });

  const [first] = sent.filter(
    ({ envelope }) => envelope.hostFunction !== null && !envelope.isFeeBump,
  );
  const { envelope: call } = first as (typeof sent)[number];
  const withTerms = (more: Partial<Envelope["terms"]>) => ({
    ...call,
    terms: { ...call.terms, ...more },
  });

  test("a threshold that only the operation does not reach", () => {
    expect(codes(call, (account) => ({ ...account, thresholds: [1, 2, 2] }))).toEqual([
      "opBadAuth",
    ]);
  });

  test("a signature that nothing needs: a second one of a key, and one beyond the threshold", () => {
    const [signature] = call.terms.signatures;
    if (signature === undefined) throw new Error("it is signed");
    const twice = withTerms({ signatures: [signature, { ...signature }] });
    expect(codes(twice)).toEqual(["txBadAuthExtra"]);
    const other = { hint: new Uint8Array(4), signature: new Uint8Array(64) };
    expect(codes(withTerms({ signatures: [signature, other] }))).toEqual(["txBadAuthExtra"]);
  });

  test("extra signers that did not sign, and none that did", () => {
    const [own] = accountOf(call.terms.source, call).signers;
    const stranger = signerWith("ed25519", new Uint8Array(32), 1);
    const named = (extraSigners: Envelope["terms"]["extraSigners"]) =>
      codes(withTerms({ extraSigners }));
    expect(named([stranger])).toEqual(["txBadAuth"]);
    expect(named(own ? [own] : [])).toEqual([]);
    expect(named(own ? [own, stranger] : [])).toEqual(["txBadAuth"]);
  });

  test("an authorization without a signature, unless the account's contract accepted it so", () => {
    const [made] = network.transactions.filter(
      ({ name }) => name === "admin_set, entry not signed",
    );
    const { envelopeXdr } = network.file(made as never).rpcGetTransaction.result;
    const unsigned = openEnvelope(String(envelopeXdr), network.passphrase);
    const { authorizationsXdr } = unsigned;
    const of = (more: object) => {
      const latest = String((unsigned.terms.latestSeconds ?? NOW) - 1n);
      const { signers } = unsigned.terms;
      const accounts = new Map(signers.map((each) => [each, accountOf(each, unsigned)]));
      const tip = { ...NETWORK, sequence: 100, closeTimeUnixSeconds: latest };
      const simulation = { ...SIMULATED, authorizationsXdr, ...more };
      return refusalsOnSending(unsigned, { ...tip, accounts }, simulation).map(({ code }) => code);
    };
    expect(of({ error: "HostError: Error(Auth, InvalidAction)" })).toEqual([
      "Error(Auth, InvalidAction)",
    ]);
    expect(of({ error: null })).toEqual([]);
  });

  test("a sequence number that was used too recently", () => {
    expect(codes(withTerms({ leastLedgerGap: 11 }))).toEqual([]);
    expect(codes(withTerms({ leastLedgerGap: 12 }))).toEqual(["txBadMinSeqAgeOrGap"]);
    expect(codes(withTerms({ leastAgeSeconds: 2n * NOW }))).toEqual(["txBadMinSeqAgeOrGap"]);
  });

  test("a key that the footprint has twice", () => {
    const { soroban } = call;
    const [key = ""] = [soroban?.footprint.readOnly, soroban?.footprint.readWrite].flat();
    const footprint = { readOnly: [key], readWrite: [key] };
    const doubled = { ...call, soroban: soroban && { ...soroban, footprint } };
    expect(codes(doubled)).toEqual(["txSorobanInvalid"]);
  });

  test("a fee-bump that bids less than its inner transaction for each operation", () => {
    const fee = BigInt(call.soroban?.resourceFeeStroops ?? 0);
    const bump = { ...withTerms({ feeStroops: fee + 500n }), isFeeBump: true };
    expect(codes({ ...bump, feeBidStroops: String(fee + 999n) })).toEqual(["txInsufficientFee"]);
    expect(codes({ ...bump, feeBidStroops: String(fee + 1000n) })).toEqual([]);
  });

  test("a time bound that the next ledger closes after", () => {
    const late = { ...call, terms: { ...call.terms, latestSeconds: 5n } };
    const state: SendingState = {
      sequence: 100,
      closeTimeUnixSeconds: "5",
      ...NETWORK,
      accounts: new Map([[call.terms.source, accountOf(call.terms.source, call)]]),
    };
    expect(refusalsOnSending(late, state, SIMULATED).map(({ code }) => code)).toEqual([
      "txTooLate",
    ]);
  });
});
