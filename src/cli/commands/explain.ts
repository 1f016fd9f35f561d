// svc explain: explains a message, a code or a node's answer, and what to do. Nothing runs, and
// nothing is fetched except the contract of --id.

import * as v from "valibot";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { type SvcError, usageError } from "../../base/errors/errors.ts";
import { phrase, svc } from "../../base/phrase.ts";
import { withRules } from "../../base/settings/check-rules.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { addressHint, isContractAddress } from "../../base/text/strkey.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NO_SIMULATOR, NODES_OF_ENTRIES } from "../../command/common-settings.ts";
import { COMMAND_LINE, readTextInput, readWasmFile, STDIN } from "../../command/read-input.ts";
import { type Shell, textOptions, withTimeLimit, workOptions } from "../../command/shell.ts";
import { stellarLine } from "../../command/stellar-line.ts";
import { LISTED_TOPICS, type ListedTopic } from "../../model/node-answer.ts";
import { NEWEST_PROTOCOL } from "../../model/protocols.ts";
import { configOf } from "../../sources/network-settings.ts";

const { network, networkPassphrase, rpcUrl } = NODES_OF_ENTRIES;

const EXPLAIN = {
  what: {
    word: "many",
    help:
      "Text on your screen: an error with its log, a code such as txBadSeq, a word of a report, a " +
      "node's answer in JSON, XDR in base64; or a file with one of these. Reads standard input if it " +
      "is a pipe, or with -.",
  },
  list: {
    hint: "TOPIC",
    schema: v.picklist(LISTED_TOPICS),
    notWith: [{ setting: "what", words: "<what>" }, "id", "wasm"],
    help: "List what svc can explain.",
  },
  id: {
    hint: "C…",
    schema: v.pipe(
      v.string(),
      v.check(
        isContractAddress,
        ({ input }) => `is not a contract, such as C…${addressHint(input)}`,
      ),
    ),
    notWith: ["wasm"],
    help: "Explain error numbers with the names of this contract on the network.",
  },
  wasm: {
    hint: "FILE",
    help: "Explain error numbers with the names of the contract in this wasm file.",
  },
  ...NODES_OF_ENTRIES,
  ...withRules({ onlyWith: ["id"] }, { network, networkPassphrase, rpcUrl }),
  ...NO_SIMULATOR,
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(EXPLAIN, explainCommand, {
  examples: [
    ["txBadSeq", "Explain a result code."],
    ['"Error(Contract, #10)" --id C…', "Explain a contract's error by its own name."],
    ["< error.txt", "Explain all that a tool printed."],
    ["--list causes", "List the kinds of causes."],
  ],
});

async function explainCommand(unlimited: Shell, args: Arguments<typeof EXPLAIN>): Promise<number> {
  const { what, list, id, wasm } = args;
  const shell = withTimeLimit(unlimited, configOf(args));
  if (list !== null) {
    await shell.output.write(await listed(shell, list));
    return 0;
  }
  if (what.length === 0 && shell.facts.stdinIsTerminal()) throw missing();
  const { name, text, bytes } = await readTextInput(shell, what.join(" ") || STDIN);
  if (what.length === 0 && text.trim() === "") throw missing();
  const code =
    wasm === null ? null : { file: wasm, bytes: await readWasmFile(shell, wasm, "wasm") };
  const { openWork } = await import("../../tools/open-work.ts");
  const { explain } = openWork(configOf(args), workOptions(shell)).tools;
  const explanation = await explain({ text, bytes, name, contract: id, code }, shell);
  if (explanation.kind === "unknown") throw unknown(text.trim(), name, explanation.names);
  const { ANSWERS_RENDERERS, CODE_RENDERERS } = await import("../../report/renderers.ts");
  const format = shell.json ? "json" : "text";
  await shell.output.write(
    explanation.kind === "codes"
      ? CODE_RENDERERS[format](explanation.codes, textOptions(shell))
      : ANSWERS_RENDERERS[format](explanation.answers, textOptions(shell)),
  );
  return 0;
}

function missing(): SvcError {
  return usageError(
    "<what> is missing.",
    phrase`Run ${svc("explain <what>")}, pipe the text into svc, or see ${svc("explain --list causes")}.`,
  );
}

async function listed(shell: Shell, topic: ListedTopic): Promise<string> {
  const { listTopic } = await import("../../tools/explain-name.ts");
  const { CODE_LIST_RENDERERS } = await import("../../report/renderers.ts");
  return CODE_LIST_RENDERERS[shell.json ? "json" : "text"](listTopic(topic), textOptions(shell));
}

const SHOWN = 80;

/** The error of an unknown text. A word is quoted; the content of a file is not. */
function unknown(text: string, name: string, names: readonly string[]): SvcError {
  const line = stellarLine(text);
  if (line !== null) return usageError(line.message, line.remedy);
  const isWord = name === COMMAND_LINE;
  const near = isWord ? nearestWord(text, names) : null;
  const shown = text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
  return usageError(
    isWord
      ? `svc does not know "${shown}".`
      : `${name} has no code, XDR or answer that svc can explain.`,
    near === null
      ? phrase`Pass the whole error with its log, a result code, a node's JSON answer or XDR in base64. ${svc("explain --list TOPIC")} lists what svc knows (${LISTED_TOPICS.join(", ")}). For a transaction, run ${svc("debug <hash>")}. Update svc for anything that came with a later protocol than ${NEWEST_PROTOCOL} (docs/install.md).`
      : `Did you mean ${near}?`,
  );
}
