// The shown address of a node has no user, password, query or path.

import { expect, test } from "bun:test";
import { nodeAddress, nodeOrigin } from "../../src/base/http/node-address.ts";

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

test("a node's label is its scheme, host and port alone", () => {
  expect(nodeOrigin("https://user:pw@rpc.example:8443/v2/KEY?token=T#F")).toBe(
    "https://rpc.example:8443",
  );
  expect(nodeOrigin("http://[::1]:8000/")).toBe("http://[::1]:8000");
});
