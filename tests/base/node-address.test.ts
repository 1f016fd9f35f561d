// The shown address of a node has no user, password, query or path.

import { expect, test } from "bun:test";
import { nodeAddress, nodeOrigin } from "../../src/base/http/node-address.ts";

test("only protocol, host and port are shown", () => {
  expect(nodeAddress("https://rpc.example:8443")).toBe("https://rpc.example:8443");
  const secret = "https://user:pw@rpc.example/v2/KEY?token=T#F";
  expect(nodeAddress(secret)).toBe("https://rpc.example/…");
  expect(nodeAddress("::KEY::")).toBe("(not a URL)");
});

test("a node's label is its scheme, host and port alone", () => {
  expect(nodeOrigin("https://user:pw@rpc.example:8443/v2/KEY?token=T#F")).toBe(
    "https://rpc.example:8443",
  );
  expect(nodeOrigin("http://[::1]:8000/")).toBe("http://[::1]:8000");
});
