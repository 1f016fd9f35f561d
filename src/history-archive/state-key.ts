// Reads the LedgerKey that the words of `svc state` name.

import { usageError } from "../base/errors/errors.ts";
import { bareFlag, flag, type Hole, phrase } from "../base/phrase.ts";
import { cutNeutral, neutralise } from "../base/text/neutralise.ts";
import {
  decodeAccountKey,
  isMistypedAddress,
  MISTYPED_ADDRESS,
  partsOfMuxed,
} from "../base/text/strkey.ts";
import { NotWritten, trustlineKeyOf, xdrOfJson } from "../xdr/reader/from-json.ts";
import { accountKeyOf } from "../xdr/reader/keys.ts";
import { keyFlawOf } from "../xdr/values/scval-validity.ts";
import { contractDataKeys, instanceKeyOfContract } from "../xdr/values/value-parts.ts";

export interface StateKeyFlags {
  readonly key: string | null;
  readonly temporary: boolean;
  readonly asset: string | null;
}

/** Returns base64. Throws USAGE. */
export async function readStateKey(
  address: string,
  { key, temporary, asset }: StateKeyFlags,
): Promise<string> {
  if (isMistypedAddress(address))
    throw usageError(`"${address}" is not an address: its checksum is wrong.`, MISTYPED_ADDRESS);
  const muxed = partsOfMuxed(address);
  if (muxed !== null)
    throw usageError(
      `"${address}" is a muxed address, which has no state of its own.`,
      `Pass the ${muxed.kind}: ${muxed.address}.`,
    );
  const instance = instanceKeyOfContract(address);
  const isAccount = decodeAccountKey(address) !== null;
  if (key !== null && instance === null) throw misplaced("key", "a contract's address (C…)");
  if (temporary && key === null) throw misplaced("temporary", bareFlag("key"));
  if (asset !== null && !isAccount) throw misplaced("asset", "an account's address (G…)");
  if (key === null && asset === null) {
    if (instance !== null) return instance;
    if (isAccount) return accountKeyOf(address);
  }
  // The SDK is only loaded for JSON that a person wrote.
  const { readWritten } = await import("../xdr/reader/written.ts");
  try {
    if (key !== null) {
      const isSymbol = /^[A-Za-z_]\w{0,31}$/.test(key) && key !== "void";
      const value = readWritten("ScVal", isSymbol ? { symbol: key } : written(key));
      const contract = xdrOfJson("ScVal", { address });
      return allowed(contractDataKeys(contract, value)[temporary ? 1 : 0] as string);
    }
    if (asset === null) return allowed(readWritten("LedgerKey", written(address)));
    return trustlineKeyOf(address, asset);
  } catch (problem) {
    if (!(problem instanceof NotWritten)) throw problem;
    const wrong = key !== null ? bareFlag("key") : asset !== null ? bareFlag("asset") : null;
    const remedy = phrase`Pass C…, G…, or a LedgerKey in base64 or JSON; a key of a contract's data with ${flag("key")}.`;
    const word = `"${cutNeutral(neutralise(address), 64)}" is not an address (C… or G…), and`;
    throw usageError(phrase`${wrong ?? word} ${problem.message}.`, remedy);
  }
}

/** Throws USAGE for a key that no ledger can have. */
function allowed(keyXdr: string): string {
  const flaw = keyFlawOf(keyXdr);
  if (flaw !== null) throw usageError(`The key ${flaw}.`, "Pass a key that a contract can write.");
  return keyXdr;
}

function written(text: string): unknown {
  try {
    return /^\s*[[{"]/.test(text) ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

/** `needed` names what the setting has no meaning without. */
function misplaced(setting: string, needed: string | Hole) {
  return usageError(
    phrase`${bareFlag(setting)} needs ${needed}.`,
    phrase`Leave out ${flag(setting)}, or add what it needs.`,
  );
}
