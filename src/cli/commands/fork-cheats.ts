// The commands inside svc fork: each asks a running fork for one cheat over JSON-RPC.

import { basename, dirname, resolve } from "node:path";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { writeOutputFile } from "../../base/files/write-file.ts";
import { integer, type Settings, type Values } from "../../base/settings/setting.ts";
import { METHOD_NOT_FOUND } from "../../sources/nodes/json-rpc.ts";
import { COMMON } from "../arguments/common-settings.ts";
import { readInput } from "../arguments/read-input.ts";
import { type Command, defineCommand } from "../command.ts";
import type { Example, Shell } from "../shell.ts";

export const RUNNING = {
  url: {
    hint: "URL",
    variable: "SVC_FORK_URL",
    default: "http://127.0.0.1:8000",
    help: "The running fork.",
  },
} as const satisfies Settings;
const account = { word: "one", required: true, help: "The account, G…." } as const;
const contract = { word: "one", required: true, help: "The contract, C…." } as const;
const wasm = {
  hint: "FILE",
  required: true,
  help: "The contract's code.",
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
const TIMEOUT_MILLISECONDS = 60_000;

type Given<Rows extends Settings> = Values<Rows> & { readonly url: string };
/** Null: nothing. */
type Printed = string | null | { readonly text: string | null; readonly document: unknown };
type Ask = (method: string, parameters?: object) => Promise<unknown>;

/** `run` returns what is printed, and what `--json` prints if it is not the last answer. */
function cheat<Rows extends Settings>(
  rows: Rows,
  run: (ask: Ask, given: Given<Rows>, shell: Shell) => Promise<Printed>,
  examples: readonly Example[],
): Command {
  const settings = { ...rows, ...RUNNING, ...COMMON };
  return defineCommand(
    settings,
    async (shell, args) => {
      const given = args as unknown as Given<Rows>;
      let answer: unknown = null;
      const ask: Ask = async (method, parameters = {}) => {
        answer = await call(given.url, method, parameters, shell);
        return answer;
      };
      const printed = await run(ask, given, shell);
      const { text, document = answer } =
        typeof printed === "string" || printed === null ? { text: printed } : printed;
      if (shell.json) await shell.output.write(`${JSON.stringify(document)}\n`);
      else if (text !== null) await shell.output.write(text);
      return 0;
    },
    { examples },
  );
}

export const CHEATS = {
  fund: cheat(
    {
      account,
      amount: { hint: "XLM", default: "10000", help: "Balance of the account, in XLM." },
    },
    async (ask, given) => {
      const amount = stroopsOf(given.amount);
      const parameters = { account: given.account, amount, asset: "native" };
      const answer = await ask("fork_setBalance", parameters);
      return `${given.account} has ${given.amount} XLM\n${warningOf(answer)}`;
    },
    [["G… --amount 5000", "An account that may not have been there."]],
  ),
  "set-balance": cheat(
    {
      account: { ...account, help: "The account or contract, G… or C…." },
      amount: {
        hint: "N",
        required: true,
        help: "Balance in the asset's smallest unit (XLM: stroops).",
      },
      asset: {
        hint: "ASSET",
        default: "native",
        help: "native, CODE:ISSUER, or the contract of a token, C….",
      },
    },
    async (ask, { account: address, amount, asset }) => {
      const answer = await ask("fork_setBalance", { account: address, amount, asset });
      const unit = asset === "native" ? "stroops" : `of ${asset}`;
      return `${address} has ${amount} ${unit}\n${warningOf(answer)}`;
    },
    [["G… --amount 1000000000 --asset USDC:G…", "100 USDC, with a trustline."]],
  ),
  "set-storage": cheat(
    {
      contract,
      key: {
        hint: "SCVAL",
        required: true,
        help: "Key: an ScVal in base64 or the JSON of SEP-51.",
      },
      value: { hint: "SCVAL", otherwise: "the entry is removed", help: "Value, written likewise." },
      temporary: { help: "Temporary data." },
      liveUntilLedger: { ...untilLedger, onlyWith: ["value"] },
    },
    async (ask, given) => {
      await ask("fork_setStorage", {
        contract: given.contract,
        key: writtenValue(given.key),
        value: given.value === null ? null : writtenValue(given.value),
        durability: given.temporary ? "temporary" : "persistent",
        liveUntilLedgerSeq: given.liveUntilLedger,
      });
      return null;
    },
    [[`C… --key '{"symbol":"Price"}' --value '{"u32":5}'`, "Data of a contract."]],
  ),
  "set-entry": cheat(
    {
      entry: {
        word: "one",
        required: true,
        help: "The LedgerEntry, in base64 or the JSON of SEP-51.",
      },
      liveUntilLedger: untilLedger,
      archived: { help: "The entry is archived." },
    },
    async (ask, { entry, liveUntilLedger, archived }) => {
      const liveUntilLedgerSeq = liveUntilLedger;
      await ask("fork_setLedgerEntry", {
        entry: writtenValue(entry),
        liveUntilLedgerSeq,
        archived,
      });
      return null;
    },
    [["AAAA…", "Any entry, as it is to be."]],
  ),
  etch: cheat(
    { contract, wasm, liveUntilLedger: untilLedger },
    async (ask, { contract: address, wasm: file, liveUntilLedger }, shell) => {
      const code = (await readInput(shell, file)).bytes.toBase64();
      await ask("fork_etch", {
        contract: address,
        wasm: code,
        liveUntilLedgerSeq: liveUntilLedger,
      });
      return `${address} runs ${file}\n`;
    },
    [["C… --wasm contract.wasm", "Another build; the storage stays."]],
  ),
  "set-code": cheat(
    { wasm, liveUntilLedger: untilLedger },
    async (ask, { wasm: file, liveUntilLedger }, shell) => {
      const code = (await readInput(shell, file)).bytes.toBase64();
      const given = { wasm: code, liveUntilLedgerSeq: liveUntilLedger };
      return `${((await ask("fork_setCode", given)) as { readonly hash: string }).hash}\n`;
    },
    [["--wasm contract.wasm", "Installs the code, and prints its hash."]],
  ),
  close: cheat(
    {
      ledgers: {
        word: "one",
        schema: integer(1, 0xffff_ffff),
        default: "1",
        help: "Number of ledgers.",
      },
    },
    async (ask, { ledgers }) => ledgerText(await ask("fork_closeLedgers", { ledgers })),
    [["17280", "A day of ledgers."]],
  ),
  warp: cheat(
    {
      seconds: { hint: "N", notWith: ["toTime"], help: "Seconds from now." },
      toTime: { hint: "N", help: "Close time of the next ledger, Unix seconds." },
      toLedger: { hint: "N", schema: integer(1, 0xffff_ffff), help: "Number of the next ledger." },
    },
    async (ask, { seconds, toTime: toUnixSeconds, toLedger }) => {
      if (seconds === null && toUnixSeconds === null && toLedger === null)
        throw usageError(
          "`svc fork warp` needs a time or a ledger.",
          "Pass `--seconds`, `--to-time` or `--to-ledger`.",
        );
      return ledgerText(await ask("fork_warp", { seconds, toUnixSeconds, toLedger }));
    },
    [["--seconds 86400", "A day later."]],
  ),
  mark: cheat({}, async (ask) => `${await ask("fork_snapshot")}\n`, [
    ["", "Prints the number that `svc fork revert` takes."],
  ]),
  revert: cheat(
    {
      id: {
        word: "one",
        required: true,
        schema: integer(1, 0xffff_ffff),
        help: "The number that `svc fork mark` has printed.",
      },
    },
    async (ask, { id }) => ledgerText(await ask("fork_revert", { id })),
    [["1", "As if nothing had happened since."]],
  ),
  reset: cheat(
    {
      ledger: {
        hint: "N",
        schema: integer(2, 0xffff_ffff),
        notWith: ["before"],
        help: "Fork this ledger.",
      },
      before: { hint: "HASH", help: "Fork the network just before this transaction." },
    },
    async (ask, { ledger, before }) => ledgerText(await ask("fork_reset", { ledger, before })),
    [["--ledger 59000000", "Another ledger of the same network."]],
  ),
  impersonate: cheat(
    {
      accounts: { word: "many", help: "Accounts, G…, or all (default: all)." },
      stop: { help: "Ask for signatures again." },
    },
    async (ask, { accounts, stop }) => {
      if (accounts.includes("all") && accounts.length > 1)
        throw usageError("`all` is every account.", "Pass `all` alone, or the accounts alone.");
      const some = accounts.length === 0 || accounts[0] === "all" ? null : accounts;
      if (stop) await ask("fork_stopImpersonating", { accounts: some });
      else await ask("fork_impersonate", { accounts: some ?? "all" });
      const whose = some?.join(", ") ?? "all accounts";
      return `transactions of ${whose} need ${stop ? "their signatures again" : "no signature"}\n`;
    },
    [["G…", "Its transactions need no signature."]],
  ),
  save: cheat(
    { output },
    async (ask, { output: file }, shell) => {
      const document = await dumped(ask);
      return { text: await writeTo(shell, file, document), document };
    },
    [["--output fork.json", "For `svc fork --from fork.json`."]],
  ),
  load: cheat(
    { saved: { word: "one", required: true, help: "A file of `svc fork save`." } },
    async (ask, { saved }, shell) => {
      const { checkKind, MOST_FILE_BYTES } = await import("../../fork/base/saved-fork.ts");
      const { name, bytes } = await readInput(shell, saved, null, MOST_FILE_BYTES);
      checkKind({ name, text: new TextDecoder().decode(bytes) });
      return ledgerText(await load(ask, bytes));
    },
    [["fork.json", "The running fork becomes that one."]],
  ),
  snapshot: cheat(
    { output },
    async (ask, { output: file }, shell) =>
      writeTo(shell, file, `${JSON.stringify(await ask("fork_sdkSnapshot"), null, 1)}\n`),
    [["--output snapshot.json", "For `Env::from_ledger_snapshot_file` of soroban-sdk."]],
  ),
} satisfies Record<string, Command>;

/** The fork as a file, which may be larger than one answer. */
async function dumped(ask: Ask): Promise<string> {
  const { id, pieces } = (await ask("fork_dump", { inPieces: true })) as Transfer;
  const parts: Uint8Array[] = [];
  for (let piece = 0; piece < pieces; piece += 1) {
    const part = await ask("fork_readPiece", { id, piece });
    parts.push(Uint8Array.fromBase64(String(part)));
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

async function load(ask: Ask, saved: Uint8Array): Promise<unknown> {
  const { PIECE_BYTES } = await import("../../fork/cheats/transfers.ts");
  let id: number | null = null;
  for (let at = 0; at < saved.length; at += PIECE_BYTES) {
    const piece = saved.subarray(at, at + PIECE_BYTES).toBase64();
    ({ id } = (await ask("fork_writePiece", { id, piece })) as Transfer);
  }
  return ask("fork_load", { id });
}

interface Transfer {
  readonly id: number;
  readonly pieces: number;
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

/** JSON, or text as it stands. */
function writtenValue(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Throws USAGE. */
function stroopsOf(lumens: string): string {
  const [, whole, part = ""] = /^(\d{1,12})(?:\.(\d{1,7}))?$/.exec(lumens) ?? [];
  if (whole === undefined)
    throw new SvcError("USAGE", {
      message: `--amount cannot be "${lumens}".`,
      remedy: "Write an amount of XLM such as 10000 or 0.5.",
    });
  return `${BigInt(whole) * 10_000_000n + BigInt(part.padEnd(7, "0"))}`;
}

/** Throws FORK_UNREACHABLE, and FORK_REFUSED with what the fork says. */
export async function call(
  url: string,
  method: string,
  params: object,
  { signal }: Shell,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(TIMEOUT_MILLISECONDS);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  let answer: {
    readonly result?: unknown;
    readonly error?: {
      readonly code?: number;
      readonly message?: string;
      readonly data?: { readonly remedy?: string };
    };
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
      signal: AbortSignal.any([signal, timeout]),
    });
    answer = (await response.json()) as typeof answer;
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new SvcError("FORK_UNREACHABLE", {
      message: `No fork answers at ${url}.`,
      remedy: "Start one with `svc fork`, or pass its `--url`.",
      cause,
    });
  }
  if (answer.error === undefined) return answer.result;
  const { code, message = "it does not say why", data } = answer.error;
  throw new SvcError("FORK_REFUSED", {
    message: `The fork refused ${method}: ${message}`,
    remedy:
      code === METHOD_NOT_FOUND
        ? "Pass the URL of a fork. One that other machines can reach needs `--cheats`."
        : (data?.remedy ?? "Correct the arguments."),
  });
}
