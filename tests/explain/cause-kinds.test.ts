// The list of kinds of cause is that of the explanations: none is missing, and none is left over.

import { expect, test } from "bun:test";
import { CAUSE_KINDS } from "../../src/explain/words.ts";

const SOURCES = ["explain/**/*.ts", "follow/explain-failure.ts"];
/** Kinds of other things (events of following and steps of calls among them), and of answers of nodes, which no transaction on the chain has. */
const OTHERS = new Set([
  "answer-contradicts-itself",
  "call",
  "error",
  "event",
  "failure",
  "host",
  "known",
  "method",
  "host-call",
  "multi-pairing",
  "plain",
  "internal-error",
  "invoke",
  "log",
  "report",
  "request-refused",
  "rpc-unchanged",
  "simulation-refused",
  "success",
]);
const KIND = /(?:kind(?: =|:) "([a-z]+(?:-[a-z]+)*)"|\?\? "(refused|[a-z]+(?:-[a-z]+)+)")/g;
/** The kind of a message of the host: the first word after the pattern. */
const ROW = /\brow\((?:[^"]|"(?![a-z]+(?:-[a-z]+)+"))*"([a-z]+(?:-[a-z]+)+)"/g;
const LIMIT = /\blimit\(\s*\/.*?\/,\s*"([a-z-]+)"/gs;

test("every kind that explanations give is in the list, and no other", async () => {
  const found = new Set<string>();
  const root = `${import.meta.dir}/../../src/`;
  for (const pattern of SOURCES) {
    for (const path of new Bun.Glob(pattern).scanSync(root)) {
      if (path === "explain/next-steps.ts") continue;
      const text = await Bun.file(root + path).text();
      for (const [, stated, otherwise = ""] of text.matchAll(KIND)) found.add(stated ?? otherwise);
      for (const [, kind = ""] of text.matchAll(ROW)) found.add(kind);
      for (const [, kind = ""] of text.matchAll(LIMIT)) found.add(`${kind}-exceeded`);
    }
  }
  expect([...found].filter((kind) => !OTHERS.has(kind)).sort()).toEqual([...CAUSE_KINDS]);
});
