// A response that is passed on: an execution as svc-sim wrote it, and nothing else.

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { SvcError } from "../../src/base/errors/errors.ts";
import { ENVELOPE_ALONE } from "../../src/simulator/client-fault.ts";
import { openPool } from "../../src/simulator/pool.ts";
import { idOf, readWire } from "../../src/simulator/read-response.ts";
import { fakeSimulator, sampleRequest } from "./fake-simulator.ts";

const RUN = { path: "svc-sim", stderr: "" };
const SIGNAL = new AbortController().signal;

function codeOf(read: () => unknown): string {
  try {
    read();
    return "passed on";
  } catch (error) {
    return (error as SvcError).code;
  }
}

test("an execution passes as it is, without its id", () => {
  const fields = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(fc.nat(), fields, fc.constantFrom("", " ", "\\u0041"), (id, more, odd) => {
      const odds = `"odd":"${odd}","more":${JSON.stringify(more)}`;
      const rest = `"format":1,"host":{"protocol":23},${odds},"host_nanoseconds":${id}}`;
      const line = `{"id":${id},${rest}`;
      expect([idOf(line, RUN), readWire(line, RUN)]).toEqual([id, `{${rest}`]);
    }),
  );
});

test("what does not begin and end as an execution is read", () => {
  const host = '"host":{"protocol":23}';
  const success = `${host},"outcome":{"kind":"success"}`;
  const error = '"error":{"code":"DEADLINE","message":"late"}';
  const lines = {
    [`{"id":1,"format":1,${success},"host_nanoseconds":5}`]: "passed on",
    [`{"id":1,"format":1,${success}}`]: "passed on",
    [`{"id":1, "format":1,${success}}`]: "passed on",
    [`{"id":1,"format":1,${success}`]: "SIMULATOR_INVALID_JSON",
    [`{"id":1,"format":1,${host.slice(0, -1)}`]: "SIMULATOR_INVALID_JSON",
    [`{"id":1,"format":2,${success}}`]: "SIMULATOR_INVALID_JSON",
    '{"id":1,"format":1,"digest":"00"}': "SIMULATOR_INVALID_JSON",
    [`{"format":1,"id":1,${success}}`]: "SIMULATOR_INVALID_JSON",
    [`{"id":1,"format":1,${error}}`]: "SIMULATOR_TIMEOUT",
    [`{"id":1,"format":1,${error},${host}}`]: "SIMULATOR_TIMEOUT",
    oops: "SIMULATOR_INVALID_JSON",
  };
  const read = Object.keys(lines).map((line) => [line, codeOf(() => readWire(line, RUN))]);
  expect(Object.fromEntries(read)).toEqual(lines);
});

test("the id is a number, wherever it stands", () => {
  const lines = ['{"id":7,oops', '{"format":1,"id":7}', '{"id":"7"}', '{"id":null}', "null"];
  expect(lines.map((line) => idOf(line, RUN))).toEqual([7, 7, Number.NaN, Number.NaN, Number.NaN]);
  expect(codeOf(() => idOf("oops", RUN))).toBe("SIMULATOR_INVALID_JSON");
});

test("a line that was cut costs its request, and the others are answered", async () => {
  using fake = fakeSimulator(
    'for await (const r of lines()) { if (tag(r) === "cut") ' +
      'out(JSON.stringify({ id: r.id, ...response }).slice(0, -1) + "\\n"); ' +
      "else say(r.id, { transaction_hash: tag(r) }); }",
  );
  await using pool = openPool({ path: fake.path, size: 1 });
  const outcomes = ["a", "cut", "b"].map((tag) =>
    pool.respond(sampleRequest(tag), { signal: SIGNAL, written: ENVELOPE_ALONE }).then(
      (text) => JSON.parse(text).transaction_hash,
      (error: SvcError) => error.code,
    ),
  );
  expect(await Promise.all(outcomes)).toEqual(["a", "SIMULATOR_INVALID_JSON", "b"]);
});
