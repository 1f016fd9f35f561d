// The wire protocol on TypeScript's side: the recorded exchanges, which the Rust tests require of
// svc-sim, follow the committed schemas and pass the valibot schemas.

import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readResponse } from "../../src/simulator/read-response.ts";
import { checkRequest } from "../../src/simulator/requests.ts";
import { SIMULATOR_ERROR_CODES } from "../../src/simulator/wire-schema.ts";
import requestSchema from "../../src/svc-sim/schema/request.schema.json";
import responseSchema from "../../src/svc-sim/schema/response.schema.json";
import { schemaProblems, undescribedFields } from "../report/check-schema.ts";
import { sampleResponse } from "./fake-simulator.ts";

const FOLDER = join(import.meta.dir, "..", "fixtures", "protocol");
const exchanges = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => ({ name, ...JSON.parse(readFileSync(join(FOLDER, name), "utf8")) }));
/** Without the alternative of an error, so that a problem is reported once. */
const executionSchema = { ...responseSchema, anyOf: [{ $ref: "#/$defs/execution" }] };
const run = { path: "svc-sim", stderr: "" };

describe("recorded exchanges", () => {
  for (const { name, request, response } of exchanges) {
    test(`${name}: the request passes both schemas`, () => {
      expect(schemaProblems(requestSchema, request)).toEqual([]);
      expect(undescribedFields(requestSchema, request)).toEqual([]);
      expect(checkRequest(request)).toEqual(request);
    });

    test(`${name}: the two required fields pass the schema, and one of them alone does not`, () => {
      const { envelope_xdr, result_meta_xdr } = request;
      expect(schemaProblems(requestSchema, { envelope_xdr, result_meta_xdr })).toEqual([]);
      expect(schemaProblems(requestSchema, { envelope_xdr })).not.toEqual([]);
      expect(schemaProblems(requestSchema, { result_meta_xdr })).not.toEqual([]);
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

  test("a response with an unknown field is accepted", () => {
    const execution = readResponse({ ...complete, brand_new: 1 }, "", run);
    expect(execution.transactionHash).toBe(complete.transaction_hash);
  });

  test("an error's codes are those of the schema", () => {
    const { code } = responseSchema.$defs.failure.properties.error.properties;
    expect(code.enum).toEqual([...SIMULATOR_ERROR_CODES]);
  });

  test("the fake simulators of the other tests answer like svc-sim", () => {
    expect(schemaProblems(executionSchema, sampleResponse())).toEqual([]);
  });
});
