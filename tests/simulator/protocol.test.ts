// The wire protocol from TypeScript's side: the recorded exchanges that the Rust tests hold svc-sim
// to follow the committed schemas, and the schemas here say the same as those.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkRequest } from "../../src/simulator/build-request.ts";
import { readResponse } from "../../src/simulator/read-response.ts";
import { SIMULATOR_ERROR_CODES } from "../../src/simulator/wire-schema.ts";
import requestSchema from "../../src/svc-sim/schema/request.schema.json";
import responseSchema from "../../src/svc-sim/schema/response.schema.json";
import { schemaProblems, undescribedFields } from "../report/check-schema.ts";
import { sampleResponse } from "./fake-simulator.ts";

const FOLDER = join(import.meta.dir, "..", "fixtures", "protocol");
const exchanges = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...JSON.parse(readFileSync(join(FOLDER, name), "utf8")) }));
/** Without the alternative of an error, so that a problem is told once. */
const executionSchema = { ...responseSchema, anyOf: [{ $ref: "#/$defs/execution" }] };
const run = { path: "svc-sim", stderr: "" };

describe("recorded exchanges", () => {
  for (const { name, request, response } of exchanges) {
    test(`${name}: the request passes both schemas`, () => {
      expect(schemaProblems(requestSchema, request)).toEqual([]);
      expect(undescribedFields(requestSchema, request)).toEqual([]);
      expect(checkRequest(request)).toEqual(request);
    });

    test(`${name}: the response passes both schemas`, () => {
      const document = { host_nanoseconds: 0, ...response };
      expect(schemaProblems(responseSchema, document)).toEqual([]);
      expect(undescribedFields(responseSchema, document)).toEqual([]);
      expect(readResponse(document, "", run).transactionHash).toBe(response.transaction_hash);
    });
  }
});

describe("what a response must have", () => {
  const complete = { ...exchanges[0]?.response, host_nanoseconds: 0 };
  const required = responseSchema.$defs.execution.required;

  for (const field of required) {
    test(`without ${field} it is refused`, () => {
      const { [field]: _, ...lacking } = complete;
      expect(() => readResponse(lacking, "", run)).toThrow(field);
    });
  }

  test("a field that svc does not know yet is no reason to refuse it", () => {
    const execution = readResponse({ ...complete, brand_new: 1 }, "", run);
    expect(execution.transactionHash).toBe(complete.transaction_hash);
  });

  test("an error's codes are those of the schema", () => {
    const { code } = responseSchema.$defs.failure.properties.error.properties;
    expect(code.enum).toEqual([...SIMULATOR_ERROR_CODES]);
  });

  test("the stand-ins of the other tests answer as svc-sim does", () => {
    expect(schemaProblems(executionSchema, sampleResponse())).toEqual([]);
  });
});
