import { describe, expect, test } from "bun:test";
import {
  FeeBumpTransaction,
  InvokeHostFunctionOp,
  LedgerKey,
  ScVal,
  SorobanAuthorizationEntry,
  SorobanTransactionData,
  Transaction,
  TransactionEnvelope,
  TransactionV1Envelope,
} from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import {
  withArguments,
  withAuthorizations,
  withFee,
  withFootprint,
  withInnerFee,
  withoutExpiry,
  withoutSignatures,
  withResources,
  withSequenceNumber,
} from "../../src/xdr/envelope/patch-envelope.ts";
import { openAnywhere, sorobanOf } from "../support/opened.ts";
import { arbitraryOf } from "../support/xdr-arbitrary.ts";

type Wire = ReturnType<typeof TransactionEnvelope.schema.decode>;
type Inner = Extract<Wire, { type: 2 }>["v1"];
type Tx = Inner["tx"];

const uint32 = fc.nat(0xffffffff);
const int64 = fc.bigInt({ min: 0n, max: (1n << 63n) - 1n });

/** A Soroban transaction that invokes a host function, with or without a fee-bump. */
const envelopes: fc.Arbitrary<Wire> = fc
  .record({
    tx: arbitraryOf(Transaction) as fc.Arbitrary<Tx>,
    data: arbitraryOf(SorobanTransactionData) as fc.Arbitrary<never>,
    invocation: arbitraryOf(InvokeHostFunctionOp) as fc.Arbitrary<never>,
    signatures: arbitraryOf(TransactionV1Envelope).map(
      (envelope) => (envelope as Inner).signatures,
    ),
    bump: fc.option(arbitraryOf(FeeBumpTransaction) as fc.Arbitrary<never>),
  })
  .map(({ tx, data, invocation, signatures, bump }) => {
    const body = { type: 24 as const, invokeHostFunctionOp: invocation };
    const operations = [{ sourceAccount: null, body }];
    const v1: Inner = { tx: { ...tx, operations, ext: { v: 1, sorobanData: data } }, signatures };
    if (bump === null) return { type: 2, v1 };
    const outer = { ...(bump as object), innerTx: { type: 2, v1 } } as never;
    return { type: 5, feeBump: { tx: outer, signatures } };
  });

const codec = TransactionEnvelope.schema;
const encode = (wire: Wire) => codec.encode(wire).toBase64();
const open = (wire: Wire) => openAnywhere(encode(wire));
const decode = ({ xdr }: Envelope) => codec.decode(Uint8Array.fromBase64(xdr));
const innerOf = (wire: Wire): Inner =>
  wire.type === 5 ? wire.feeBump.tx.innerTx.v1 : (wire as Extract<Wire, { type: 2 }>).v1;
const dataOf = (wire: Wire) => {
  const { ext } = innerOf(wire).tx;
  if (ext.v !== 1) throw new Error("no Soroban data");
  return ext.sorobanData;
};
const xdrOf = (type: { schema: { encode(value: never): Uint8Array } }, value: unknown) =>
  type.schema.encode(value as never).toBase64();

/** The envelope with the transaction inside replaced: a patch written the long way. */
function withTx(wire: Wire, patch: Partial<Tx>): Wire {
  const inner = innerOf(wire);
  const v1 = { ...inner, tx: { ...inner.tx, ...patch } };
  if (wire.type !== 5) return { type: 2, v1 };
  const { feeBump } = wire;
  return { type: 5, feeBump: { ...feeBump, tx: { ...feeBump.tx, innerTx: { type: 2, v1 } } } };
}

function withData(wire: Wire, patch: Partial<ReturnType<typeof dataOf>>): Wire {
  return withTx(wire, { ext: { v: 1, sorobanData: { ...dataOf(wire), ...patch } } });
}

/** The code of the SvcError that it throws; null when it throws none. */
type HostFunction = Extract<
  Tx["operations"][number]["body"],
  { type: 24 }
