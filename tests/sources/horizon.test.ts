import { expect, test } from "bun:test";
import { openHorizon } from "../../src/sources/nodes/horizon.ts";
import { failureOf } from "../support/failure.ts";
import { openNode } from "../support/scripted-node.ts";

const HASH = "ab".repeat(32);
const TRANSACTION = {
  envelope_xdr: "AAAA",
  result_xdr: "AAAB",
  ledger: 5,
  paging_token: String((5n << 32n) | (3n << 12n)),
};

test("a paging token has the transaction's position in its ledger", async () => {
  await using node = openNode(() => TRANSACTION);
  const found = await openHorizon(node.dependencies).fetchTransaction?.(HASH, node.context);
  expect(found).toMatchObject({ ledgerSequence: 5, applicationOrder: 3, resultMetaXdr: null });
});

test("a paging token of another ledger is ignored", async () => {
  await using node = openNode(() => ({ ...TRANSACTION, paging_token: "7" }));
  const found = await openHorizon(node.dependencies).fetchTransaction?.(HASH, node.context);
  expect(found?.applicationOrder).toBeNull();
});

test("an absent, null or empty meta means no meta", async () => {
  for (const meta of [undefined, null, ""]) {
    await using node = openNode(() => ({ ...TRANSACTION, result_meta_xdr: meta }));
    const found = await openHorizon(node.dependencies).fetchTransaction?.(HASH, node.context);
    expect(found?.resultMetaXdr).toBeNull();
  }
});

test("404 and 410 are a status, whoever words them", async () => {
  const bodies = [
    Response.json({ title: "Resource Missing" }, { status: 404 }),
    new Response("no such thing", { status: 404 }),
    Response.json({ title: "Data Requested Is Before Recorded History" }, { status: 410 }),
  ];
  for (const body of bodies) {
    await using node = openNode(() => body);
    const horizon = openHorizon(node.dependencies);
    expect(await horizon.fetchTransaction?.(HASH, node.context)).toBeNull();
  }
});

test("404 with a web page does not come from Horizon", async () => {
  await using node = openNode(() => new Response("<html>Not Found</html>", { status: 404 }));
  const horizon = openHorizon(node.dependencies);
  const asked = horizon.fetchTransaction?.(HASH, node.context) as Promise<unknown>;
  expect((await failureOf(asked)).code).toBe("NETWORK_BAD_ANSWER");
});

test("JSON of another shape names the field", async () => {
  await using node = openNode(() => ({ ...TRANSACTION, ledger: "five" }));
  const horizon = openHorizon(node.dependencies);
  const error = await failureOf(horizon.fetchTransaction?.(HASH, node.context) as Promise<unknown>);
  expect(error.code).toBe("NETWORK_BAD_ANSWER");
  expect(error.message).toContain("ledger");
});

test("a key in the query goes with every request", async () => {
  await using node = openNode(() => TRANSACTION);
  const url = `${node.url}/v1/?apikey=k`;
  await openHorizon({ ...node.dependencies, url }).fetchTransaction?.(HASH, node.context);
  expect(node.asked).toEqual([`/v1/transactions/${HASH}?apikey=k`]);
});
