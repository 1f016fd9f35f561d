// Lines of stellar-cli that people paste. svc reads one of them, `stellar contract invoke`, in
// `svc call`. For each of the others it says which of its own commands answers the question.

import { phrase, svc, type Wording } from "../base/phrase.ts";
import { shellWord } from "../base/text/sentence.ts";
import { isContractAddress } from "../base/text/strkey.ts";

const PROGRAM = String.raw`(?:\S*\/)?(?:stellar|soroban)(?:\.exe)?`;
/** A prompt, and variables for the program. */
const BEFORE = String.raw`^(?:\S{0,60}[$#>%]\s+)?(?:[A-Z_]{1,60}=\S*\s+)*`;
/** Flags of all commands, which can stand before the command. */
const WITH_VALUE = String.raw`--(?:config-dir|filter-logs)(?=[=\s])`;
const GLOBAL = String.raw`(?:\s+(?:${WITH_VALUE}(?:=|\s+)\S+|(?!${WITH_VALUE})-\S+))*`;
const BEGINNING = `${BEFORE}${PROGRAM}(?<global>${GLOBAL})\\s+`;
const GROUPS =
  "contract|events|keys|network|container|snapshot|tx|xdr|strkey|ledger|message|fees?|fee-stats|" +
  "lab|doctor|plugin|cache|env|config|completion|version";
/** The whole line: after the names of the command come only flags. */
const LINE = new RegExp(
  String.raw`${BEGINNING}(?<command>(?:${GROUPS})(?:\s+[a-z][a-z-]*){0,3})(?:\s+-|\s*$)`,
);
const FIRST = new RegExp(`^${PROGRAM}$`);
const WASM = /(?:^|\s)--wasm(?:\s+|=)(?<wasm>"[^"\n]+"|'[^'\n]+'|[^\s"']+)/;

const INVOKE = new RegExp(String.raw`${BEGINNING}contract\s+invoke(?=\s|$)`);

/**
 * A line of `stellar contract invoke` that begins with these words and goes on with its flags; null
 * for another text.
 */
export function invokeLine(text: string): string | null {
  const line = joined(text);
  const beginning = INVOKE.exec(line);
  if (beginning === null) return null;
  const { global = "" } = beginning.groups ?? {};
  return `stellar contract invoke${global}${line.slice(beginning[0].length)}`;
}

/** The message and the remedy of an error. */
export interface ForeignLine {
  /** Without the program, such as `contract deploy`. */
  readonly command: string;
  readonly message: string;
  readonly remedy: Wording;
}

/** Null for a text that is not only such a line. */
export function stellarLine(text: string): ForeignLine | null {
  const line = joined(text);
  const command = line.includes("\n") ? undefined : LINE.exec(line)?.groups?.command;
  if (command === undefined) return null;
  // The function may follow the command without `--`.
  const name = command.replace(/\s+/g, " ").replace(/^(contract invoke) .*/, "$1");
  const { wasm = "FILE.wasm" } = WASM.exec(line)?.groups ?? {};
  const [, advice = OTHERS] = ADVICE.find(([names]) => names.test(name)) ?? [];
  return {
    command: name,
    message: `\`stellar ${name}\` is a command of stellar-cli, not of svc.`,
    remedy: advice(wasm.replace(/^(["'])(.*)\1$/, "$2")),
  };
}

/** The lines of a command that goes on after a backslash as one. */
function joined(text: string): string {
  return text.trim().replace(/\\\r?\n\s*/g, " ");
}

/** `words` are those of a command line: one of them is the line, or begins it. Null: none is. */
export function stellarLineOfWords(words: readonly string[]): ForeignLine | null {
  for (const [at, word] of words.entries()) {
    const isWhole = /\s/.test(word);
    if (isWhole || FIRST.test(word)) {
      const foreign = stellarLine(isWhole ? word : words.slice(at).map(shellWord).join(" "));
      if (foreign !== null) return foreign;
    }
    // The words after a contract are those of a call.
    if (isContractAddress(word) || word.endsWith(".wasm")) return null;
  }
  return null;
}

const OTHERS = (): Wording =>
  phrase`Run it in your shell. If it fails, ${svc("explain", "run")} with what it prints.`;

/** The advice for each command. */
const ADVICE: readonly (readonly [RegExp, (wasm: string) => Wording])[] = [
  [
    /^contract invoke$/,
    () =>
      phrase`${svc("call", "Run")} with the whole line in quotes: svc makes the call on a fork, and sends nothing.`,
  ],
  [
    /^contract (?:deploy|upload|install)$/,
    (wasm) =>
      phrase`svc sends nothing to a network. ${svc(`call ${shellWord(wasm)} FUNCTION`, "Run")} to deploy the file on a fork and call it there. If the line failed, ${svc("explain", "run")} with what it printed.`,
  ],
  [
    /^contract (?:extend|restore)$/,
    () =>
      phrase`svc sends nothing. ${svc("state C… --key KEY", "Run")} to see an entry and how long it lives. If a transaction failed because of it, ${svc("debug <hash>", "run")}, which shows the fix.`,
  ],
  [/^contract read$/, () => phrase`${svc("state C… --key KEY", "Run")} to read an entry.`],
  [
    /^contract (?:info|inspect|bindings|fetch)(?: |$)/,
    () => phrase`${svc("call C…", "Run")} to list the functions of a contract, or of a wasm file.`,
  ],
  [/^tx simulate$/, () => phrase`${svc("simulate <envelope>", "Run")} with the envelope.`],
  [
    /^(?:tx|xdr) (?:decode|encode|guess|compare)$/,
    () => phrase`${svc("explain", "Run")} with the XDR.`,
  ],
  [
    /^tx (?:send|fetch)(?: |$)/,
    () => phrase`If the transaction is on the network, ${svc("debug <hash>", "run")}.`,
  ],
];
