// Writes findings as workflow commands, which GitHub turns into annotations of a run: one line each
// (https://docs.github.com/actions/reference/workflow-commands-for-github-actions). The runner
// undoes %25, %0D and %0A in a message, and %3A and %2C in a property too.

import { cutVisibly, neutralise, neutraliseLines } from "../../base/text/neutralise.ts";
import type { Findings } from "../../model/finding.ts";
import { countsOf, stateOf } from "../document/counts.ts";
import { findingRemarks, type Remark } from "./remarks.ts";

const COMMANDS: Readonly<Record<Remark["level"], string>> = {
  error: "error",
  warning: "warning",
  note: "notice",
};
/** A title is one line above the message. */
const TITLE_CHARACTERS = 120;
/** GitHub cuts annotations at 4 KB. */
const MESSAGE_CHARACTERS = 3500;

export function renderGithub(findings: Findings): string {
  const lines = findings.list.flatMap((finding) => {
    const subject = `${finding.subject}: ${stateOf(finding)}`;
    return findingRemarks(finding).map(({ level, title, message }) =>
      command(COMMANDS[level], title, `${message}\n${subject}`),
    );
  });
  return `${[...lines, `svc: ${countsOf(findings)}`].join("\n")}\n`;
}

function command(name: string, title: string, message: string): string {
  const lines = cutVisibly(neutraliseLines(message), MESSAGE_CHARACTERS);
  const shown = property(cutVisibly(neutralise(`svc: ${title}`), TITLE_CHARACTERS));
  return `::${name} title=${shown}::${data(lines)}`;
}

function data(text: string): string {
  return text
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A")
    .replaceAll("##[", "# #[");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
