import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  NEWEST_PROTOCOL,
  newestUsable,
  OLDEST_PROTOCOL,
  ofLedger,
} from "../../src/model/protocols.ts";
import { readLedgerHeader } from "../../src/xdr/ledger/header.ts";
import {
  endOfLedgerCloseMeta,
  ledgerFactsOf,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { thrownBy } from "../support/failure.ts";
import {
  LATER_PARTS,
  LATER_PROTOCOL,
  type LaterPart,
  laterHeader,
  laterLedger,
} from "../support/later-protocol.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();
const SEQUENCE = 414;
const LEDGER = network.ledgerBytes(SEQUENCE) as Uint8Array;
const HEADER = readLedgerCloseMeta(LEDGER, network.passphrase).facts.header;
const READERS = {
  readLedgerCloseMeta: (bytes: Uint8Array) => readLedgerCloseMeta(bytes, network.passphrase),
  ledgerFactsOf,
  endOfLedgerCloseMeta,
};

test("the protocols that svc knows are those of the hosts in svc-sim", () => {
  const table = readFileSync(join(import.meta.dir, "../../src/svc-sim/src/protocols.rs"), "utf8");
  const hosts = [...table.matchAll(/^\s+p\d+ \[([\d, ]+)\]/gm)].flatMap(([, list = ""]) =>
    list.split(", ").map(Number),
  );
  expect(hosts).toEqual(
    Array.from({ length: NEWEST_PROTOCOL - OLDEST_PROTOCOL + 1 }, (_, i) => OLDEST_PROTOCOL + i),
  );
});

test("what is claimed is what is both read and run", () => {
  const hosts = (last: number) =>
    Array.from({ length: last - OLDEST_PROTOCOL + 1 }, (_, i) => ({
      protocol: OLDEST_PROTOCOL + i,
    }));
  for (const last of [NEWEST_PROTOCOL - 2, NEWEST_PROTOCOL, LATER_PROTOCOL])
    expect(newestUsable(hosts(last))).toBe(Math.min(last, NEWEST_PROTOCOL));
  const changes = readFileSync(join(import.meta.dir, "../../CHANGELOG.md"), "utf8");
  expect(changes).toContain(`(${OLDEST_PROTOCOL} to ${NEWEST_PROTOCOL})`);
});

describe("a ledger of a later protocol", () => {
  for (const part of LATER_PARTS)
    for (const [name, read] of Object.entries(READERS))
      test(`with ${part} is refused by ${name}, for its protocol`, () => {
        const error = thrownBy(() => ofLedger(SEQUENCE, () => read(laterLedger(LEDGER, { part }))));
        expect(error.code).toBe("PROTOCOL_UNKNOWN");
        expect(error.message).toBe(
          `Ledger ${SEQUENCE} is of protocol ${LATER_PROTOCOL}; ` +
            `this svc knows protocols up to ${NEWEST_PROTOCOL}.`,
        );
        expect(error.remedy).toStartWith("Update svc:");
        expect(error.details).toMatchObject({ ledger: SEQUENCE, protocolVersion: LATER_PROTOCOL });
      });

  test("is refused by its header alone, with or without its hash", () => {
    for (const part of [
      "nothing else",
      "header extension",
      "closing value",
    ] satisfies LaterPart[]) {
      const header = Buffer.from(laterHeader(HEADER, { part }));
      const hash = sha256(header);
      const entry = Buffer.concat([hash, header, Buffer.alloc(4)]);
      const texts = [header.toString("base64"), entry.toString("base64")];
      for (const text of texts)
        for (const known of [undefined, hash.toHex()])
          expect(thrownBy(() => readLedgerHeader(text, known)).code).toBe("PROTOCOL_UNKNOWN");
    }
  });
});

describe("bytes that only look like one", () => {
  test("are not valid where the hash beside the header is another", () => {
    for (const part of LATER_PARTS) {
      const bytes = Buffer.from(laterLedger(LEDGER, { part }));
      const hashAt = bytes.indexOf(sha256(laterHeader(HEADER, { part })));
      if (hashAt < 0) continue;
      bytes[hashAt] = (bytes[hashAt] as number) ^ 1;
      for (const read of Object.values(READERS)) {
        const code = codeOf(() => read(bytes));
        expect(["XDR_INVALID", null]).toContain(code);
      }
    }
  });

  test("an arm that no protocol of svc has is not valid in a ledger of a known one", () => {
    const known = (part: LaterPart) =>
      laterLedger(LEDGER, { part, protocolVersion: NEWEST_PROTOCOL });
    for (const part of LATER_PARTS) {
      if (part === "nothing else" || part === "cost type") continue;
      expect(codeOf(() => READERS.readLedgerCloseMeta(known(part)))).toBe("XDR_INVALID");
    }
  });

  test("other bytes never name a protocol", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
        for (const read of Object.values(READERS))
          expect(codeOf(() => read(bytes))).toBe("XDR_INVALID");
      }),
      { numRuns: 300, seed: 31 },
    );
  });
});

function codeOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
}
