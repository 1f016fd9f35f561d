// The commands inside svc fork. Each asks a running fork for one cheat over JSON-RPC.

import { basename, dirname, resolve } from "node:path";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { writeOutputFile } from "../../base/files/write-file.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import { integer, type Settings, type Values } from "../../base/settings/setting.ts";
import { type Arguments, type Command, defineCommand } from "../../command/command.ts";
import { COMMON } from "../../command/common-settings.ts";
import { readBase64Input, readInput } from "../../command/read-input.ts";
import type { Example, Shell } from "../../command/shell.ts";
import { type AskFork, callFork, dumpFork, loadFork } from "./client.ts";

export const RUNNING = {
  url: {
    hint: "URL",
    variable: "SVC_FORK_URL",
    default: "http://127.0.0.1:8000",
    help: "URL of the running fork.",
  },
} as const satisfies Settings;
const account = { word: "one", required: true, help: "Account of the fork, G…." } as const;
const contract = { word: "one", required: true, help: "Contract of the fork, C…." } as const;
const wasm = {
  hint: "FILE",
  required: true,
  help: "File with the contract's code.",
} as const;
const untilLedger = {
  hint: "N",
  schema: integer(1, 0xffff_ffff),
  otherwise: "far in the future",
  help: "Ledger until which the entry is live.",
} as const;
const output = {
  hint: "FILE",
  required: true,
  help: "File to write; - is standard output.",
} as const;

type CheatValues<Rows extends Settings> = Values<Rows> & { readonly url: string };
/** Null to print nothing. */
type Printed = string | null | { readonly text: string | null; readonly document: unknown };

/**
 * Makes a command. `run` returns the printed text, and the document for `--json` if that is not the
 * last answer.
 */
function cheat<Rows extends Settings>(
  rows: Rows,
  run: (ask: AskFork, args: CheatValues<Rows>, shell: Shell) => Promise<Printed>,
  examples: readonly Example[],
): Command {
  const settings = { ...rows, ...RUNNING, ...COMMON };
  const cheatCommand = async (shell: Shell, args: Arguments<typeof settings>) => {
    const values = args as unknown as CheatValues<Rows>;
    let answer: unknown = null;
    const ask: AskFork = async (method, parameters = {}) => {
      answer = await callFork(values.url, method, parameters, shell);
      return answer;
    };
    const printed = await run(ask, values, shell);
    const { text, document = answer } =
      typeof printed === "string" || printed === null ? { text: printed } : printed;
    if (shell.json) await shell.output.write(`${JSON.stringify(document)}\n`);
    else if (text !== null) await shell.output.write(text);
    return 0;
  };
  return defineCommand(settings, cheatCommand, { examples });
}

const FUND = {
  account,
  amount: { hint: "XLM", default: "10000", help: "Balance of the account, in XLM." },
} as const satisfies Settings;

const SET_BALANCE = {
  account: { ...account, help: "Account or contract of the fork, G… or C…." },
  amount: {
    hint: "N",
    required: true,
    help: "Balance in the asset's smallest unit (XLM: stroops).",
  },
  asset: {
    hint: "ASSET",
    default: "native",
    help: "Asset of the balance: native, CODE:ISSUER, or the contract of a token, C….",
  },
} as const satisfies Settings;

const SET_STORAGE = {
  contract,
  key: {
    hint: "SCVAL",
    required: true,
    help: "Key: an ScVal in base64 or the JSON of SEP-51.",
  },
  value: {
    hint: "SCVAL",
    otherwise: "the entry is removed",
    help: "Value of the entry: an ScVal in base64 or the JSON of SEP-51.",
  },
  temporary: { help: "Write temporary data." },
  liveUntilLedger: { ...untilLedger, onlyWith: ["value"] },
} as const satisfies Settings;

const SET_ENTRY = {
  entry: {
    word: "one",
    required: true,
    help: "LedgerEntry to write, in base64 or the JSON of SEP-51.",
  },
  liveUntilLedger: untilLedger,
  archived: { help: "Write the entry as an archived one." },
} as const satisfies Settings;

