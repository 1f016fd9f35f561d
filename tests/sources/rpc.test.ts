import { describe, expect, test } from "bun:test";
import { concatBytes, indexOfBytes } from "../../src/base/bytes.ts";
import { openRpc } from "../../src/sources/nodes/rpc.ts";
import { uint32s } from "../../src/xdr/reader/words.ts";
import { failureOf } from "../support/failure.ts";
import { accountOf, codeOf } from "../support/ledger-entries.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { type JsonRpcCall, openNode, rpcError } from "../support/scripted-node.ts";

const HASH = "ab".repeat(32);
const network = new RecordedNetwork();
const SEQUENCE = network.sequences[0] as number;

function ledgerOf(sequence: number) {
  return network.ledger(sequence)?.rpc.result.ledgers[0];
}

async function sequences(
  ledgers: AsyncIterable<{ readonly sequence: number }> | undefined,
): Promise<number[]> {
  const found: number[] = [];
  for await (const { sequence } of ledgers ?? []) found.push(sequence);
  return found;
}

const isRun = (some: readonly number[]) =>
  some.length === 14 && some.every((each, at) => each === Number(some[0]) + at);

describe("transactions", () => {
  test("NOT_FOUND is a status, and has the ledgers of the node", async () => {
    await using node = openNode(() => ({ status: "NOT_FOUND", latestLedger: 9, oldestLedger: 4 }));
    const rpc = openRpc(node.dependencies);
    expect(await rpc.fetchTransaction?.(HASH, node.context)).toBeNull();
    expect(rpc.range?.()).toEqual({ first: 4, last: 9 });
  });

  test("numbers may come as text", async () => {
    const result = {
      status: "FAILED",
      envelopeXdr: "AAAA",
      resultXdr: "AAAA",
      ledger: "7",
      createdAt: "1700000000",
    };
    await using node = openNode(() => result);
    const found = await openRpc(node.dependencies).fetchTransaction?.(HASH, node.context);
    expect(found).toMatchObject({
      ledgerSequence: 7,
      applicationOrder: null,
      resultMetaXdr: null,
      closeTimeUnixSeconds: "1700000000",
    });
  });

  test("what a node writes at length is cut in the error, and in its details", async () => {
    const long = "x".repeat(20_000_000);
    const [key] = network.settingEntries;
    for (const answer of [
      rpcError(-32603, long),
      rpcError(-32602, long),
      { status: long },
      { latestLedger: 7, entries: [{ ...key, key: long }] },
      { latestLedger: 7, entries: [{ ...key, xdr: long }] },
    ]) {
      await using node = openNode(() => answer);
      const rpc = openRpc(node.dependencies);
      const isEntries = "entries" in answer;
      const asked = isEntries
        ? rpc.fetchLedgerEntries?.([key?.key ?? ""], node.context)
        : rpc.fetchTransaction?.(HASH, node.context);
      const { message, details } = await failureOf(asked as Promise<unknown>);
      expect(message.length).toBeLessThan(5_000);
      expect(JSON.stringify(details).length).toBeLessThan(5_000);
    }
  });

  test("the answer to another request is none", async () => {
    const result = { status: "NOT_FOUND", latestLedger: 9, oldestLedger: 4 };
    for (const id of [2, "1", null, undefined])
      for (const told of [{ result }, { error: { code: -32603, message: "boom" } }]) {
        await using node = openNode(() => Response.json({ jsonrpc: "2.0", id, ...told }));
        const asked = openRpc(node.dependencies).fetchTransaction?.(HASH, node.context);
        const { code } = await failureOf(asked as Promise<unknown>);
        // The error of a request that could not be read has no id.
        const isError = "error" in told && (id === null || id === undefined);
        expect(code).toBe(isError ? "NETWORK_BAD_STATUS" : "NETWORK_BAD_ANSWER");
      }
  });

  test("a refusal is an error with the node's own words, made harmless", async () => {
    await using node = openNode(() => rpcError(-32603, "\u001b[31mboom"));
    const asked = openRpc(node.dependencies).fetchTransaction?.(HASH, node.context);
    const error = await failureOf(asked as Promise<unknown>);
    expect(error.code).toBe("NETWORK_BAD_STATUS");
    expect(error.message).toContain("boom");
    expect(error.message).not.toContain("\u001b");
  });

  test("a refusal by HTTP status is one too", async () => {
    await using node = openNode(() => Response.json({ message: "no" }, { status: 405 }));
    const asked = openRpc(node.dependencies).fetchTransaction?.(HASH, node.context);
    expect((await failureOf(asked as Promise<unknown>)).details.status).toBe(405);
  });
});

