// What a code or a node's answer means, and what `svc debug --fix` says of a transaction.

import type { Finding } from "../../model/finding.ts";
import type { AnswerExplanation, CodeExplanation } from "../../model/node-answer.ts";
import { type ReportDocument, rowsOf, type Section, sentence } from "./document.ts";
import { envelopesOf, fixBlocks } from "./fix.ts";
import { findingDocument } from "./investigation.ts";
import { causeSections } from "./outcome.ts";

export function codeDocument({ code, kind, meaning, remedy }: CodeExplanation): ReportDocument {
  const body = [
    sentence(meaning, { label: "What it means" }),
    sentence(remedy, { label: "What to do" }),
  ];
  return {
    head: { headline: `${code} (${kind})`, tone: "plain", body: [] },
    sections: [{ id: "meaning", title: null, level: "answer", body }],
  };
}

export function answerDocument(answer: AnswerExplanation): ReportDocument {
  const { headline, hash, resultCodes, cause, evidence, remedy } = answer;
  const rows: [string, string][] = [
    ["hash", hash ?? ""],
    ["result", resultCodes.join(", ")],
  ];
  const known = rowsOf(rows.filter(([, value]) => value !== ""));
  return {
    head: { headline, tone: cause === null ? "good" : "bad", body: [known] },
    sections: causeSections(cause, evidence, remedy),
  };
}

/** Only the fix, with the envelopes in full. */
export function fixDocument(finding: Finding): ReportDocument {
  if (finding.kind === "unanswered") return findingDocument(finding, false);
  const { explanation, fix } = finding.investigation;
  const { headline, cause } = explanation;
  const nothing = fix === null ? " There is nothing to fix." : "";
  const head = { headline: `${headline}${nothing}`, tone: "plain", body: [] } as const;
  if (fix === null) return { head, sections: [] };
  const envelopes = envelopesOf(fix).map(
    (each): Section => ({ id: each.id, title: null, level: "answer", body: [each] }),
  );
  return {
    head,
    sections: [
      ...causeSections(cause, [], null),
      { id: "fix", title: "Fix", level: "answer", body: fixBlocks(fix) },
      ...envelopes,
    ],
  };
}