const ETCH = { contract, wasm, liveUntilLedger: untilLedger } as const satisfies Settings;

const SET_CODE = { wasm, liveUntilLedger: untilLedger } as const satisfies Settings;

const CLOSE = {
  ledgers: {
    word: "one",
    schema: integer(1, 0xffff_ffff),
    default: "1",
    help: "Number of ledgers to close.",
  },
} as const satisfies Settings;

const WARP = {
  seconds: { hint: "N", notWith: ["toTime"], help: "Number of seconds to let pass." },
  toTime: { hint: "N", help: "Close time of the next ledger, in Unix seconds." },
  toLedger: { hint: "N", schema: integer(1, 0xffff_ffff), help: "Number of the next ledger." },
} as const satisfies Settings;

const MARK = {} as const satisfies Settings;

const REVERT = {
  id: {
    word: "one",
    required: true,
    schema: integer(1, 0xffff_ffff),
    help: "Number that `svc fork mark` printed.",
  },
} as const satisfies Settings;

const RESET = {
  ledger: {
    hint: "N",
    schema: integer(2, 0xffff_ffff),
    notWith: ["before"],
    help: "Fork the network again as this ledger left it.",
  },
  before: { hint: "HASH", help: "Fork the network again just before this transaction." },
} as const satisfies Settings;

const IMPERSONATE = {
  accounts: { word: "many", help: "Accounts, G…, or all (default: all)." },
  stop: { help: "Ask for the signatures of the accounts again." },
} as const satisfies Settings;

const SEND = {
  envelope: {
    word: "one",
    required: true,
    help: "Envelope to send: base64, a file, or - for standard input.",
  },
} as const satisfies Settings;

const SAVE = { output } as const satisfies Settings;

const LOAD = {
  saved: { word: "one", required: true, help: "A file of `svc fork save`." },
} as const satisfies Settings;

const SNAPSHOT = { output } as const satisfies Settings;

export const CHEATS = {
  fund: cheat(FUND, fundCheat, [["G… --amount 5000", "Create the account if it does not exist."]]),
  "set-balance": cheat(SET_BALANCE, setBalanceCheat, [
    ["G… --amount 1000000000 --asset USDC:G…", "Set 100 USDC, and add the trustline."],
  ]),
  "set-storage": cheat(SET_STORAGE, setStorageCheat, [
    [`C… --key '{"symbol":"Price"}' --value '{"u32":5}'`, "Set data of a contract."],
  ]),
  "set-entry": cheat(SET_ENTRY, setEntryCheat, [["AAAA…", "Write any entry in full."]]),
  etch: cheat(ETCH, etchCheat, [
    ["C… --wasm contract.wasm", "Run another build; the storage stays."],
  ]),
  "set-code": cheat(SET_CODE, setCodeCheat, [
    ["--wasm contract.wasm", "Install the code, and print its hash."],
  ]),
  close: cheat(CLOSE, closeCheat, [["17280", "Close a day of ledgers."]]),
  warp: cheat(WARP, warpCheat, [["--seconds 86400", "Move the time by a day."]]),
  mark: cheat(MARK, markCheat, [["", "Print the number for `svc fork revert`."]]),
  revert: cheat(REVERT, revertCheat, [["1", "Undo everything since the mark."]]),
  reset: cheat(RESET, resetCheat, [
    ["--ledger 59000000", "Fork another ledger of the same network."],
  ]),
  impersonate: cheat(IMPERSONATE, impersonateCheat, [
    ["G…", "Accept its transactions without signatures."],
  ]),
  send: cheat(SEND, sendCheat, [
    ["envelope", "Send the envelope in a file."],
    ["- < envelope", "Send an envelope from standard input."],
  ]),
  save: cheat(SAVE, saveCheat, [["--output fork.json", "Save for `svc fork --from fork.json`."]]),
  load: cheat(LOAD, loadCheat, [["fork.json", "Replace the running fork by the saved one."]]),
  snapshot: cheat(SNAPSHOT, snapshotCheat, [
    ["--output snapshot.json", "Write for `Env::from_ledger_snapshot_file` of soroban-sdk."],
  ]),
} satisfies Record<string, Command>;

