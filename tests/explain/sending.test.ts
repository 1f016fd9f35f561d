// What the network checks before the contract host runs: every recorded transaction would have been
// taken on the state that it was sent on, and no longer once one thing is wrong.

import { afterAll, describe, expect, test } from "bun:test";
import { refusalsOnSending, type SendingState } from "../../src/explain/sending.ts";
import type { Simulation } from "../../src/model/simulation.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import type { AccountFacts } from "../../src/xdr/ledger/account.ts";
import { decodeAccountKey } from "../../src/xdr/reader/strkey.ts";
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

function accountOf(address: string, { terms }: Envelope): AccountFacts {
  const key = decodeAccountKey(address) ?? new Uint8Array();
  return {
    address,
    balanceStroops: 10n ** 15n,
    sellingLiabilitiesStroops: 0n,
    sequence: address === terms.source ? terms.sequence - 1n : 7n,
    reserves: 2n,
    signers: [{ kind: "ed25519", key, signs: null, hint: null, weight: 1 }],
    thresholds: [0, 0, 0],
  };
}

type Change = (account: AccountFacts) => AccountFacts | null;

function codes(envelope: Envelope, change: Change = (account) => account, at = 100): string[] {
  const latest = envelope.terms.latestSeconds;
  const state: SendingState = {
    sequence: at,
    closeTimeUnixSeconds: String(latest === null ? NOW : latest - 1n),
    baseReserveStroops: 5_000_000,
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

  test("a fee below what is declared, and resources that are not declared at all", () => {
    const [{ envelope }] = sent as [(typeof sent)[number]];
    expect(codes({ ...envelope, feeBidStroops: "1" })).toEqual(["txInsufficientFee"]);
    expect(codes({ ...envelope, soroban: null })).toEqual(["txSorobanInvalid"]);
  });
});
