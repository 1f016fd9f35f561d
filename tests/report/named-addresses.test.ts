// Addresses in reports: short and unique, with labels, and in full on request.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { explain } from "../../src/explain/explain.ts";
import { nameAddresses } from "../../src/explain/naming/addresses.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { ownLabels, readableLabels } from "../../src/model/labels.ts";
import { withNamedAddresses } from "../../src/report/document/named-addresses.ts";
import { findingRemarks } from "../../src/report/formats/remarks.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { opened } from "../support/opened.ts";
import { walkOf } from "../verdict/protocol-walk.ts";
import { investigate } from "./investigations.ts";

const NETWORK = "Standalone Network ; February 2017";
const SOURCE = "GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4";
const ASSET = "CDQWYNOHQDEEIGUNEZI5F4NH46REH26EBNBKEYHANSHF4LDOWIBGLLO3";

function labelled(
  name: string,
  own: readonly (readonly [string, string])[],
  saved: readonly (readonly [string, string])[] = [],
): Investigation {
  const real = investigate(name);
  const walk = walkOf(name);
  const options = { labels: new Map([...ownLabels(own), ...readableLabels(saved)]) };
  return { ...real, explanation: explain(opened(walk), walk.execution, real.verdict, options) };
}

const plain = (investigation: Investigation, fullAddresses = false) =>
  renderText(investigation, { color: false, verbose: true, fullAddresses });

describe("labels", () => {
  test("are shown with the short form everywhere, and with the full address on request", () => {
    const transfer = labelled("sac-transfer", [[SOURCE, "treasury"]]);
    const text = plain(transfer);
    expect(text).toContain("transfer(from: treasury (GBH7…L4D4), to: GAKP…L4AT, amount: 1234 ");
    expect(text).toContain("in LAB asset (CDQW…LLO3)");
    expect(text).toContain(`  GBH7…L4D4 ${SOURCE}\n    treasury\n`);
    expect(text.split("\nAddresses\n")[0]).not.toContain(SOURCE);
    const full = plain(transfer, true).replaceAll(/\s+/g, " ");
    expect(full).toContain(`from: treasury (${SOURCE}), to:`);
    expect(full).not.toContain("…L4D4");
  });

  test("are in the remarks for pipelines", () => {
    const contract = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
    const investigation = labelled("contract-error", [[contract, "lab"]]);
    const meta = { subject: "x", exitCode: 0, elapsedMilliseconds: 0, failedExpectations: null };
    const remarks = findingRemarks({ kind: "investigated", investigation, ...meta });
    expect(remarks.map(({ message }) => message).join()).toContain(`lab (${contract})`);
  });

  test("a name that stellar-cli has saved is beside the asset's, not in its place", () => {
    const text = plain(
      labelled(
        "sac-transfer",
        [],
        [
          [ASSET, "lab"],
          [SOURCE, "alice"],
        ],
      ),
    );
    expect(text).toContain("in LAB asset @lab (CDQW…LLO3)");
    expect(text).toContain("from: @alice (GBH7…L4D4)");
  });

  test("the user's label overrides the asset's; a hostile label comes out neutral", () => {
    const { addresses } = labelled("sac-transfer", [[ASSET, "mine"]]).explanation;
    expect(addresses.find(({ address }) => address === ASSET)?.label).toBe("mine");
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (name) => {
        const text = plain(labelled("sac-transfer", [[SOURCE, name]]));
        expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      }),
      { numRuns: 40 },
    );
  });
});

describe("short forms", () => {
  const letters = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
  const poison = fc.tuple(
    fc.array(letters, { minLength: 3, maxLength: 30 }),
    fc.array(letters, { minLength: 55, maxLength: 55 }),
  );

  test("are unique, however similar the addresses are", () => {
    fc.assert(
      fc.property(fc.array(poison, { minLength: 2, maxLength: 6 }), (parts) => {
        const [[, base = []] = []] = parts;
        // The same beginning and end, with a different part between them.
        const all = parts.map(([own]) => {
          const middle = base.slice(12, 43).map((letter, i) => own[i] ?? letter);
          return `G${[...base.slice(0, 12), ...middle, ...base.slice(43)].join("")}`;
        });
        const named = nameAddresses(all, new Map(), () => null, NETWORK);
        const shorts = named.map(({ short }) => short);
        expect(new Set(shorts).size).toBe(named.length);
        for (const { address, short } of named) {
          const [begin = "", end = ""] = short.split("…");
          expect(address.startsWith(begin) && address.endsWith(end)).toBe(true);
        }
      }),
    );
  });

  test("only addresses are changed", () => {
    const real = investigate("contract-error");
    const { record, snapshot, execution, verdict } = withNamedAddresses(real, false);
    expect({ record, snapshot, execution }).toEqual({
      record: real.record,
      snapshot: real.snapshot,
      execution: real.execution,
    });
    expect(verdict?.kind).toBe(real.verdict.kind);
  });
});