async function fundCheat(ask: AskFork, args: CheatValues<typeof FUND>): Promise<Printed> {
  const amount = stroopsOf(args.amount);
  const parameters = { account: args.account, amount, asset: "native" };
  const answer = await ask("fork_setBalance", parameters);
  return `${args.account} has ${args.amount} XLM\n${warningOf(answer)}`;
}

async function setBalanceCheat(
  ask: AskFork,
  { account: address, amount, asset }: CheatValues<typeof SET_BALANCE>,
): Promise<Printed> {
  const answer = await ask("fork_setBalance", { account: address, amount, asset });
  const unit = asset === "native" ? "stroops" : `of ${asset}`;
  return `${address} has ${amount} ${unit}\n${warningOf(answer)}`;
}

async function setStorageCheat(
  ask: AskFork,
  args: CheatValues<typeof SET_STORAGE>,
): Promise<Printed> {
  await ask("fork_setStorage", {
    contract: args.contract,
    key: writtenValue(args.key),
    value: args.value === null ? null : writtenValue(args.value),
    durability: args.temporary ? "temporary" : "persistent",
    liveUntilLedgerSeq: args.liveUntilLedger,
  });
  return null;
}

async function setEntryCheat(
  ask: AskFork,
  { entry, liveUntilLedger, archived }: CheatValues<typeof SET_ENTRY>,
): Promise<Printed> {
  const liveUntilLedgerSeq = liveUntilLedger;
  await ask("fork_setLedgerEntry", {
    entry: writtenValue(entry),
    liveUntilLedgerSeq,
    archived,
  });
  return null;
}

async function etchCheat(
  ask: AskFork,
  { contract: address, wasm: file, liveUntilLedger }: CheatValues<typeof ETCH>,
  shell: Shell,
): Promise<Printed> {
  const code = (await readInput(shell, file)).bytes.toBase64();
  await ask("fork_etch", {
    contract: address,
    wasm: code,
    liveUntilLedgerSeq: liveUntilLedger,
  });
  return `${address} runs ${file}\n`;
}

async function setCodeCheat(
  ask: AskFork,
  { wasm: file, liveUntilLedger }: CheatValues<typeof SET_CODE>,
  shell: Shell,
): Promise<Printed> {
  const code = (await readInput(shell, file)).bytes.toBase64();
  const parameters = { wasm: code, liveUntilLedgerSeq: liveUntilLedger };
  return `${((await ask("fork_setCode", parameters)) as { readonly hash: string }).hash}\n`;
}

async function closeCheat(ask: AskFork, { ledgers }: CheatValues<typeof CLOSE>): Promise<Printed> {
  return ledgerText(await ask("fork_closeLedgers", { ledgers }));
}

async function warpCheat(
  ask: AskFork,
  { seconds, toTime: toUnixSeconds, toLedger }: CheatValues<typeof WARP>,
): Promise<Printed> {
  if (seconds === null && toUnixSeconds === null && toLedger === null)
    throw usageError(
      phrase`${svc("fork warp")} needs a time or a ledger.`,
      phrase`Pass ${flag("seconds")}, ${flag("toTime")} or ${flag("toLedger")}.`,
    );
  return ledgerText(await ask("fork_warp", { seconds, toUnixSeconds, toLedger }));
}

async function markCheat(ask: AskFork): Promise<Printed> {
  return `${await ask("fork_snapshot")}\n`;
}

async function revertCheat(ask: AskFork, { id }: CheatValues<typeof REVERT>): Promise<Printed> {
  return ledgerText(await ask("fork_revert", { id }));
}

async function resetCheat(
  ask: AskFork,
  { ledger, before }: CheatValues<typeof RESET>,
): Promise<Printed> {
  return ledgerText(await ask("fork_reset", { ledger, before }));
}