describe("ledgers", () => {
  const serve = (call: JsonRpcCall | null) => {
    if (call?.method === "getLatestLedger") return ledgerOf(network.latestLedger);
    const start = Number(call?.params?.startLedger);
    const { limit } = (call?.params?.pagination ?? {}) as { limit?: number };
    const ledgers = Array.from({ length: limit ?? 1 }, (_, index) => ledgerOf(start + index));
    const gap = ledgers.indexOf(undefined);
    if (gap === 0) return rpcError(-32600, "out of range");
    return {
      ledgers: gap === -1 ? ledgers : ledgers.slice(0, gap),
      latestLedger: 9,
      oldestLedger: 1,
    };
  };

  test("are read page by page, and end at a gap", async () => {
    await using node = openNode((_, call) => serve(call));
    const rpc = openRpc(node.dependencies);
    const last = network.sequences.find((each) => !network.sequences.includes(each + 1)) as number;
    const found = await sequences(rpc.fetchLedgerCloseMetas?.(SEQUENCE, last + 5, node.context));
    expect(found[0]).toBe(SEQUENCE);
    expect(found.at(-1)).toBe(last);
  });

  test("come whole from a node that gives fewer or more than asked, each asked for once", async () => {
    const from = network.sequences.findIndex((_, at) =>
      isRun(network.sequences.slice(at, at + 14)),
    );
    const run = network.sequences.slice(from, from + 12) as number[];
    for (const given of [1, 2, 4, 6, 7]) {
      const starts: unknown[] = [];
      await using node = openNode((_, call) => {
        const start = Number(call?.params?.startLedger);
        if (call?.method !== "getLedgers") return rpcError(-32601, "no");
        starts.push(start);
        return {
          ledgers: run.filter((each) => each >= start && each < start + given).map(ledgerOf),
        };
      });
      const rpc = openRpc(node.dependencies);
      const [first = 0, last = 0] = [run[0], run.at(-1)];
      const found = await sequences(rpc.fetchLedgerCloseMetas?.(first, last, node.context));
      expect(found).toEqual(run);
      const beyondFirst = Math.ceil(run.length / given) - 1;
      // One is on its way when the first answer shows what the node gives.
      expect(starts.length).toBeLessThanOrEqual(1 + 1 + beyondFirst);
    }
  });

  /**
   * The limits of the calls for ledgers 1 to 120, of which a node gives up to `most` in a call. Two
   * calls are on their way at once and may arrive in either order.
   */
  async function limitsOf(ledgerCloseMeta: Uint8Array, most: number): Promise<number[]> {
    const limits: number[] = [];
    await using node = openNode((_, call) => {
      const { startLedger, pagination } = (call?.params ?? {}) as unknown as LedgersRequest;
      limits.push(pagination.limit);
      if (pagination.limit > most) return rpcError(-32602, `limit must not exceed ${most}`);
      const last = Math.min(120, startLedger + pagination.limit - 1);
      const numbers = Array.from({ length: last - startLedger + 1 }, (_, at) => startLedger + at);
      const metadataXdr = (sequence: number) => numbered(ledgerCloseMeta, sequence).toBase64();
      const ledgers = numbers.map((each) => ({ sequence: each, metadataXdr: metadataXdr(each) }));
      return { ledgers, latestLedger: 120, oldestLedger: 1 };
    });
    const rpc = openRpc(node.dependencies);
    const check = async () => {};
    const found = rpc.fetchLedgerCloseMetas?.(1, 120, { ...node.context, check });
    expect(await sequences(found)).toEqual(Array.from({ length: 120 }, (_, at) => 1 + at));
    return limits;
  }

  interface LedgersRequest {
    readonly startLedger: number;
    readonly pagination: { readonly limit: number };
  }

  /** The ledger with another sequence in its header. */
  function numbered(ledgerCloseMeta: Uint8Array, sequence: number): Uint8Array {
    const copy = ledgerCloseMeta.slice();
    const own = indexOfBytes(copy, uint32s(SEQUENCE));
    copy.set(uint32s(sequence), own);
    return copy;
  }

  test("come many at a time if they are small, and few if they are large", async () => {
    const small = Uint8Array.fromBase64(String(ledgerOf(SEQUENCE)?.metadataXdr));
    const large = concatBytes([small, new Uint8Array(700_000)]);
    // The second call is on its way when the first answer shows how large they are.
    const ofSmall = await limitsOf(small, 200);
    expect(ofSmall.toSorted((one, other) => one - other)).toEqual([5, 5, 10, 50, 50]);
    const ofLarge = await limitsOf(large, 200);
    expect(new Set(ofLarge)).toEqual(new Set([5]));
  });

  test("come few at a time from a node that refuses more", async () => {
    const small = Uint8Array.fromBase64(String(ledgerOf(SEQUENCE)?.metadataXdr));
    const limits = await limitsOf(small, 10);
    expect(limits.filter((each) => each > 10).length).toBeLessThanOrEqual(2);
  });

  test("that cannot be read are failures of the node", async () => {
    const whole = Uint8Array.fromBase64(String(ledgerOf(SEQUENCE)?.metadataXdr));
    const metadataXdr = whole.subarray(0, whole.length / 2).toBase64();
    await using node = openNode(() => ({ ledgers: [{ sequence: SEQUENCE, metadataXdr }] }));
    const asked = openRpc(node.dependencies).fetchLedgerCloseMeta?.(SEQUENCE, node.context);
    expect((await failureOf(asked as Promise<unknown>)).code).toBe("NETWORK_BAD_ANSWER");
    expect(node.succeeded).toEqual([false]);
  });

  test("outside the window are not an error", async () => {
    await using node = openNode((_, call) => serve(call));
    const rpc = openRpc(node.dependencies);
    expect(await rpc.fetchLedgerCloseMeta?.(3, node.context)).toBeNull();
    expect(await rpc.fetchLedgerFacts?.(3, node.context)).toBeNull();
  });

  test("that the node does not number as asked are not believed", async () => {
    const shifted = () => ({ ledgers: [{ ...ledgerOf(SEQUENCE), sequence: SEQUENCE + 1 }] });
    await using node = openNode((_, call) =>
      call?.method === "getLedgers" ? shifted() : rpcError(-32601, "no"),
    );
    const rpc = openRpc(node.dependencies);
    expect(await rpc.fetchLedgerCloseMeta?.(SEQUENCE + 1, node.context)).toBeNull();
    expect(await sequences(rpc.fetchLedgerCloseMetas?.(SEQUENCE, 999, node.context))).toEqual([]);
  });

  test("without getLedgers the latest one still comes from getLatestLedger, asked once", async () => {
    await using node = openNode((_, call) =>
      call?.method === "getLedgers" ? rpcError(-32601, "no") : ledgerOf(SEQUENCE),
    );
    const rpc = openRpc(node.dependencies);
    expect(await rpc.fetchLedgerCloseMeta?.(SEQUENCE, node.context)).not.toBeNull();
    expect((await rpc.fetchLedgerFacts?.(SEQUENCE, node.context))?.sequence).toBe(SEQUENCE);
    expect(await rpc.fetchLedgerCloseMeta?.(SEQUENCE - 1, node.context)).toBeNull();
    expect(node.asked.filter((method) => method === "getLatestLedger")).toHaveLength(1);
  });
});

