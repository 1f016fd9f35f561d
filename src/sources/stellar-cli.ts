// Reads what stellar-cli has saved: its networks, and the names of keys and contracts, which are
// only labels. Its directory is found as config/locator.rs of stellar-cli 27 finds it, which no
// longer reads local directories either. It is read only if a run needs it. Invariant: no file with
// a secret is decoded. For a key, svc knows its name and its address.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, parse } from "node:path";
import * as v from "valibot";
import { systemCodeOf } from "../base/errors/system-code.ts";
import { readSmallFile } from "../base/files/read-file.ts";
import type { Environment } from "../base/settings/setting.ts";
import { strkeyPattern } from "../base/text/strkey.ts";
import { type Labels, readableLabels } from "../model/labels.ts";

export interface SavedNetwork {
  readonly path: string;
  readonly passphrase: string;
  readonly rpcUrl: string;
  readonly rpcHeaders: readonly { readonly name: string; readonly value: string }[];
}

/** stellar-cli accepts no other names, so no name leads out of its directory. */
const NAME = /^[\w-]{1,250}$/;
const LARGEST_BYTES = 64 * 1024;
const MOST_FILES = 1000;

const networkSchema = v.object({
  rpc_url: v.pipe(v.string(), v.url(), v.regex(/^https?:/)),
  network_passphrase: v.pipe(v.string(), v.nonEmpty()),
  rpc_headers: v.optional(v.array(v.tuple([v.string(), v.string()])), []),
});
const contractSchema = v.object({ ids: v.record(v.string(), v.string()) });

/**
 * A saved network; null if there is none of that name, and `invalid` if its file is not that of a
 * network.
 */
export function savedNetwork(
  name: string,
  environment: Environment,
): SavedNetwork | { readonly invalid: string } | null {
  const directory = directoryOf(environment);
  if (directory === null || !NAME.test(name)) return null;
  const path = join(directory, "network", `${name}.toml`);
  try {
    const parsed = v.safeParse(networkSchema, Bun.TOML.parse(readSmallFile(path)));
    if (!parsed.success) return { invalid: path };
    const { rpc_url: rpcUrl, network_passphrase: passphrase, rpc_headers: pairs } = parsed.output;
    const rpcHeaders = pairs.map(([header, value]) => ({ name: header, value }));
    return { path, passphrase, rpcUrl, rpcHeaders };
  } catch (error) {
    return systemCodeOf(error) === "ENOENT" ? null : { invalid: path };
  }
}

/**
 * The names that stellar-cli has for accounts and contracts. No two networks have a contract with
 * the same address. An unreadable file gives no name.
 */
export function savedLabels(environment: Environment): Labels {
  const directory = directoryOf(environment);
  if (directory === null) return new Map();
  const keys = filesIn(join(directory, "identity"), ".toml").map(
    ({ name, path }) => [addressOfKey(path) ?? "", name] as const,
  );
  const contracts = filesIn(join(directory, "contract-ids"), ".json").flatMap(({ name, path }) =>
    Object.values(contractIdsOf(path)).map((id) => [id, name] as const),
  );
  return readableLabels([...keys, ...contracts]);
}

function directoryOf(environment: Environment): string | null {
  if (environment.STELLAR_CONFIG_HOME) return environment.STELLAR_CONFIG_HOME;
  const home = environment.HOME || environment.USERPROFILE;
  const base = environment.XDG_CONFIG_HOME || (home ? join(home, ".config") : null);
  if (base === null) return null;
  return [join(base, "stellar"), join(base, "soroban")].find((each) => existsSync(each)) ?? null;
}

function filesIn(directory: string, extension: string) {
  try {
    // By name, so that one address has the same one of its names on every file system.
    const files = readdirSync(directory)
      .sort()
      .map((file) => parse(file));
    return files
      .filter(({ ext, name }) => ext === extension && NAME.test(name))
      .slice(0, MOST_FILES)
      .map(({ base, name }) => ({ name, path: join(directory, base) }));
  } catch {
    return [];
  }
}

const KEY = new RegExp(
  `^(?:public_key|muxed_account)\\s*=\\s*"(${strkeyPattern(["account", "muxed"])})"\\s*$`,
  "m",
);

/**
 * The address of a key. A file with a seed phrase or a secret key has no address to show, and is
 * not kept.
 */
function addressOfKey(path: string): string | null {
  const bytes = bytesOf(path);
  if (bytes === null) return null;
  try {
    if (["seed", "secret"].some((word) => bytes.includes(word))) return null;
    return KEY.exec(bytes.toString("latin1"))?.[1] ?? null;
  } finally {
    bytes.fill(0);
  }
}

function contractIdsOf(path: string): Readonly<Record<string, string>> {
  try {
    const parsed = v.safeParse(contractSchema, JSON.parse(String(bytesOf(path))));
    return parsed.success ? parsed.output.ids : {};
  } catch {
    return {};
  }
}

function bytesOf(path: string): Buffer | null {
  try {
    const { size } = Bun.file(path);
    return size > LARGEST_BYTES ? null : readFileSync(path);
  } catch {
    return null;
  }
}
