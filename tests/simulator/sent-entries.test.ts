// A line with named entries means the same as its request.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SentEntries } from "../../src/simulator/sent-entries.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";

/** The receiving side of `define`, `forget` and references. */
class Reader {
  private readonly definitions = new Map<string, string>();

  get heldCharacters(): number {
    return [...this.definitions.values()].reduce((sum, text) => sum + text.length, 0);
  }

  get held(): number {
    return this.definitions.size;
  }

  read(line: string): ReplayRequest {
    const { id: _, define, forget, ...request } = JSON.parse(line);
    for (const name of forget) expect(this.definitions.delete(name)).toBe(true);
    for (const [name, text] of Object.entries<string>(define)) {
      expect(this.definitions.has(name)).toBe(false);
      this.definitions.set(name, text);
    }
    const resolve = (text: string) =>
      text.startsWith("#") ? (this.definitions.get(text.slice(1)) ?? "nothing") : text;
    for (const [key, entry] of Object.entries<string | { entry_xdr: string } | null>(
      request.ledger_entries,
    )) {
      if (typeof entry === "string") request.ledger_entries[key] = resolve(entry);
      else if (entry !== null) entry.entry_xdr = resolve(entry.entry_xdr);
    }
    if (request.ledger?.settings) request.ledger.settings = request.ledger.settings.map(resolve);
    return request;
  }
}

/** Few entries, with sizes around the limit, so that they often repeat. */
const entry = fc
  .record({ letter: fc.constantFrom("A", "B", "C", "D"), length: fc.constantFrom(8, 400, 1_000) })
  .map(({ letter, length }) => letter.repeat(length));

const request: fc.Arbitrary<ReplayRequest> = fc.record({
  envelope_xdr: fc.constant("AAAA"),
  result_meta_xdr: fc.constant(""),
  ledger_entries: fc.dictionary(
    fc.constantFrom("k1", "k2", "k3"),
    fc.oneof(entry, fc.constant(null), fc.record({ entry_xdr: entry, archived: fc.boolean() })),
    { noNullPrototype: true },
  ),
  ledger: fc.option(fc.record({ sequence: fc.nat(), settings: fc.array(entry) }), {
    nil: undefined,
  }),
});

describe("entries by name", () => {
  test("every line means the request it was made from, whatever came before", () => {
    const limit = 2_500;
    fc.assert(
      fc.property(fc.array(request, { maxLength: 20 }), (requests) => {
        const sent = new SentEntries(limit);
        const reader = new Reader();
        for (const [id, given] of requests.entries()) {
          const plain = JSON.parse(JSON.stringify(given));
          expect(reader.read(sent.line(id, given))).toEqual(plain);
          const ofOneRequest = 4 * 1_400;
          expect(reader.heldCharacters).toBeLessThanOrEqual(limit + ofOneRequest);
        }
      }),
    );
  });

  test("short settings that change with every ledger do not pile up", () => {
    const sent = new SentEntries();
    const reader = new Reader();
    for (let sequence = 0; sequence < 10_000; sequence++) {
      const settings = ["always the same", `of ledger ${sequence}`];
      const given = { envelope_xdr: "AAAA", result_meta_xdr: "", ledger_entries: {} };
      const read = reader.read(sent.line(sequence, { ...given, ledger: { settings } }));
      expect(read.ledger?.settings).toEqual(settings);
      expect(reader.held).toBeLessThan(4_100);
    }
  });

  test("a long entry goes over once", () => {
    const sent = new SentEntries();
    const entryXdr = "A".repeat(10_000);
    const given = { envelope_xdr: "AAAA", result_meta_xdr: "", ledger_entries: { k: entryXdr } };
    expect(sent.line(1, given).length).toBeGreaterThan(entryXdr.length);
    expect(sent.line(2, given).length).toBeLessThan(200);
  });
});
