// Findings as a run would return them, around real investigations.

import fc from "fast-check";
import { differenceOf } from "../../src/explain/difference.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { FailedExpectation, Finding, Findings } from "../../src/model/finding.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import type { WhatIf } from "../../src/model/what-if.ts";
import { opened } from "../support/opened.ts";

export function findingsOf(list: readonly Finding[], single = false): Findings {
  const exitCode = Math.max(0, ...list.map((finding) => finding.exitCode));
  return { single, list, exitCode, beganUnixMilliseconds: Date.UTC(2026, 0, 2, 3, 4, 5, 678) };
}

export function found(
  investigation: Investigation,
  exitCode = 0,
  failedExpectations: readonly FailedExpectation[] | null = null,
): Finding {
  const subject = investigation.record.hash;
  return {
    kind: "investigated",
    subject,
    exitCode,
    elapsedMilliseconds: 1234.5,
    investigation,
    failedExpectations,
  };
}

export function notFound(subject: string, message = "No source knows it."): Finding {
  const error = { code: "TRANSACTION_NOT_FOUND", message, remedy: "Check the hash." };
  return { kind: "unanswered", subject, exitCode: 4, elapsedMilliseconds: 20, error };
}

export function failedExpectationsOf(condition: string, message: string): FailedExpectation {
  return { origin: "--expect", condition, expected: "this", actual: "that", message };
}

/** As if overrides had changed `before` to `after`. */
export function overridden(before: Replayed, after: Replayed): Investigation & { whatIf: WhatIf } {
  const { execution, explanation, record } = after;
  const whatIf: WhatIf = {
    headline: "With the overrides the transaction has another outcome.",
    changed: [{ kind: "argument", what: "argument amount of transfer", before: "1", after: "2" }],
    envelopeXdr: record.envelopeXdr,
    execution,
    success: explanation.success,
    explanation,
    unknown: [],
    refusals: [],
    remarks: ["The network would refuse this transaction: it is late."],
    difference: differenceOf(opened(before), opened(after)),
  };
  return { ...before, whatIf };
}

type Replayed = Investigation & { readonly execution: Execution };

/** The same investigation with every text that may come from the chain or a node replaced. */
export function poisoned(investigation: Investigation, text: string): Investigation {
  const { record, snapshot, verdict, explanation, whatIf } = investigation;
  return {
    ...investigation,
    ...(whatIf && { whatIf: poisonedWhatIf(whatIf, text) }),
    remedy: investigation.remedy && text,
    caveats: [text],
    record: { ...record, networkPassphrase: text, origins: { meta: text } },
    snapshot,
    verdict: verdict && {
      ...verdict,
      caveats: [{ kind: "assumed", keyXdr: null, detail: text }],
      likelyCause: verdict.likelyCause && text,
      firstDifference: verdict.firstDifference && {
        ...verdict.firstDifference,
        item: text,
        chain: text,
        replay: text,
      },
    },
    explanation: {
      ...everyText(explanation, text),
      cause: explanation.cause && { kind: "host-error", summary: text, confidence: "known" },
    },
  };
}

function poisonedWhatIf(whatIf: WhatIf, text: string): WhatIf {
  const { explanation } = whatIf;
  return {
    ...whatIf,
    changed: everyText(whatIf.changed, text),
    remarks: [text],
    unknown: [text],
    difference: everyText(whatIf.difference, text),
    explanation: {
      ...everyText(explanation, text),
      cause: { kind: "host-error", summary: text, confidence: "known" },
    },
  };
}

/** Except numbers, and the few words of our own that renderers depend on. */
function everyText<Value>(value: Value, text: string): Value {
  if (typeof value === "string") return (/^-?\d+$/.test(value) ? value : text) as Value;
  if (Array.isArray(value)) return value.map((each) => everyText(each, text)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([name, each]) =>
    ["unit", "kind", "alignment"].includes(name) ? [name, each] : [name, everyText(each, text)],
  );
  return Object.fromEntries(fields) as Value;
}

const PIECES = [
  "\u001b[2J",
  "\u001b]0;owned\u0007",
  "\u202e",
  "\u200b",
  "\r\n",
  "\n",
  "\n::error::x",
  "\n  ::stop-commands::x",
  "::set-output name=a::b",
  "##[add-mask]x",
  "%0A::error::",
  "%25",
  ",file=x:y",
  "]]>",
  "<script>alert(1)</script>",
  "<!--",
  "-->",
  "&amp;&#10;",
  '"',
  "'",
  "`",
  "```\n",
  "~~~",
  "|",
  "\n| a | b |",
  "@user",
  "#12",
  "GH-12",
  "[text](https://example.invalid)",
  "](0)",
  "![](//example.invalid)",
  "https://example.invalid",
  "www.example.invalid",
  "{0}",
  "}}",
  "{",
  "\\",
  "**bold**",
  "_",
  "\ufffe",
  "\uffff",
  "\ud800",
  "a",
  " ",
  "some words",
  ": ",
];

/** Pieces that mean something to a terminal or to a format, between any others. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: "binary", maxLength: 4 })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((pieces) => pieces.join(""));
