// svc rehearse takes the last calls of a node, direct or within another contract, those that reach
// a function, or one of each path. The nodes are those of the recorded network, and each contract
// is rehearsed with its own code.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { codesIn } from "../support/archived-code.ts";
import { changedCapsule } from "../support/changed-capsule.ts";
import { openLoopback } from "../support/loopback-server.ts";

const loopback = openLoopback();
const directory = mkdtempSync(join(tmpdir(), "svc-traffic-"));
const nodes = ["--rpc-url", loopback.url("rpc"), "-n", "local", "--json"];
const [KITCHEN, KITCHEN2] = ["same ledger: inc main #3", "same ledger: mixed 0"].map(
  (name) => invocationOf(name).contract,
);

function envelopeOf(name: string) {
  const recorded = loopback.network.named(name);
  const { envelopeXdr } = loopback.network.file(recorded).rpcGetTransaction.result;
  return openEnvelope(String(envelopeXdr), loopback.network.passphrase);
}

function invocationOf(name: string) {
  const { hostFunction } = envelopeOf(name);
  if (hostFunction?.kind !== "invoke") throw new Error(`${name} calls no contract`);
  return hostFunction;
}

setDefaultTimeout(60_000);

beforeAll(async () => {
  svcBinary();
  const xdr = Buffer.from(envelopeOf("upload kitchen wasm").xdr, "base64");
  const [code = new Uint8Array()] = codesIn(xdr).values();
  await Bun.write(join(directory, "kitchen.wasm"), code);
}, 120_000);
afterAll(async () => {
  rmSync(directory, { recursive: true, force: true });
  await loopback[Symbol.asyncDispose]();
});

async function rehearsed(contract: string | undefined, words: readonly string[]) {
  const all = ["rehearse", `${contract}=kitchen.wasm`, ...words, ...nodes];
  const { stdout, stderr } = await svc(all, { directory });
  if (stdout === "") throw new Error(stderr);
  const report = JSON.parse(stdout);
  if (report.calls === undefined) throw new Error(stdout);
  for (const { group } of report.calls) expect(group).toBe("same");
  return report;
}

test("the last calls are those of the nodes' latest ledgers", async () => {
  const { calls, searched } = await rehearsed(KITCHEN, ["--last", "5"]);
  expect(calls).toHaveLength(5);
  expect(searched).toMatchObject({ wantedCalls: 5, last: 453 });
  const all = await rehearsed(KITCHEN, ["--last", "500"]);
  expect(all.calls.slice(-5)).toEqual(calls);
  // The node begins with that ledger.
  expect(all.searched).toEqual({ wantedCalls: 500, first: 407, last: 453, isAll: true });
});

test("a node that cannot be reached is an error, and not a network without calls", async () => {
  const words = ["rehearse", `${KITCHEN}=kitchen.wasm`, "--last", "5"];
  const nowhere = ["--rpc-url", "http://127.0.0.1:1", "--horizon-url", "http://127.0.0.1:1"];
  const passphrase = ["--network-passphrase", loopback.network.passphrase];
  const { stdout, stderr, exitCode } = await svc([...words, ...nowhere, ...passphrase], {
    directory,
  });
  expect([stdout, exitCode]).toEqual(["", 4]);
  expect(stderr).toContain("http://127.0.0.1:1 refused the connection");
});

interface LedgerOfPage {
  readonly sequence: number;
}

interface Page {
  readonly start: number;
  /** The first ledger after those that were asked for. */
  readonly end: number;
}

test("a node is asked once for each ledger that is looked through", async () => {
  const pages: (Page & { readonly ledgers: readonly number[] })[] = [];
  const ended: Page[] = [];
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const answer = await fetch(loopback.url("rpc"), { method: "POST", body });
      const text = await answer.text();
      const { method, params } = JSON.parse(body);
      const { result, error } = JSON.parse(text);
      const ledgers = (result?.ledgers ?? []).map(({ sequence }: LedgerOfPage) => sequence);
      if (method === "getLedgers") {
        const { startLedger: start, pagination } = params;
        const page = { start, end: start + pagination.limit };
        if (error === undefined) pages.push({ ...page, ledgers });
        if (ledgers.length < pagination.limit) ended.push(page);
      }
      return new Response(text, answer);
    },
  });
  const words = [
    "rehearse",
    `${KITCHEN}=kitchen.wasm`,
    "--last",
    "5",
    "--rpc-url",
    server.url.href,
  ];
  const { stdout, stderr } = await svc([...words, "-n", "local", "--json"], { directory });
  if (stdout === "") throw new Error(stderr);
  const { calls, searched } = JSON.parse(stdout);
  expect(calls).toHaveLength(5);
  const isLooked = (ledger: number) => ledger >= searched.first;
  const looked = new Set(pages.flatMap(({ ledgers }) => ledgers).filter(isLooked));
  expect(looked.size).toBe(searched.last - searched.first + 1);
  // svc asks for two pages ahead. Those after a page that the node does not have in full were in vain.
  const before = (start: number) => pages.filter(({ end }) => end === start);
  const isAfterEnd = ({ start }: Page) => ended.some(({ end }) => end === start);
  const isInVain = (page: Page) => isAfterEnd(page) || before(page.start).some(isAfterEnd);
  const read = pages.filter((page) => !isInVain(page)).flatMap(({ ledgers }) => ledgers);
  expect(read.filter((ledger, at) => isLooked(ledger) && read.indexOf(ledger) !== at)).toEqual([]);
});