async function impersonateCheat(
  ask: AskFork,
  { accounts, stop }: CheatValues<typeof IMPERSONATE>,
): Promise<Printed> {
  if (accounts.includes("all") && accounts.length > 1)
    throw usageError("`all` already includes every account.", "Pass either `all` or the accounts.");
  const some = accounts.length === 0 || accounts[0] === "all" ? null : accounts;
  if (stop) await ask("fork_stopImpersonating", { accounts: some });
  else await ask("fork_impersonate", { accounts: some ?? "all" });
  const whose = some?.join(", ") ?? "all accounts";
  return `transactions of ${whose} need ${stop ? "their signatures again" : "no signature"}\n`;
}

interface SentAnswer {
  readonly status: string;
  readonly hash: string;
  readonly problems?: readonly string[];
  readonly remedy?: string;
}

/** Throws FORK_REFUSED with the fork's reasons. */
async function sendCheat(
  ask: AskFork,
  { envelope, url }: CheatValues<typeof SEND>,
  shell: Shell,
): Promise<Printed> {
  const transaction = (await readBase64Input(shell, envelope)).text;
  const sent = (await ask("sendTransaction", { transaction })) as SentAnswer;
  if (sent.status === "ERROR")
    throw new SvcError("FORK_REFUSED", {
      message: `The fork refused the transaction: ${(sent.problems ?? []).join(" ")}`,
      remedy: sent.remedy ?? phrase`Run ${svc(`simulate --rpc-url ${url}`)} with the envelope.`,
    });
  if (sent.status === "TRY_AGAIN_LATER")
    throw new SvcError("FORK_REFUSED", {
      message: "The fork already has this transaction, or another one of its account is waiting.",
      remedy: phrase`Close a ledger with ${svc("fork close")}, or send the next transaction.`,
    });
  const { hash } = sent;
  const outcome = (await ask("getTransaction", { hash })) as {
    readonly status: string;
    readonly ledger: number;
  };
  if (outcome.status === "NOT_FOUND") return `${hash} waits for a ledger\n`;
  const how = outcome.status === "SUCCESS" ? "succeeded" : "failed";
  return `${hash} ${how} in ledger ${outcome.ledger}\n`;
}

async function saveCheat(
  ask: AskFork,
  { output: file }: CheatValues<typeof SAVE>,
  shell: Shell,
): Promise<Printed> {
  const document = await dumpFork(ask);
  return { text: await writeTo(shell, file, document), document };
}

async function loadCheat(
  ask: AskFork,
  { saved }: CheatValues<typeof LOAD>,
  shell: Shell,
): Promise<Printed> {
  const { checkKind, MOST_FILE_BYTES } = await import("../base/saved-fork.ts");
  const { name, bytes } = await readInput(shell, saved, null, MOST_FILE_BYTES);
  checkKind({ name, text: new TextDecoder().decode(bytes) });
  return ledgerText(await loadFork(ask, bytes));
}

async function snapshotCheat(
  ask: AskFork,
  { output: file }: CheatValues<typeof SNAPSHOT>,
  shell: Shell,
): Promise<Printed> {
  return writeTo(shell, file, `${JSON.stringify(await ask("fork_sdkSnapshot"), null, 1)}\n`);
}

async function writeTo(shell: Shell, file: string, text: string): Promise<string | null> {
  if (file === "-") return text;
  const path = resolve(shell.facts.workingDirectory, file);
  return `${await writeOutputFile(dirname(path), basename(path), text, shell)}\n`;
}

function warningOf(answer: unknown): string {
  const { warning } = answer as { readonly warning?: string };
  return warning === undefined ? "" : `warning: ${warning}\n`;
}

function ledgerText(answer: unknown): string {
  return `ledger ${(answer as { readonly latestLedger?: number }).latestLedger}\n`;
}

/** The value of JSON, or the text itself. */
function writtenValue(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Converts lumens. Throws USAGE. */
function stroopsOf(lumens: string): string {
  const [, whole, part = ""] = /^(\d{1,12})(?:\.(\d{1,7}))?$/.exec(lumens) ?? [];
  if (whole === undefined)
    throw new SvcError("USAGE", {
      message: `--amount cannot be "${lumens}".`,
      remedy: "Write an amount of XLM such as 10000 or 0.5.",
    });
  return `${BigInt(whole) * 10_000_000n + BigInt(part.padEnd(7, "0"))}`;
}
