// svc debug --fix: only the fix of each transaction.

import { jsonDocument } from "../../base/text/json-document.ts";
import { neutraliseCommands } from "../../base/text/neutralise.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import { envelopeLines, fixLines } from "../text/fix.ts";
import { wrap } from "../text/layout.ts";
import { CAUSE_HEADINGS } from "../text/outcome.ts";
import type { TextOptions } from "../text/render-text.ts";
import { openStyle, type Style } from "../text/style.ts";

const FIX_FORMAT = 1;

export function renderFixText({ list, single }: Findings, options: TextOptions): string {
  const style = openStyle(options.color);
  const blocks = list.map((finding, index) => {
    const title = `== ${finding.subject} (${index + 1} of ${list.length})`;
    const head = single ? [] : [...wrap(title).map(style.heading), ""];
    return [...head, ...findingLines(finding, style)].join("\n");
  });
  return neutraliseCommands(`${blocks.join("\n\n")}\n`);
}

/** One document for one transaction, a list of them for several. */
export function renderFixJson({ list, single, exitCode }: Findings): string {
  const [only] = list;
  if (single && only?.kind === "investigated") return jsonDocument(fixReport(only));
  return jsonDocument({ format: FIX_FORMAT, exitCode, transactions: list.map(fixReport) });
}

function findingLines(finding: Finding, style: Style): string[] {
  if (finding.kind === "unanswered") {
    const { code, message, remedy } = finding.error;
    const lines = [`Not investigated [${code}]`, message, `What to do: ${remedy}`];
    return lines.flatMap((text) => wrap(text));
  }
  const { explanation, fix } = finding.investigation;
  const { headline, cause } = explanation;
  if (fix === null) return wrap(`${headline} There is nothing to fix.`);
  const why =
    cause === null
      ? []
      : [style.heading(CAUSE_HEADINGS[cause.confidence]), ...wrap(cause.summary, "  "), ""];
  const envelopes = envelopeLines(fix);
  return [
    ...wrap(headline),
    "",
    ...why,
    style.heading("Fix"),
    ...fixLines(fix, style),
    ...(envelopes.length === 0 ? [] : ["", ...envelopes]),
  ];
}

function fixReport(finding: Finding) {
  const { subject, exitCode } = finding;
  if (finding.kind === "unanswered") {
    return { format: FIX_FORMAT, subject, exitCode, error: finding.error };
  }
  const { record, explanation, verdict, fix } = finding.investigation;
  return {
    format: FIX_FORMAT,
    subject,
    exitCode,
    hash: record.hash,
    networkPassphrase: record.networkPassphrase,
    success: explanation.success,
    cause: explanation.cause,
    verdict: verdict?.kind ?? null,
    fix,
  };
}