test("a function is that of the contract, also if another function led to it", async () => {
  const { calls, notJudged } = await rehearsed(KITCHEN, ["--last", "500", "--function", "inc"]);
  expect(calls.length).toBeGreaterThan(5);
  for (const { reached } of calls)
    expect(reached.map(({ function: name }: { function: string }) => name)).toContain("inc");
  expect(notJudged).toMatchObject([{ kind: "other-function" }]);
  const { hash } = loopback.network.named("kitchen calls kitchen2.inc");
  const nested = await rehearsed(KITCHEN2, [hash, "--function", "inc"]);
  expect(nested.calls).toMatchObject([
    { function: "fwd", reached: [{ contract: KITCHEN2, function: "inc", nested: true }] },
  ]);
});

test("one call of each path is rehearsed, and the others are counted", async () => {
  const all = await rehearsed(KITCHEN, ["--last", "500"]);
  const each = await rehearsed(KITCHEN, ["--last", "500", "--every-path"]);
  expect(all.repeated).toBeNull();
  expect(each.repeated).toBeGreaterThan(0);
  expect(each.calls.length + each.repeated).toBe(all.calls.length);
  const functions = (calls: { readonly reached: readonly { readonly function: string }[] }[]) =>
    new Set(calls.flatMap(({ reached }) => reached.map((call) => call.function)));
  expect(functions(each.calls)).toEqual(functions(all.calls));
});

test("nothing is said of an interface before any call has shown the old code", async () => {
  const words = ["rehearse", `${KITCHEN2}=kitchen.wasm`, "407", ...nodes];
  const { stdout, exitCode } = await svc(words.slice(0, -1), { directory });
  expect(exitCode).toBe(6);
  expect(stdout).toContain("so the interfaces cannot be compared");
  const { contracts } = JSON.parse((await svc(words, { directory })).stdout);
  expect(contracts[0].differences).toBeNull();
});

test("a function that is gone within another contract's call is named as gone", async () => {
  const build = join(import.meta.dir, "../contracts/upgrade-gone.wasm");
  // The first succeeded, and the second failed with an error of its own.
  for (const name of ["kitchen calls kitchen2.inc", "call propagates callee error"]) {
    const { hash } = loopback.network.named(name);
    const words = ["rehearse", `${KITCHEN2}=${build}`, hash, ...nodes];
    const { calls } = JSON.parse((await svc(words, { directory })).stdout);
    expect(calls).toMatchObject([{ function: "fwd", group: "function-gone" }]);
    expect(calls[0].detail).toStartWith(`Contract ${KITCHEN2} has no function `);
  }
});

test("a call that a capsule and the nodes have is rehearsed once, in every order", async () => {
  const { hash, ledger } = loopback.network.named("same ledger: inc main #3");
  const save = ["--save", "b.capsule.json"];
  await svc(["debug", hash, ...save, ...nodes], { directory });
  const text = await Bun.file(join(directory, "b.capsule.json")).text();
  // Nothing can be replayed if the contract's code is unknown.
  const open = changedCapsule(text, ({ snapshot }) => {
    const isCode = ({ keyXdr }: { readonly keyXdr: string }) =>
      typeOfKey(keyXdr) === ENTRY_TYPE.contractCode;
    const { keyXdr } = snapshot.entries.find(isCode);
    snapshot.entries = snapshot.entries.filter((each: { keyXdr: string }) => !isCode(each));
    snapshot.unknown = [{ keyXdr, reason: "no source has it" }];
  });
  await Bun.write(join(directory, "a.capsule.json"), open);
  const places = ["a.capsule.json", "b.capsule.json", hash, String(ledger)];
  const withoutOwn = places.filter((word) => word !== "b.capsule.json");
  const cases: [readonly string[], string | null][] = [
    [places, "b.capsule.json"],
    [places.slice(1, 3), "b.capsule.json"],
    [withoutOwn, null],
  ];
  for (const [words, capsule] of cases) {
    const all = await Promise.all(
      [words, words.toReversed()].map((each) => rehearsed(KITCHEN, each)),
    );
    const [one, other] = all;
    expect(one).toEqual(other);
    const calls = one.calls.filter((call: { readonly hash: string }) => call.hash === hash);
    const files = capsule === null ? null : { kind: "capsule", file: capsule };
    expect(calls).toMatchObject([{ hash, files }]);
    const notJudged = one.notJudged.filter(
      ({ kind }: { readonly kind: string }) => kind !== "other-contract",
    );
    expect(notJudged).toEqual([]);
  }
  const alone = await svc(["rehearse", `${KITCHEN}=kitchen.wasm`, "a.capsule.json", "--json"], {
    directory,
  });
  expect(JSON.parse(alone.stdout).notJudged).toMatchObject([{ calls: 1 }]);
});