>["invokeHostFunctionOp"]["hostFunction"];

/** Null: it takes none. */
function argumentsOf(called: HostFunction) {
  if (called.type === 0) return called.invokeContract.args;
  return called.type === 3 ? called.createContractV2.constructorArgs : null;
}

function codeOf(action: () => unknown): string | null {
  try {
    action();
    return null;
  } catch (error) {
    if (error instanceof SvcError) return error.code;
    throw error;
  }
}

const runs = { numRuns: 60, seed: 20_261_121 };

function forAll<T>(values: fc.Arbitrary<T>, check: (wire: Wire, value: T) => void): void {
  fc.assert(fc.property(envelopes, values, check), runs);
}

describe("a patched envelope", () => {
  test("declares the resources given, and nothing else changed", () => {
    const resources = fc.record(
      { instructions: uint32, diskReadBytes: uint32, writeBytes: uint32 },
      { requiredKeys: [] },
    );
    forAll(fc.tuple(resources, fc.option(int64)), (wire, [given, fee]) => {
      const patch = { ...given, ...(fee === null ? {} : { resourceFeeStroops: String(fee) }) };
      const { resources: before, resourceFee } = dataOf(wire);
      const expected = withData(wire, {
        resources: { ...before, ...given },
        resourceFee: fee ?? resourceFee,
      });
      expect(withResources(open(wire), patch).xdr).toBe(encode(expected));
    });
  });

  test("has the footprint given, and nothing else changed", () => {
    const keys = fc.array(arbitraryOf(LedgerKey), { maxLength: 3 });
    const archived = fc.array(uint32, { maxLength: 2 });
    forAll(fc.tuple(keys, keys, archived), (wire, [readOnly, readWrite, indexes]) => {
      const patched = withFootprint(open(wire), {
        readOnly: readOnly.map((key) => xdrOf(LedgerKey, key)),
        readWrite: readWrite.map((key) => xdrOf(LedgerKey, key)),
        archivedEntryIndexes: indexes,
      });
      const footprint = { readOnly, readWrite } as never;
      const expected = withData(wire, {
        resources: { ...dataOf(wire).resources, footprint },
        ext:
          indexes.length === 0
            ? { v: 0 }
            : { v: 1, resourceExt: { archivedSorobanEntries: indexes } },
      });
      expect(patched.xdr).toBe(encode(expected));
    });
  });

  test("patched back, has its first bytes again", () => {
    forAll(fc.tuple(uint32, int64), (wire, [number, fee]) => {
      const envelope = open(wire);
      const facts = sorobanOf(envelope);
      const other = { instructions: number, diskReadBytes: number, writeBytes: number };
      let patched = withResources(envelope, { ...other, resourceFeeStroops: String(fee) });
      patched = withFootprint(patched, { readOnly: [], readWrite: [] });
      patched = withInnerFee(patched, BigInt(number));
      patched = withSequenceNumber(patched, fee);
      patched = withAuthorizations(patched, []);
      const { instructions, diskReadBytes, writeBytes, resourceFeeStroops } = facts;
      patched = withResources(patched, {
        instructions,
        diskReadBytes,
        writeBytes,
        resourceFeeStroops,
      });
      const { archivedEntryIndexes } = facts;
      patched = withFootprint(patched, { ...facts.footprint, archivedEntryIndexes });
      const { tx } = innerOf(wire);
      patched = withInnerFee(patched, BigInt(tx.fee));
      patched = withSequenceNumber(patched, tx.seqNum);
      const [operation] = tx.operations;
      if (operation?.body.type !== 24) throw new Error("no invocation");
      const entries = operation.body.invokeHostFunctionOp.auth.map((entry) =>
        xdrOf(SorobanAuthorizationEntry, entry),
      );
      // An extension without entries is written as no extension.
      const { ext } = dataOf(wire);
      const none = ext.v === 1 && ext.resourceExt.archivedSorobanEntries.length === 0;
      const expected = none ? withData(wire, { ext: { v: 0 } }) : wire;
      expect(withAuthorizations(patched, entries).xdr).toBe(encode(expected));
    });
  });

  test("bids the fee given: a fee-bump in its outer transaction", () => {
    forAll(uint32, (wire, fee) => {
      const patched = withFee(open(wire), BigInt(fee));
      if (wire.type !== 5) return expect(patched.xdr).toBe(encode(withTx(wire, { fee })));
      const { feeBump } = wire;
      const tx = { ...feeBump.tx, fee: BigInt(fee) };
      expect(patched.xdr).toBe(encode({ type: 5, feeBump: { ...feeBump, tx } }));
    });
  });

  test("is called with the arguments given, if it calls a contract or a constructor", () => {
    forAll(fc.array(arbitraryOf(ScVal), { maxLength: 3 }), (wire, values) => {
      const args = values.map((value) => xdrOf(ScVal, value));
      const [operation] = innerOf(wire).tx.operations;
      if (operation?.body.type !== 24) throw new Error("no invocation");
      const { hostFunction } = operation.body.invokeHostFunctionOp;
      const given = argumentsOf(hostFunction);
      if (given === null) {
        return expect(codeOf(() => withArguments(open(wire), args))).toBe("XDR_INVALID");
      }
      const patched = decode(withArguments(open(wire), args));
      const back = given.map((value) => xdrOf(ScVal, value));
      expect(withArguments(open(patched), back).xdr).toBe(encode(wire));
      const now = innerOf(patched).tx.operations[0]?.body;
      if (now?.type !== 24) throw new Error("no invocation");
      const call = argumentsOf(now.invokeHostFunctionOp.hostFunction);
      expect(call?.map((value) => xdrOf(ScVal, value))).toEqual(args);
    });
  });

  test("without signatures has none, and the same transaction", () => {
    forAll(fc.constant(null), (wire) => {
      const v1 = { ...innerOf(wire), signatures: [] };
      const unsigned: Wire =
        wire.type === 5
          ? {
              type: 5,
              feeBump: { tx: { ...wire.feeBump.tx, innerTx: { type: 2, v1 } }, signatures: [] },
            }
          : { type: 2, v1 };
      expect(withoutSignatures(open(wire)).xdr).toBe(encode(unsigned));
    });
  });

  test("without expiry keeps every other condition", () => {
    forAll(fc.constant(null), (wire) => {
      const before = innerOf(wire).tx.cond;
      const after = innerOf(decode(withoutExpiry(open(wire)))).tx.cond;
      if (before.type === 0) return expect(after).toEqual(before);
      if (before.type === 1) {
        const { minTime } = before.timeBounds;
        return expect(after).toEqual({ type: 1, timeBounds: { minTime, maxTime: 0n } });
      }
      const { timeBounds, ledgerBounds, ...others } = before.v2;
      expect(after).toEqual({
        type: 2,
        v2: {
          ...others,
          timeBounds: timeBounds && { ...timeBounds, maxTime: 0n },
          ledgerBounds: ledgerBounds && { ...ledgerBounds, maxLedger: 0 },
        },
      });
    });
  });
});

test("a transaction that is not a Soroban transaction cannot be patched as one", () => {
  const codes: (string | null)[] = [];
  fc.assert(
    fc.property(arbitraryOf(TransactionEnvelope) as fc.Arbitrary<Wire>, (wire) => {
      const soroban = wire.type !== 0 && innerOf(wire).tx.ext.v === 1;
      if (soroban) return;
      codes.push(codeOf(() => withResources(open(wire), { instructions: 1 })));
    }),
    runs,
  );
  expect(new Set(codes)).toEqual(new Set(["XDR_INVALID"]));
  expect(codeOf(() => openAnywhere("AAAA"))).toBe("XDR_INVALID");
});
