// Close times in headers: whole seconds, and from protocol 30 on milliseconds beside them (CAP-88).

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { closeTimeInWords } from "../../src/base/text/time.ts";
import {
  closedAtMilliseconds,
  earliestNextIn,
  earliestNextMilliseconds,
  earliestNextSecond,
} from "../../src/xdr/ledger/close-time.ts";
import { changedFacts, headerFacts } from "../../src/xdr/ledger/facts-before-upgrades.ts";
import { readLedgerHeader, seedExtension } from "../../src/xdr/ledger/header.ts";
import { encode, type Value } from "../../src/xdr/reader/value.ts";
import { thrownBy } from "../support/failure.ts";

type Extension = Value<"StellarValue">["ext"];

const ZERO = new Uint8Array(32);
const SET = new Uint8Array(32).fill(7);
const LARGEST = 2n ** 64n - 1n;
const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const lcValueSignature = fc.record({
  nodeId: bytes(32).map((ed25519) => ({ type: 0 as const, ed25519 })),
  signature: fc.uint8Array({ maxLength: 64 }),
});
const proposed = fc.record({
  ...{ txSetHash: bytes(32), previousLedgerHash: bytes(32), lcValueSignature },
  previousLedgerVersion: fc.nat(),
});
const upgrades = fc.array(fc.uint8Array({ maxLength: 128 }), { maxLength: 6 });

function headerWith(scpValue: Value<"StellarValue">): string {
  return encode("LedgerHeader", {
    ...{ ledgerVersion: 30, previousLedgerHash: ZERO, scpValue, txSetResultHash: ZERO },
    ...{ bucketListHash: ZERO, ledgerSeq: 9, totalCoins: 0n, feePool: 0n, inflationSeq: 0 },
    ...{ idPool: 0n, baseFee: 100, baseReserve: 5, maxTxSetSize: 1 },
    ...{ skipList: [ZERO, ZERO, ZERO, ZERO], ext: { v: 0 } },
  });
}

/** Every form of the value, with its milliseconds. */
const extensions = (closeTimeMs: bigint) =>
  fc.oneof(
    fc.constant<Extension>({ v: 0 }),
    lcValueSignature.map((signed): Extension => ({ v: 1, lcValueSignature: signed })),
    proposed.map((proposedValue): Extension => ({ v: 2, proposedValue })),
    lcValueSignature.map(
      (signed): Extension => ({
        v: 3,
        signedMsValue: { closeTimeMs, lcValueSignature: signed },
      }),
    ),
    proposed.map((rest): Extension => ({ v: 4, proposedMsValue: { closeTimeMs, ...rest } })),
  );

const timed = fc.bigInt({ min: 0n, max: LARGEST }).chain((milliseconds) =>
  fc.record({ ext: extensions(milliseconds), upgrades }).map(({ ext, upgrades: all }) => ({
    milliseconds,
    ext,
    headerXdr: headerWith({
      ...{ txSetHash: SET, closeTime: milliseconds / 1000n, upgrades: all, ext },
    }),
    upgradeCount: all.length,
  })),
);

