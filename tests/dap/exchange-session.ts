// Sessions on the contracts of tests/contracts/exchange, with their builds that have debug information.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Exchanged, exchangeCapsule } from "../support/exchange.ts";
import { ownContract } from "../support/other-code.ts";
import { Session } from "./debug-client.ts";

export const CONTRACTS = resolve(import.meta.dir, "../contracts");
export const POOL_SOURCE = join(CONTRACTS, "exchange/pool/src/lib.rs");
export const TOKEN_SOURCE = join(CONTRACTS, "exchange/token/src/lib.rs");
/** The directory of the build. */
export const SOURCE_MAP = { "/exchange": join(CONTRACTS, "exchange") };
export const BUILDS = ["pool", "token"].map((name) => join(CONTRACTS, `${name}-debug.wasm`));

/** Breakpoints can be set. */
export async function exchangeSession(made: Exchanged, more: object = {}): Promise<Session> {
  const directory = mkdtempSync(join(tmpdir(), "svc-exchange-"));
  const capsule = join(directory, "tx.capsule.json");
  writeFileSync(capsule, await exchangeCapsule(made));
  const session = new Session();
  await session.launch({ capsule, wasm: BUILDS, sourceMap: SOURCE_MAP, ...more });
  rmSync(directory, { recursive: true });
  return session;
}

/** The number of the only line that has `text`. */
export function lineWith(source: "pool" | "token", text: string): number {
  const lines = ownContract(`exchange/${source}/src/lib.rs`).toString("utf8").split("\n");
  const found = lines.flatMap((line, index) => (line.includes(text) ? [index + 1] : []));
  if (found.length !== 1) throw new Error(`${found.length} lines have ${text}`);
  return found[0] ?? 0;
}

/** The innermost frame in one of the contracts' own files. */
export async function ownFrame(session: Session) {
  const stack = await session.stack();
  const own = stack.find(({ source }) => source?.path?.startsWith(CONTRACTS));
  if (own === undefined) throw new Error("no frame is in the contracts' own files");
  return own;
}