describe("ledger entries", () => {
  const keys = Array.from({ length: 450 }, (_, index) => accountOf(index).key);
  const entry = (key: string, lastModifiedLedgerSeq = 5) => ({
    key,
    xdr: accountOf(keys.indexOf(key)).data,
    lastModifiedLedgerSeq,
  });
  const asked = (call: JsonRpcCall | null) => call?.params?.keys as string[];

  test("are asked for 200 at a time, each key once", async () => {
    const sizes: number[] = [];
    await using node = openNode((_, call) => {
      sizes.push(asked(call).length);
      return { latestLedger: 7, entries: asked(call).map((key) => entry(key)) };
    });
    const rpc = openRpc(node.dependencies);
    const found = await rpc.fetchLedgerEntries?.([...keys, ...keys.slice(0, 9)], node.context);
    expect(sizes).toEqual([200, 200, 50]);
    expect(found?.entries.size).toBe(450);
    expect(found?.entries.get(keys[3] as string)).toMatchObject({
      lastModifiedLedger: 5,
      liveUntilLedger: null,
      entryXdr: accountOf(3, 5).entry,
    });
  });

  test("of contracts come with their TTL, or the node is not used", async () => {
    const code = codeOf("code");
    const answered = (ttl: object) => {
      const found = { key: code.key, xdr: code.data, lastModifiedLedgerSeq: 5, ...ttl };
      return openNode(() => ({ latestLedger: 7, entries: [found] }));
    };
    await using whole = answered({ liveUntilLedgerSeq: 9 });
    const entries = await openRpc(whole.dependencies).fetchLedgerEntries?.(
      [code.key],
      whole.context,
    );
    expect(entries?.entries.get(code.key)?.liveUntilLedger).toBe(9);
    await using archived = answered({ liveUntilLedgerSeq: 0 });
    const expired = await openRpc(archived.dependencies).fetchLedgerEntries?.(
      [code.key],
      archived.context,
    );
    expect(expired?.entries.get(code.key)).toMatchObject({ liveUntilLedger: null, archived: true });
    for (const ttl of [{}, { liveUntilLedgerSeq: null }]) {
      await using node = answered(ttl);
      const ask = openRpc(node.dependencies).fetchLedgerEntries?.([code.key], node.context);
      const error = await failureOf(ask as Promise<unknown>);
      expect([error.code, error.message]).toEqual([
        "NETWORK_BAD_ANSWER",
        expect.stringContaining("without its liveUntilLedgerSeq"),
      ]);
    }
  });

  test("are asked for again when a ledger closed in between", async () => {
    let calls = 0;
    await using node = openNode((_, call) => {
      calls += 1;
      return { latestLedger: calls === 1 ? 7 : 8, entries: asked(call).map((key) => entry(key)) };
    });
    const found = await openRpc(node.dependencies).fetchLedgerEntries?.(keys, node.context);
    expect([found?.latestLedger, calls]).toEqual([8, 6]);
  });

  test("of ever different ledgers are a bad answer", async () => {
    let calls = 0;
    await using node = openNode(() => ({ latestLedger: ++calls, entries: [] }));
    const rpc = openRpc(node.dependencies);
    const error = await failureOf(rpc.fetchLedgerEntries?.(keys, node.context) as Promise<unknown>);
    expect([error.code, calls]).toEqual(["NETWORK_BAD_ANSWER", 12]);
  });

  test("modified after the node's latest ledger show its real latest ledger", async () => {
    await using node = openNode(() => ({
      latestLedger: 7,
      entries: [entry(keys[0] as string, 9)],
    }));
    const found = await openRpc(node.dependencies).fetchLedgerEntries?.(
      keys.slice(0, 1),
      node.context,
    );
    expect(found?.latestLedger).toBe(9);
  });

  test("code that does not have the hash in its key is a lie", async () => {
    const honest = codeOf("some code");
    const altered = codeOf("some cope", "some code");
    const fetchEntry = async ({ key, data }: typeof honest) => {
      const entries = [{ key, xdr: data, lastModifiedLedgerSeq: 5, liveUntilLedgerSeq: 9 }];
      await using node = openNode(() => ({ latestLedger: 7, entries }));
      return await openRpc(node.dependencies).fetchLedgerEntries?.([key], node.context);
    };
    expect((await fetchEntry(honest))?.entries.size).toBe(1);
    expect(altered.key).toBe(honest.key);
    expect((await failureOf(fetchEntry(altered))).code).toBe("NODE_LIED");
  });

  test("that were not asked for, or are another key's, are lies", async () => {
    const [one, other] = keys as [string, string];
    const lies = [entry(other), { ...entry(other), key: one }];
    for (const lie of lies) {
      await using node = openNode(() => ({ latestLedger: 7, entries: [lie] }));
      const rpc = openRpc(node.dependencies);
      const error = await failureOf(
        rpc.fetchLedgerEntries?.([one], node.context) as Promise<unknown>,
      );
      expect([error.code, node.succeeded]).toEqual(["NODE_LIED", [false]]);
    }
  });

  test("that cannot be decoded are named by their key", async () => {
    const [one] = keys as [string];
    await using node = openNode(() => ({
      latestLedger: 7,
      entries: [{ ...entry(one), xdr: "AAAA" }],
    }));
    const rpc = openRpc(node.dependencies);
    const error = await failureOf(
      rpc.fetchLedgerEntries?.([one], node.context) as Promise<unknown>,
    );
    expect([error.code, node.succeeded]).toEqual(["LEDGER_ENTRY_INVALID", [false]]);
    expect(error.message).toContain(one);
    expect(error.remedy).toContain("at the transaction's ledger");
  });
});
