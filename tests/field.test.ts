// Every kind of text that people paste is answered with its facts.

import { expect } from "bun:test";
import { fieldResults, HAS_FIELD } from "./field.ts";
import { needs } from "./support/needs.ts";

needs("../shared/field", HAS_FIELD).test(
  "every kind of pasted text is answered with its facts",
  () => {
    const results = fieldResults();
    expect(results.length).toBeGreaterThan(50);
    for (const { name, missing, wrong } of results)
      expect({ name, missing, wrong }).toEqual({ name, missing: [], wrong: [] });
  },
);
