// What a report says is in its document: every drawer draws every kind of node, and says nothing
// else in other words.

import { describe, expect, test } from "bun:test";
import {
  type Block,
  type Item,
  itemsOf,
  only,
  type ReportDocument,
  rowsOf,
  section,
  sentence,
} from "../../src/report/document/document.ts";
import { investigationDocument } from "../../src/report/document/investigation.ts";
import { drawMarkdown } from "../../src/report/formats/markdown.ts";
import { renderDocumentPage } from "../../src/report/html/document-page.ts";
import { drawText } from "../../src/report/text/draw.ts";
import { shownOf, tabsOf } from "../../src/report/tui/tabs.ts";
import { protocolWalks } from "../verdict/protocol-walk.ts";
import { overridden } from "./findings-of.ts";
import { pageOf } from "./html/pages.ts";
import { investigate, investigateClassic } from "./investigations.ts";

const CALL: Item = {
  role: "call",
  text: { name: "swap", values: [{ name: "amount", value: "7" }], result: null },
  where: { lead: "in", name: "CONTRACT" },
  cost: "5 instructions",
  cells: ["5", "50.0 %", "3"],
  shares: { self: 0.5, total: 0.5 },
};
const CHANGE: Item = {
  text: "a key",
  badge: "updated",
  alignment: "new",
  before: "another key",
  notes: [{ text: "a note" }],
  rows: [
    { label: "total", values: ["1", "2"] },
    { label: "after", values: ["whole"] },
  ],
  below: [CALL],
};

/** One of each kind: a new one has to be here. */
const BLOCKS: { readonly [Kind in Block["kind"]]: Block & { readonly kind: Kind } } = {
  sentence: sentence("A sentence.", { label: "Label", tone: "bad" }),
  rows: rowsOf([["name", "value"]]),
  table: {
    kind: "table",
    title: "Table",
    headings: ["", "used"],
    rows: [["bytes", { text: "50 %", share: 0.5 }]],
  },
  items: itemsOf("tree", [CHANGE]),
  columns: { kind: "columns", columns: [{ title: "One", body: [sentence("In a column.")] }] },
  stack: {
    kind: "stack",
    title: "Stack",
    parts: [{ name: "part", amount: 12_345n }],
    unit: "stroops",
    detail: "page",
  },
  copyable: { kind: "copyable", id: "copy", title: "To copy:", text: "AAAA" },
};
const LIST = itemsOf("list", [{ text: "several (2)", subjects: ["first", "second"] }]);
const EVERYTHING: ReportDocument = {
  head: {
    headline: "The headline.",
    tone: "good",
    verdict: { kind: "exact", sentence: "It matches.", tone: "good" },
    body: [sentence("Of the head.")],
  },
  sections: [section("inputs", "A title", [...Object.values(BLOCKS), LIST])],
};

describe("every kind of node", () => {
  test("is drawn as text", () => {
    expect(drawText(EVERYTHING, { color: false })).toBe(`The headline.
Of the head.
Verdict: exact. It matches.

A title
  Label: A sentence.
  name  value
         used
  bytes  50 %
  + only with the overrides, - only without them, ~ different
  + updated a key
      was another key
      a note
      total: 1 -> 2
      after   whole
    swap(amount: 7) FAILED
      in CONTRACT
      5 instructions
  In a column.
  To copy:
    AAAA
  - several (2): first; second.
`);
  });

  test("is drawn in the terminal view, and in full in its details", () => {
    const nodes = tabsOf(only(EVERYTHING, new Set())).flatMap(({ outline }) => outline.nodes);
    expect(nodes.map(({ depth, label, cells = [] }) => [depth, label, ...cells])).toEqual([
      [0, "The headline."],
      [0, "Of the head."],
      [0, "Verdict: exact. It matches."],
      [0, "A title"],
      [1, "Label: A sentence."],
      [1, "name: value"],
      [1, "bytes", "50 %"],
      [1, "updated   a key: whole"],
      [2, "CONTRACT swap(amount: 7)", "5", "50.0 %", "3"],
      [1, "In a column."],
      [1, "several (2)"],
      [2, "first"],
      [2, "second"],
    ]);
    const details = nodes.flatMap((node) => node.details());
    expect(details).toContainEqual({ name: "total", text: "1 -> 2" });
    expect(details).toContainEqual({ name: "amount", text: "7" });
    expect(details).toContainEqual({ name: "a note", text: "" });
  });

  test("is drawn in a page", () => {
    const page = renderDocumentPage("svc verify", EVERYTHING).split("<main>")[1] ?? "";
    for (const markup of [
      "<h1>The headline.</h1>",
      "<h2>A title</h2>",
      '<p class="bad"><strong>Label:</strong> A sentence.</p>',
      "<dt>name</dt><dd>value</dd>",
      "50 %</span>",
      '<span class="badge good">only with the overrides</span> <span class="badge updated">updated',
      "was another key",
      "a note",
      '<code class="value">2</code>',
      '<b>swap</b>(<i>amount:</i> 7) <b class="badge bad">failed</b>',
      "<span>CONTRACT</span>",
      "In a column.",
      "Stack: <strong>12,345</strong> stroops",
      'aria-label="To copy:">AAAA</pre>',
      "<li>several (2)<ul><li>first</li>",
    ])
      expect(page).toContain(markup);
  });

  test("is drawn in Markdown", () => {
    const text = drawMarkdown("svc", {
      ...EVERYTHING,
      sections: EVERYTHING.sections.map((each) => ({ ...each, level: "details" })),
    });
    expect(text).toBe(`## svc

The headline.

Of the head.

### A title

Label: A sentence.

|  |  |
| --- | --- |
| name | value |

|  | used |
| --- | --- |
| bytes | 50 % |

- a key
  a note

In a column.

- To copy:

\`\`\`text
AAAA
\`\`\`

- several (2)
`);
  });
});

