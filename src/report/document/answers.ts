// What a code or a node's answer means, and what `svc debug --fix` says of a transaction.

import { phraseFor, SHELL } from "../../base/phrase.ts";
import type { Finding } from "../../model/finding.ts";
import type { AnswerExplanation, CodeExplanation } from "../../model/node-answer.ts";
import { itemsOf, type ReportDocument, rowsOf, section, sentence } from "./document.ts";
import { envelopesOf, fixBadge, fixContent, sendingCommand } from "./fix.ts";
import { findingDocument, nextSection } from "./investigation.ts";
import { causeSections } from "./outcome.ts";

export function codeDocument({ code, kind, meaning, remedy, httpRemedy }: CodeExplanation) {
  const meant = sentence(meaning, { label: "What it means" });
  const toDo = remedy !== "" && sentence(phraseFor(remedy, SHELL), { label: "What to do" });
  const overHttp = httpRemedy === undefined ? [] : [sentence(httpRemedy, { label: "Over HTTP" })];
  return {
    head: { headline: `${code} (${kind})`, tone: "heading", body: [] },
    sections: [section("meaning", null, [meant, toDo, ...overHttp])],
  } as const satisfies ReportDocument;
}

/** A name a line. */
export function codeListDocument(codes: readonly CodeExplanation[]): ReportDocument {
  const lines = codes.map(({ code, meaning }) => sentence(`${code}: ${meaning}`, { hangs: true }));
  return { head: null, sections: [section("names", null, lines)] };
}

export function answerDocument(answer: AnswerExplanation): ReportDocument {
  const { headline, hash, resultCodes, cause, evidence, remedy } = answer;
  const known = rowsOf([
    ["hash", hash],
    ["result", resultCodes.join(", ") || null],
  ]);
  return {
    head: { headline, tone: cause === null ? "good" : "bad", body: [known] },
    sections:
      cause === null && evidence.length > 0
        ? [shown(evidence), ...causeSections(null, [], remedy)]
        : causeSections(cause, evidence, remedy),
  };
}

/** The content of an envelope or of events, where nothing is wrong with it. */
function shown(evidence: readonly string[]) {
  return section("content", "What it shows", [itemsOf("list", evidence)]);
}

/** Only the fix, with the envelopes in full. */
export function fixDocument(finding: Finding): ReportDocument {
  if (finding.kind === "unanswered") return findingDocument(finding, false);
  const { investigation } = finding;
  const { explanation, fix } = investigation;
  const { headline, cause, decidedBy } = explanation;
  const nothing = fix === null ? " There is nothing to fix." : "";
  const head = { headline: `${headline}${nothing}`, tone: "plain", body: [] } as const;
  if (fix === null) return { head, sections: [] };
  const isMissing = fix.envelopeXdr === null;
  return {
    head,
    sections: [
      ...causeSections(
        cause,
        decidedBy === null ? [] : [decidedBy.summary],
        isMissing ? investigation.remedy : null,
      ),
      section("fix", "Fix", fixContent(fix), { badge: fixBadge(fix) }),
      ...(isMissing ? [nextSection(investigation)] : []),
      ...envelopesOf(fix).map((each) => section(each.id, null, each)),
      section("sending", null, sendingCommand(finding)),
    ],
  };
}
