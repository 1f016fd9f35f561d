// The wire protocol of svc-sim-recording on TypeScript's side: the recorded exchanges, which the
// Rust tests require of it, follow the committed schemas and are read correctly.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readRecording } from "../../src/simulator/recording-simulator.ts";
import requestSchema from "../../src/svc-sim/schema/recording-request.schema.json";
import responseSchema from "../../src/svc-sim/schema/recording-response.schema.json";
import { schemaProblems, undescribedFields } from "../report/check-schema.ts";

const FOLDER = join(import.meta.dir, "..", "fixtures", "recording");
const exchanges = readdirSync(FOLDER).map((name) => ({
  name,
  ...JSON.parse(readFileSync(join(FOLDER, name), "utf8")),
}));
const run = { path: "svc-sim-recording", stderr: "" };

describe("recorded exchanges", () => {
  for (const { name, request, response } of exchanges) {
    test(`${name} follows the schemas and is read`, () => {
      expect(schemaProblems(requestSchema, request)).toEqual([]);
      expect(undescribedFields(requestSchema, request)).toEqual([]);
      expect(schemaProblems(responseSchema, response)).toEqual([]);
      expect(undescribedFields(responseSchema, response)).toEqual([]);
      const answer = readRecording(response, "", run);
      if (answer.kind === "missing") expect(answer.keysXdr).toEqual(response.missing_keys);
      else expect(answer.simulation.error).toBe(response.simulation.error);
    });
  }
});

describe("what a response must have", () => {
  const complete = exchanges.find(({ name }) => name === "auto-restore.json")?.response;

  test("an answer that neither simulates nor misses anything is refused", () => {
    const empty = { ...complete, missing_keys: [], simulation: null };
    expect(() => readRecording(empty, "", run)).toThrow(
      "has neither a simulation nor missing keys",
    );
  });

  for (const field of responseSchema.required)
    test(`without ${field} it is refused`, () => {
      const { [field]: _, ...lacking } = complete;
      expect(() => readRecording(lacking, "", run)).toThrow(field);
    });
});
