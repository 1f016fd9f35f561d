import { describe, expect, test } from "bun:test";
import { xdr } from "@stellar/stellar-sdk";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { Comparison } from "../../src/model/verdict.ts";
import { compareEvents } from "../../src/verdict/events.ts";
import { type ChainFacts, readChain } from "../../src/xdr/outcome/chain-facts.ts";
import { walkOf } from "./protocol-walk.ts";

const ISSUER = new Uint8Array(32).fill(1);
const HOLDER = new Uint8Array(32).fill(2);
const ASSET = xdr.ScVal.scvString(`KITCH:${encodeStrkey("account", ISSUER)}`);

const symbol = (text: string) => xdr.ScVal.scvSymbol(text);
const account = (key: Uint8Array) =>
  xdr.ScVal.scvAddress(xdr.ScAddress.scAddressTypeAccount(xdr.PublicKey.publicKeyTypeEd25519(key)));
const [issuer, holder] = [account(ISSUER), account(HOLDER)];

function event(...topics: xdr.ScVal[]): string {
  const v0 = new xdr.ContractEventV0({ topics, data: xdr.ScVal.scvU32(5) });
  return new xdr.ContractEvent({
    ext: xdr.ExtensionPoint.v0(),
    contractId: new xdr.ContractId(new Uint8Array(32).fill(7)),
    type: xdr.ContractEventType.contract,
    body: xdr.ContractEventBody.v0(v0),
  }).toXdr("base64");
}

const { record, execution } = walkOf("sac-transfer");
const real = readChain(record);

/** Both sides have the same success hash, unless `hash` is given. */
function compare(
  protocolVersion: number,
  onChain: string[],
  replayed: string[],
  hash = execution.successHash,
): Comparison[] {
  const meta = real.meta === null ? null : { ...real.meta, eventsXdr: onChain };
  const chain: ChainFacts = { ...real, protocolVersion, meta };
  return compareEvents(chain, { ...execution, eventsXdr: replayed, successHash: hash });
}

const results = (comparisons: Comparison[]) => comparisons.map(({ result }) => result);

describe("events of ledgers before protocol 23, rewritten by the node", () => {
  const cases: [string, string, string][] = [
    ["mint", event(symbol("mint"), issuer, holder, ASSET), event(symbol("mint"), holder, ASSET)],
    [
      "clawback",
      event(symbol("clawback"), issuer, holder, ASSET),
      event(symbol("clawback"), holder, ASSET),
    ],
    [
      "set_authorized",
      event(symbol("set_authorized"), issuer, holder, ASSET),
      event(symbol("set_authorized"), holder, ASSET),
    ],
    [
      "transfer from the issuer",
      event(symbol("transfer"), issuer, holder, ASSET),
      event(symbol("mint"), holder, ASSET),
    ],
    [
      "transfer to the issuer",
      event(symbol("transfer"), holder, issuer, ASSET),
      event(symbol("burn"), holder, ASSET),
    ],
  ];
  for (const [name, emitted, rewritten] of cases) {
    test(`${name}: the success hash decides, as the detail says`, () => {
      const second = compare(22, [emitted, rewritten], [emitted, emitted])[1];
      expect([second?.item, second?.result]).toEqual(["1", "equal"]);
      const [comparison, ...others] = compare(22, [rewritten], [emitted]);
      expect(others).toEqual([]);
      expect(comparison).toMatchObject({ result: "equal", chain: rewritten, replay: emitted });
      expect(comparison?.detail).toContain("BACKFILL_STELLAR_ASSET_EVENTS");
    });

    test(`${name}: with another success hash it is a difference`, () => {
      expect(results(compare(22, [rewritten], [emitted], "00".repeat(32)))).toEqual(["different"]);
    });

    test(`${name}: from protocol 23 nothing is rewritten`, () => {
      expect(results(compare(23, [rewritten], [emitted]))).toEqual(["different"]);
    });
  }

  test("an event that is not there was not rewritten", () => {
    const odd = event(symbol("odd"));
    expect(results(compare(22, [odd], [odd, odd]))).toEqual(["equal", "different"]);
    expect(results(compare(22, [odd, odd], [odd]))).toEqual(["equal", "different"]);
  });

  test("a transfer between holders keeps its form", () => {
    const transfer = event(symbol("transfer"), holder, holder, ASSET);
    expect(results(compare(22, [transfer], [transfer]))).toEqual(["equal"]);
    const other = event(symbol("transfer"), holder, issuer, ASSET);
    expect(results(compare(22, [other], [transfer]))).toEqual(["different"]);
  });
});

describe("reconciliation events of protocol 23", () => {
  const emitted = event(symbol("transfer"), holder, holder, ASSET);
  const mint = event(symbol("mint"), holder, ASSET);

  test("before the other events they are explained", () => {
    const comparisons = compare(23, [mint, emitted], [emitted]);
    expect(results(comparisons)).toEqual(["equal", "equal"]);
    expect(comparisons[0]?.detail).toContain("reconciliation");
    const other = event(symbol("transfer"), holder, issuer, ASSET);
    const three = compare(23, [mint, emitted, other], [emitted, other]);
    expect(three.map(({ item, result, chain, replay }) => [item, result, chain, replay])).toEqual([
      ["0", "equal", mint, null],
      ["1", "equal", emitted, emitted],
      ["2", "equal", other, other],
    ]);
  });

  test("any other event before them is a difference", () => {
    expect(results(compare(23, [emitted, emitted], [emitted]))).toContain("different");
    expect(results(compare(24, [mint, emitted], [emitted]))).toContain("different");
  });
});

test("a missing event shows the other value", () => {
  const emitted = event(symbol("a"));
  const comparisons = compare(26, [], [emitted], "00".repeat(32));
  expect(comparisons).toMatchObject([{ result: "different", chain: null, replay: emitted }]);
});