describe("a header", () => {
  test("of any form has its seconds, and its milliseconds where it has them", () => {
    fc.assert(
      fc.property(timed, ({ milliseconds, ext, headerXdr, upgradeCount }) => {
        const facts = readLedgerHeader(headerXdr);
        const exact = ext.v >= 3 ? { closeTimeUnixMilliseconds: String(milliseconds) } : {};
        expect(facts).toMatchObject({ sequence: 9, transactionSetHash: SET.toHex(), upgradeCount });
        expect(headerFacts(facts)).toEqual({
          ...{ sequence: 9, protocolVersion: 30, baseFeeStroops: 100, baseReserveStroops: 5 },
          ...{ closeTimeUnixSeconds: String(milliseconds / 1000n), ...exact },
          transactionSetHash: SET.toHex(),
        });
      }),
    );
  });

  test("with milliseconds of another second is none", () => {
    const signed = { nodeId: { type: 0, ed25519: ZERO }, signature: ZERO } as const;
    for (const closeTimeMs of [999n, 2000n, 1n, LARGEST]) {
      for (const ext of [
        { v: 3, signedMsValue: { closeTimeMs, lcValueSignature: signed } },
        {
          v: 4,
          proposedMsValue: {
            ...{ closeTimeMs, txSetHash: SET, previousLedgerHash: SET },
            ...{ previousLedgerVersion: 30, lcValueSignature: signed },
          },
        },
      ] as const) {
        const headerXdr = headerWith({ txSetHash: SET, closeTime: 1n, upgrades: [], ext });
        const { code, message } = thrownBy(() => readLedgerHeader(headerXdr));
        expect([code, message]).toEqual([
          "XDR_INVALID",
          expect.stringContaining(`closeTimeMs ${closeTimeMs} is not in 1 s`),
        ]);
      }
    }
  });

  test("of a fork names the seed of its transactions in both forms", () => {
    const transactionSetHash = "ab".repeat(32);
    for (const closeTimeMs of [null, 1_700_000_000_123n]) {
      for (const seedShift of [0, 3]) {
        const ext = seedExtension({ transactionSetHash, seedShift }, closeTimeMs);
        const closeTime = 1_700_000_000n;
        const facts = readLedgerHeader(
          headerWith({ txSetHash: SET, closeTime, upgrades: [new Uint8Array(3)], ext }),
        );
        expect(facts).toMatchObject({ transactionSetHash, ownSetHash: SET.toHex(), isFork: true });
        expect(facts.seedShift ?? 0).toBe(seedShift);
        expect(facts.closeTimeUnixMilliseconds).toBe(closeTimeMs?.toString() as string);
      }
    }
  });
});

describe("the next ledger", () => {
  const closed = (protocolVersion: number, milliseconds?: bigint) => ({
    ...{ protocolVersion, closeTimeUnixSeconds: "17" },
    ...(milliseconds !== undefined && { closeTimeUnixMilliseconds: String(milliseconds) }),
  });

  test("closes a second later, and from protocol 30 on a millisecond", () => {
    expect(earliestNextMilliseconds(closed(29))).toBe(18_000n);
    expect(earliestNextSecond(closed(29))).toBe(18n);
    // The ledger of the upgrade itself has whole seconds.
    expect(earliestNextMilliseconds(closed(30))).toBe(17_001n);
    expect(earliestNextSecond(closed(30))).toBe(17n);
    expect(earliestNextMilliseconds(closed(30, 17_250n))).toBe(17_251n);
    expect(earliestNextSecond(closed(30, 17_999n))).toBe(18n);
    expect(closedAtMilliseconds(closed(30))).toBe(17_000n);
  });

  test("in a second closes at its beginning, or after the last one", () => {
    expect(earliestNextIn(17n, closed(29))).toBeNull();
    expect(earliestNextIn(18n, closed(29))).toBe(18_000n);
    expect(earliestNextIn(17n, closed(30, 17_998n))).toBe(17_999n);
    expect(earliestNextIn(17n, closed(30, 17_999n))).toBeNull();
    expect(earliestNextIn(16n, closed(30, 17_000n))).toBeNull();
    expect(earliestNextIn(20n, closed(30, 17_000n))).toBe(20_000n);
  });
});

test("a report has the milliseconds of a header, and none for another time", () => {
  const ledger = {
    ...{ sequence: 9, protocolVersion: 30, baseFeeStroops: 100, baseReserveStroops: 5 },
    ...{ closeTimeUnixSeconds: "1795228743", closeTimeUnixMilliseconds: "1795228743045" },
    transactionSetHash: "00".repeat(32),
  };
  expect(closeTimeInWords(ledger)).toBe("2026-11-21 02:39:03.045 UTC");
  const moved = changedFacts(ledger, { closeTimeUnixSeconds: "1795228744" });
  expect(closeTimeInWords(moved)).toBe("2026-11-21 02:39:04 UTC");
  expect(closeTimeInWords(changedFacts(ledger, { sequence: 1 }))).toContain(".045 ");
  const late = LARGEST.toString();
  expect(
    closeTimeInWords({ closeTimeUnixSeconds: late, closeTimeUnixMilliseconds: `${late}000` }),
  ).toBe(`${late} seconds after 1970`);
});
