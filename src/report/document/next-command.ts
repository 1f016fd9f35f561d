// The shell's phrase of what leads on: a command that a reader copies. Only plain words of a
// contract's author are in it.

import { flagOf } from "../../base/flag-name.ts";
import { shellWord } from "../../base/text/sentence.ts";
import type { NextStep } from "../../model/explanation.ts";
import type { Investigation, OwnReference } from "../../model/investigation.ts";
import { networkOfPassphrase } from "../../model/networks.ts";
import type { StatedOverride } from "../../model/overrides.ts";

export interface NextCommand {
  /** The whole command. The user replaces words in capitals, such as FILE. */
  readonly command: string;
  /** The flags to add to the user's own command; null if it is another command. */
  readonly flags: string | null;
}

type Referred = Pick<Investigation, "reference"> & {
  readonly record: Pick<Investigation["record"], "requestedHash" | "networkPassphrase">;
};

const BY_HASH: OwnReference = { from: null, settings: [], namesRpc: false };

export function nextCommand(
  step: NextStep,
  { record, reference = BY_HASH }: Referred,
): NextCommand {
  const { namesRpc } = reference;
  const settingWords = settingFlags(record.networkPassphrase, reference);
  const network = namesRpc ? [...settingWords, "--rpc-url URL"] : settingWords;
  const byHash = `svc debug ${record.requestedHash}`;
  const online = words(byHash, ...network);
  const own = ownCommand(reference) ?? online;
  const again = (flags: string): NextCommand => ({ command: `${own} ${flags}`, flags });
  switch (step.kind) {
    case "print-fix":
      return again("--fix");
    case "source-line":
      return again("--wasm FILE");
    case "profile":
      return again("--profile");
    case "comparisons":
    case "trace":
      return again("-v");
    case "what-if-argument":
    case "what-if-state":
    case "what-if-code":
      return again(overrideFlag(step.override));
    case "error-name": {
      const named = `svc explain '${step.text}' --id ${step.contract}`;
      return { command: words(named, ...network), flags: null };
    }
    case "other-sources":
      if (step.source === "code") return again("--code DIR");
      if (step.source === "second-node")
        return { command: words(byHash, ...settingWords, "--rpc-url URL,OTHER_URL"), flags: null };
      // A capsule asks no node.
      return reference.from === null
        ? again("--rpc-url URL")
        : { command: `${online} --rpc-url URL`, flags: null };
  }
}

/** The flag with which `svc debug` makes an override. */
export function overrideFlag(override: StatedOverride): string {
  switch (override.kind) {
    case "close-time":
      return `--override-close-time ${override.unixSeconds}`;
    case "ledger":
      return `--override-ledger ${override.sequence}`;
    case "entry":
      return `--override-entry '${override.json}'`;
    case "argument":
      return `--override-argument ${override.name}=${override.value}`;
    case "argument-value":
      return `--override-argument '${override.name}=${override.json}'`;
    case "code":
      return `--override-wasm ${override.contract}=FILE`;
  }
}

/** The flags that name the network and its nodes, as the user did. */
function settingFlags(passphrase: string, { settings }: OwnReference): string[] {
  const name = networkOfPassphrase(passphrase);
  return [
    ...(name === null ? [] : [`--network ${name}`]),
    ...settings.map(
      (each) => `${flagOf(each.name)} ${each.value === null ? "URL" : shellWord(each.value)}`,
    ),
  ];
}

/** Null: the transaction is named by its hash. */
function ownCommand({ from, call }: OwnReference): string | null {
  if (call !== undefined) return words("svc call", ...call.map(shellWord));
  return from === null ? null : `svc debug --from ${shellWord(from)}`;
}

function words(...parts: readonly string[]): string {
  return parts.join(" ");
}
