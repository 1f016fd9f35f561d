// svc explain: an error code of svc, a code of the network, or what a node answered → what it means
// and what to do. Nothing is fetched and nothing runs.

import type { ErrorRow } from "../../base/errors/base-errors.ts";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { type SvcError, usageError } from "../../base/errors/errors.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { CATALOGUE, rowOf } from "../../error-catalogue.ts";
import { configOf, NETWORK_SETTINGS } from "../../sources/network-settings.ts";
import { COMMON, withoutFlags } from "../arguments/common-settings.ts";
import { COMMAND_LINE, readTextInput, STDIN } from "../arguments/read-input.ts";
import { defineCommand } from "../command.ts";
import { type Shell, textOptions, withTimeLimit } from "../shell.ts";

const EXPLAIN = {
  what: {
    word: "one",
    help:
      "An error code of svc; a result code such as txBadSeq or `Error(Auth, InvalidAction)`; a " +
      "TransactionResult or diagnostic events in base64; the JSON answer of sendTransaction, " +
      "getTransaction or a failed simulateTransaction; a file with one of them, or - for " +
      "standard input, which is read also where it is no terminal and nothing is given.",
  },
  ...withoutFlags(NETWORK_SETTINGS),
  timeout: NETWORK_SETTINGS.timeout,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(EXPLAIN, async (shell, args) => {
  const { what } = args;
  if (what === null && shell.facts.stdinIsTerminal()) throw missing();
  const { name, text } = await readTextInput(withTimeLimit(shell, configOf(args)), what ?? STDIN);
  if (what === null && text.trim() === "") throw missing();
  const code = text.trim().toUpperCase();
  const row = rowOf(code);
  await shell.output.write(
    row === null ? await explained(shell, text, name) : catalogueRow(shell, code, row),
  );
  return 0;
});

function missing(): SvcError {
  return usageError(
    "<what> is missing.",
    "Run `svc explain <what>`, or pipe what is to be explained into svc.",
  );
}

function catalogueRow(shell: Shell, code: string, entry: ErrorRow): string {
  if (shell.json) return jsonDocument({ format: 1, code, ...entry });
  const overHttp = entry.httpAdvice === undefined ? "" : `Over HTTP:     ${entry.httpAdvice}\n`;
  return (
    `${code} (exit code ${entry.exitCode}, HTTP status ${entry.httpStatus})\n\n` +
    `What it means: ${entry.summary}\nWhat to do:    ${entry.advice}\n${overHttp}`
  );
}

async function explained(shell: Shell, text: string, name: string): Promise<string> {
  const { explainText } = await import("../../tools/explain-text.ts");
  const { ANSWERS_RENDERERS, CODE_RENDERERS } = await import("../../report/renderers.ts");
  const found = explainText(text, name);
  if (found.kind === "unknown") throw unknown(text.trim(), name, found.names);
  const format = shell.json ? "json" : "text";
  return found.kind === "code"
    ? CODE_RENDERERS[format](found.code, textOptions(shell))
    : ANSWERS_RENDERERS[format](found.answers, textOptions(shell));
}

const SHOWN = 80;

/** A word is quoted; what a file holds is not. */
function unknown(text: string, name: string, names: readonly string[]): SvcError {
  const isWord = name === COMMAND_LINE;
  const near = isWord ? nearestWord(text, [...Object.keys(CATALOGUE), ...names]) : null;
  const shown = text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
  return usageError(
    isWord
      ? `"${shown}" is not a code, XDR or answer that svc can explain.`
      : `${name} has no code, XDR or answer that svc can explain.`,
    near === null
      ? "Pass a code, the host's error with its log, a TransactionResult or diagnostic events in " +
          "base64, or a node's JSON answer."
      : `Did you mean ${near}?`,
  );
}
