// The shown address of a node has no user, password, query or path.

import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { nodeAddress, nodeLabel } from "../../src/base/http/node-address.ts";

test("only protocol, host and port are shown", () => {
  expect(nodeAddress("https://rpc.example:8443")).toBe("https://rpc.example:8443");
  const secret = "https://user:pw@rpc.example/v2/KEY?token=T#F";
  expect(nodeAddress(secret)).toBe("https://rpc.example/…");
  expect(nodeAddress("::KEY::")).toBe("(not a URL)");
});

test("a path is shown where it has well-known words only", () => {
  for (const url of [
    "http://localhost:8000/rpc",
    "https://x.example/soroban/rpc",
    "https://x/api/v1",
  ])
    expect(nodeAddress(url)).toBe(url);
  expect(nodeAddress("http://localhost:8000/rpc/")).toBe("http://localhost:8000/rpc");
  expect(nodeAddress(`https://h.example/transactions/${"ab".repeat(32)}`)).toBe(
    "https://h.example",
  );
  const lake = "https://h.example/stellar/ledgers/futurenet";
  expect(nodeAddress(lake)).toBe(lake);
  expect(nodeAddress("https://h.example/KEY/ledgers/77/transactions")).toBe("https://h.example/…");
  for (const path of ["rpc/KEY", "abc", "v2/0123456789abcdef", "rpc-key", "soroban.rpc.k", "%72pc"])
    expect(nodeAddress(`https://x.example/${path}`)).toBe("https://x.example/…");
});

describe("a node's label", () => {
  test("is its address where nothing is hidden", () => {
    for (const url of [
      "http://[::1]:8000",
      "https://rpc.example:8443",
      "https://rpc.example/soroban/rpc",
      "https://history.stellar.org/prd/core-live/core_live_001",
    ])
      expect([nodeLabel(url), nodeLabel(`${url}/`)]).toEqual([url, url]);
    expect(nodeLabel("::KEY::")).toBe("(not a URL)");
  });

  test("tells nodes of one host apart, and has no part of a secret", () => {
    const urls = [
      "https://rpc.example",
      "https://rpc.example/rpc",
      "https://rpc.example/v1/KEYKEYKEY",
      "https://rpc.example/v1/KEYKEYKEZ",
      "https://rpc.example/KEYKEYKEY/v1",
      "https://KEYKEYKEY@rpc.example/",
      "https://user:KEYKEYKEY@rpc.example/",
      "https://rpc.example/?token=KEYKEYKEY",
      "https://rpc.example/?token=KEYKEYKEZ",
      "https://rpc.example/rpc?token=KEYKEYKEY",
    ];
    const labels = urls.map(nodeLabel);
    expect(new Set(labels).size).toBe(urls.length);
    for (const label of labels)
      expect(label).toMatch(/^https:\/\/rpc\.example(\/rpc|\/…)?(#[0-9a-f]{4})?$/);
    // The same on every replica.
    expect(nodeLabel("https://rpc.example/v2/KEY")).toBe("https://rpc.example/…#50c7");
    expect(nodeLabel("https://rpc.example/v2/KEY/")).toBe(nodeLabel("https://rpc.example/v2/KEY"));
  });

  test("has no more than four digits of what a path hides", async () => {
    const secrets = fc.string({ minLength: 8, unit: fc.constantFrom(..."abcdefXYZ0123456789") });
    await fc.assert(
      fc.property(secrets, (secret) => {
        const label = nodeLabel(`https://rpc.example/v1/${secret}`);
        expect(label).toMatch(/^https:\/\/rpc\.example\/…#[0-9a-f]{4}$/);
      }),
    );
  });
});
