// Conformance in a plain clone: five of the streams that stellar-core's own tests write
// (tests/fixtures/streams). The whole corpus is in verify.test.ts.

import { beforeAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { CORE_TEST_BINARY, verifyCoreStreams } from "../support/core-streams.ts";

const STREAMS = join(import.meta.dir, "../fixtures/streams");

beforeAll(ensureBuilt, 900_000);

test("every transaction of the sample is as stellar-core recorded it", async () => {
  const paths = [...new Bun.Glob("*.xdr.zst").scanSync(STREAMS)].sort();
  const { signal } = new AbortController();
  const found = await verifyCoreStreams(
    paths.map((path) => join(STREAMS, path)),
    { signal },
  );
  expect(found.transactions).toBe(74);
  const { exact, equivalent, diverged, inconclusive } = found.verdicts;
  expect({ diverged, inconclusive }).toEqual({ diverged: 0, inconclusive: 0 });
  // Hosts of releases meter what a test build of protocol 26 metered otherwise.
  const notExact = found.notExact.filter(({ protocolVersion }) => protocolVersion !== 26);
  expect(notExact).toEqual([]);
  expect(exact + equivalent).toBe(74);
  if (existsSync(CORE_TEST_BINARY)) expect(exact).toBe(74);
});
