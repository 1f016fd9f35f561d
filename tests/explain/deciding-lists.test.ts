// The contract of tests/contracts/lists, whose source is the truth, at each level of optimization:
// where nothing is stored, what was looked for in an empty map or vector has the absent entry as its
// reason.

import { describe, expect, test } from "bun:test";
import {
  addressOf,
  CHECKED,
  type Json,
  key,
  reasonIn,
  sayer,
  u32,
  vec,
} from "../support/said-why.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

/** P has pools, Q has none. */
const [P, Q, TOKEN] = [21, 24, 25].map(addressOf);

const says = (level: string, tokens: readonly Json[] | null) =>
  sayer(simulator, `lists-${level}.wasm`, {
    persistent: [[key("Pools", P), { map: [{ key: u32(1), val: u32(5) }] }]],
    absent: [key("Pools", Q)],
    instance: tokens === null ? null : [{ key: key("Tokens"), val: vec(...tokens) }],
  });

const pools = (of: Json) => `Pools(${of.address})`;
const NO_POOLS = `there is no entry ${pools(Q)} in its persistent storage (\`owner\`, argument 1)`;
const NO_TOKENS = "there is no entry Tokens in its instance storage";
const soughtIn = (what: string, empty: string) => `it looked for the ${what} in an empty ${empty}`;
const token = `${TOKEN.address} (\`token\`, argument 1)`;

for (const level of CHECKED)
  describe(`lists-${level}.wasm`, () => {
    for (const name of ["pool", "pool_or_panic", "has_pool"]) {
      test(`${name}: nothing is stored`, async () => {
        const said = reasonIn(await says(level, null)(name, [Q, u32(7)]));
        const sought = soughtIn("key 7 (`id`, argument 2)", "map");
        expect(said).toBe(`${sought}, as ${NO_POOLS}`);
      });

      test(`${name}: the map that is stored has no such key`, async () => {
        const said = reasonIn(await says(level, null)(name, [P, u32(7)]));
        expect(said).toBe(`${pools(P)} (persistent storage) has no key 7 (\`id\`, argument 2)`);
      });
    }

    for (const name of ["token", "has_token"]) {
      test(`${name}: nothing is stored`, async () => {
        const said = reasonIn(await says(level, null)(name, [TOKEN]));
        expect(said).toBe(`${soughtIn(`element ${token}`, "vector")}, as ${NO_TOKENS}`);
      });

      test(`${name}: the vector that is stored has no such element`, async () => {
        const said = reasonIn(await says(level, [P, Q])(name, [TOKEN]));
        expect(said).toBe(`Tokens (instance storage) has no element ${token}`);
      });
    }

    test("a new map that nothing stored could have filled", async () => {
      const said = reasonIn(await says(level, null)("never", [u32(7)]));
      expect(said).toBe(soughtIn("key 7 (`id`, argument 1)", "map"));
    });
  });
