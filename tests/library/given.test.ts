// What a program passes wrongly is an error of svc with a remedy, before any node is asked.

import { expect, test } from "bun:test";
import { debug } from "../../src/library/debug.ts";
import { replay } from "../../src/library/replay.ts";
import { simulate } from "../../src/library/simulate.ts";
import { NATIVE } from "../support/native-instance.ts";

const HASH = "ab".repeat(32);
const requests: string[] = [];
const observed = { onRequest: ({ node }: { readonly node: string }) => requests.push(node) };
const closed = { networkPassphrase: "made", horizonUrls: ["http://127.0.0.1:9"], rpcUrls: [] };
const EMPTY_MODULE = new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));

test.each([null, undefined, 5, "", "xyz", "../accounts/x", `${HASH}0`])(
  "%p is not a hash",
  async (hash) => {
    const asked = debug(hash as never, { ...NATIVE, ...observed, network: "testnet" });
    await expect(asked).rejects.toMatchObject({ code: "HASH_INVALID" });
    expect(requests).toEqual([]);
  },
);

test.each([undefined, null, "nonet", "__proto__"])("%p is not a network", async (network) => {
  const asked = debug(HASH, { ...NATIVE, ...observed, network: network as never });
  await expect(asked).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(requests).toEqual([]);
});

test.each([undefined, {}, () => EMPTY_MODULE, new Uint8Array(9), EMPTY_MODULE])(
  "%p is not svc-sim",
  async (module) => {
    const capsule = await Bun.file("examples/contract-error.capsule.json").text();
    const refused = {
      code: "REQUEST_INVALID",
      message: "The module is not a compiled svc-sim.wasm.",
    };
    await expect(replay(capsule, { module: module as never })).rejects.toMatchObject(refused);
  },
);

test("a capsule and an envelope are texts", async () => {
  for (const given of [null, {}, new Uint8Array(3)]) {
    const refused = { code: "FILE_INVALID" };
    await expect(replay(given as never, NATIVE)).rejects.toMatchObject(refused);
    const simulated = simulate(given as never, { ...NATIVE, network: closed });
    await expect(simulated).rejects.toMatchObject(refused);
  }
});

test("what a signal ends is INTERRUPTED", async () => {
  const ended = { ...NATIVE, network: closed, signal: AbortSignal.abort() };
  await expect(debug(HASH, ended)).rejects.toMatchObject({ code: "INTERRUPTED" });
});
