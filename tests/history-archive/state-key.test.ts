// The words of svc state name a LedgerKey, and no key that no ledger can have.

import { expect, test } from "bun:test";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { readStateKey } from "../../src/history-archive/state-key.ts";
import { describeKey } from "../../src/xdr/values/value.ts";
import { failureIn } from "../support/failure.ts";

const NUMBERED = Uint8Array.from({ length: 40 }, (_, i) => (i < 32 ? 7 : 1));
const CONTRACT = encodeStrkey("contract", NUMBERED.subarray(0, 32));
const ACCOUNT = encodeStrkey("account", NUMBERED.subarray(0, 32));
const MUXED = encodeStrkey("muxed-contract", NUMBERED);
const PLAIN = { key: null, temporary: false, asset: null };

test("a contract, an account and a key of a contract's data", async () => {
  expect(describeKey(await readStateKey(CONTRACT, PLAIN))).toBe(`instance of contract ${CONTRACT}`);
  expect(describeKey(await readStateKey(ACCOUNT, PLAIN))).toBe(`account ${ACCOUNT}`);
  const key = JSON.stringify({ vec: [{ symbol: "Balance" }, { address: CONTRACT }] });
  expect(describeKey(await readStateKey(CONTRACT, { ...PLAIN, key }))).toBe(
    `persistent data [Balance, ${CONTRACT}] of contract ${CONTRACT}`,
  );
});

test("a muxed address has no state, and is in no key", async () => {
  for (const [muxed, kind, holder] of [
    [MUXED, "contract", CONTRACT],
    [encodeStrkey("muxed", NUMBERED), "account", ACCOUNT],
  ] as const) {
    const alone = await failureIn(() => readStateKey(muxed, PLAIN));
    expect([alone.code, alone.message]).toEqual([
      "USAGE",
      `"${muxed}" is a muxed address, which has no state of its own.`,
    ]);
    expect(alone.remedy).toBe(`Pass the ${kind}: ${holder}.`);
    const key = JSON.stringify({ vec: [{ symbol: "Balance" }, { address: muxed }] });
    const within = await failureIn(() => readStateKey(CONTRACT, { ...PLAIN, key }));
    expect([within.code, within.message]).toEqual([
      "USAGE",
      `The key has the muxed address ${muxed} in it, which the host refuses in storage keys: use ${holder}.`,
    ]);
  }
});