test("a node with a detail is drawn only where it was asked for", () => {
  const detailed = section("x", "X", sentence("Hidden.", { detail: "verbose" }));
  const document = { head: null, sections: [detailed, section("y", "Y", "Shown.")] };
  expect(drawText(document, { color: false })).toBe("Y\n  Shown.\n");
  const all = drawText(document, { color: false, verbose: true, messages: true });
  expect(all).toBe("X\n  Hidden.\n\nY\n  Shown.\n");
});

test("a section that nobody asked for is not made", () => {
  const made: string[] = [];
  const content = () => {
    made.push("costs");
    return "Costly.";
  };
  const document = { head: null, sections: [section("x", "X", content, { detail: "verbose" })] };
  expect(drawText(document, { color: false })).toBe("\n");
  expect(made).toEqual([]);
  expect(drawText(document, { color: false, verbose: true, messages: true })).toBe(
    "X\n  Costly.\n",
  );
});

describe("what the document of a real transaction says", () => {
  const real = [
    ...protocolWalks().map(({ name }) => investigate(name)),
    investigateClassic("payment-underfunded"),
    overridden(investigate("contract-error"), investigate("sac-transfer")),
  ];
  const bare = (text: string) => text.replaceAll(/\s/g, "");

  test("is said in the same words as text, in the page and in the terminal view", () => {
    for (const investigation of real) {
      const short = only(investigationDocument(investigation, false), new Set());
      const text = bare(drawText(short, { color: false }));
      const markup = pageOf(investigation).replaceAll(/<script[\s\S]*?<\/script>|<[^>]*>/g, "");
      const page = bare(markup.replaceAll("&quot;", '"').replaceAll("&#39;", "'"));
      for (const said of sentencesOf(short)) {
        expect(text).toContain(bare(said));
        expect(page).toContain(
          bare(said)
            .replaceAll("`", "")
            .replaceAll(/[&<>]/g, (sign) => {
              return { "&": "&amp;", "<": "&lt;", ">": "&gt;" }[sign] ?? "";
            }),
        );
      }
      const shown = shownOf(investigation).tabs.flatMap(({ outline }) => outline.nodes);
      const details = shown.flatMap((node) => [{ name: node.label, text: "" }, ...node.details()]);
      const terminal = bare(details.map(({ name, text: value }) => name + value).join("\n"));
      const cause = only(investigationDocument(investigation, true), new Set()).sections.filter(
        ({ id }) => id === "cause" || id === "remedy" || id === "fix",
      );
      for (const said of sentencesOf({ head: null, sections: cause }))
        expect(terminal).toContain(bare(said));
    }
  });
});

function sentencesOf({ head, sections }: ReportDocument): string[] {
  const blocks = [...(head?.body ?? []), ...sections.flatMap(({ body }) => body)];
  return blocks.flatMap((block) => {
    if (block.kind === "sentence") return [block.text];
    if (block.kind !== "items" || block.layout !== "list") return [];
    return block.items.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  });
}

test("where only the hash of a success differs, what was returned is beside it", () => {
  // XDR of ScVal false, and of the result with a hash of zeros.
  const returnValueXdr = "AAAAAAAAAAA=";
  const operationResultXdr = `AAAAAAAAABgAAAAA${Buffer.alloc(32).toString("base64")}`;
  const { explanation, verdict } = investigate("sac-transfer", (walk) => ({
    ...walk,
    execution: { ...walk.execution, returnValueXdr, operationResultXdr, successHash: "00" },
  }));
  expect(verdict.firstDifference?.subject).toBe("operation-result");
  expect(explanation.difference).toEqual({
    chain: "invokeHostFunctionSuccess, returned void",
    replay: "invokeHostFunctionSuccess, returned false",
  });
});
