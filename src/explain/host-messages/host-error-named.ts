// Reads an error of the contract host in the form of its log and of SDKs.

import type { HostError } from "../../model/execution.ts";
import { ERROR_CODES, ERROR_TYPES } from "../../xdr/values/value-text.ts";

const TYPES: ReadonlySet<string> = new Set(ERROR_TYPES);
const CODES: ReadonlySet<string> = new Set(ERROR_CODES);

/** Returns the first error that a text has in the form `Error(Auth, InvalidAction)`, or null. */
export function firstHostError(text: string): HostError | null {
  return hostErrorNamed(/Error\(\w{1,16}, ?#?\w{1,20}\)/.exec(text)?.[0] ?? "");
}

/**
 * Reads `Error(Auth, InvalidAction)`, `Error(Contract,#10)` or `#10`, also after `HostError: `;
 * null for another text.
 */
export function hostErrorNamed(text: string): HostError | null {
  const match = /^(?:HostError: )?(?:Error)?\(?(\w{1,16}), ?#?(\w{1,20})\)?$/.exec(text.trim());
  const [number] = /^#\d{1,10}$/.exec(text.trim()) ?? [];
  const [, type = "", code = ""] = match ?? [];
  if (number !== undefined) return hostErrorNamed(`Error(Contract, ${number})`);
  if (!TYPES.has(type)) return null;
  if (type !== "Contract") return CODES.has(code) ? { type, code, contractCode: null } : null;
  // A contract's own code is a u32.
  if (!/^\d+$/.test(code) || Number(code) > 0xffff_ffff) return null;
  return { type, code, contractCode: Number(code) };
}
