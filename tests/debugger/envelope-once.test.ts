// The walk opens the chain's own envelope once. Both ways into one are watched: from base64, and by
// the decoder.

import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Overrides } from "../../src/model/overrides.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import * as value from "../../src/xdr/reader/value.ts";
import { capsuleAt } from "../support/capsule-at.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const CAPSULE = join(import.meta.dir, "../../examples/write-bytes-too-low.capsule.json");
const OVERRIDES: Overrides = {
  ledger: {},
  limits: { instructions: 50_000_000 },
  arguments: new Map(),
  wasm: new Map(),
  entries: [],
};
const simulator = openTestSimulator();
const fromBase64 = spyOn(Uint8Array, "fromBase64");
const decode = spyOn(value, "decodeBytes");
beforeAll(ensureBuilt, 900_000);
afterAll(() => {
  fromBase64.mockRestore();
  decode.mockRestore();
});

/** How often each of the watched functions was called with this envelope. */
function callsWith(envelopeXdr: string) {
  return {
    opened: fromBase64.mock.calls.filter(([text]) => text === envelopeXdr).length,
    decoded: decode.mock.calls.filter(([, bytes]) => bytes.toBase64() === envelopeXdr).length,
  };
}

for (const overrides of [null, OVERRIDES]) {
  const what = overrides === null ? "a failed transaction" : "its fix and a run with overrides";
  test(`svc debug --from opens and decodes one envelope: ${what}`, async () => {
    fromBase64.mockClear();
    decode.mockClear();
    const captured = openCapsule(capsuleAt(CAPSULE), null);
    const dependencies = { simulator, progress: () => {} };
    const options = { signal: NEVER_ABORTED, overrides };
    const { record, fix, whatIf } = await replayCaptured(dependencies, captured, options);
    expect(fix?.proof?.outcome).toBe("succeeds");
    expect(whatIf === undefined).toBe(overrides === null);
    expect(callsWith(record.envelopeXdr)).toEqual({ opened: 1, decoded: 1 });
  });
}

test("an opened envelope is not decoded before a part needs it, and then once", async () => {
  const { record } = openCapsule(capsuleAt(CAPSULE), null);
  decode.mockClear();
  const envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase);
  expect([envelope.hash, envelope.innerHash]).toEqual([record.hash, null]);
  expect(envelope.soroban?.operation).toBe("invoke_host_function");
  expect(decode).toHaveBeenCalledTimes(0);
  const { terms, hostFunction, authorizations } = envelope;
  expect(decode).toHaveBeenCalledTimes(1);
  expect(envelope.terms).toBe(terms);
  expect(envelope.hostFunction).toBe(hostFunction);
  expect(envelope.authorizations).toBe(authorizations);
});
