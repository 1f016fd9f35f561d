// Turns the return values of PKCS#11 calls into errors of svc. The addon throws `CKR_NAME:number`.
// Messages show both, because manuals of tokens use one or the other.

import type { ErrorCode } from "../base/errors/errors.ts";
import { SvcError } from "../base/errors/errors.ts";

export interface ReturnValue {
  /** The name, or `CKR_VENDOR_DEFINED` for a value that PKCS#11 does not define. */
  readonly name: string;
  readonly number: number;
}

interface Meaning {
  readonly code: ErrorCode;
  readonly remedy: string;
}

const REMOVED: Meaning = {
  code: "PKCS11_TOKEN_REMOVED",
  remedy: "Check that the token is connected and its service runs, then run the command again.",
};

const MEANINGS: Readonly<Record<string, Meaning>> = {
  CKR_DEVICE_REMOVED: REMOVED,
  CKR_TOKEN_NOT_PRESENT: REMOVED,
  CKR_SESSION_HANDLE_INVALID: REMOVED,
  CKR_SESSION_CLOSED: REMOVED,
  CKR_MECHANISM_INVALID: {
    code: "PKCS11_KEY_UNSUITABLE",
    remedy: "Use a token that signs with CKM_EDDSA; `svc hsm list` shows the mechanisms of each.",
  },
  CKR_KEY_TYPE_INCONSISTENT: {
    code: "PKCS11_KEY_UNSUITABLE",
    remedy: "Choose an Ed25519 key; `svc hsm list` shows the keys.",
  },
  CKR_KEY_FUNCTION_NOT_PERMITTED: {
    code: "PKCS11_KEY_UNSUITABLE",
    remedy: "Choose a key with CKA_SIGN; `svc hsm list` shows the keys.",
  },
  CKR_DATA_LEN_RANGE: {
    code: "PKCS11_FAILED",
    remedy: "Sign a smaller file: the token does not accept a message of this length.",
  },
};

/** SoftHSM fails in this way while several processes open it. */
export const TAKE_TURNS =
  "Check the token with `svc hsm test`, and read the module's own log. If several processes use " +
  "the token, run them one after another (`flock`, docs/hsm.md).";
const OTHERWISE: Meaning = { code: "PKCS11_FAILED", remedy: TAKE_TURNS };

/** The return value of a PKCS#11 call; null for any other error. */
export function returnValueOf(thrown: unknown): ReturnValue | null {
  const match = /\b(CKR_\w+):(\d+)/.exec(thrown instanceof Error ? thrown.message : "");
  return match === null ? null : { name: match[1] ?? "", number: Number(match[2]) };
}

export function isRemoval({ name }: ReturnValue): boolean {
  return MEANINGS[name] === REMOVED;
}

/** The text of a return value, for example `CKR_PIN_INCORRECT (0xA0)`. */
export function showReturnValue({ name, number }: ReturnValue): string {
  return `${name} (0x${number.toString(16).toUpperCase()})`;
}

/**
 * The error of a return value. `call` is the PKCS#11 function. Any other error is a bug and is
 * thrown again.
 */
export function pkcs11Error(call: string, thrown: unknown): SvcError {
  const returned = returnValueOf(thrown);
  if (returned === null) throw thrown;
  const { code, remedy } = MEANINGS[returned.name] ?? OTHERWISE;
  const failure =
    code === "PKCS11_TOKEN_REMOVED" ? "The token was removed" : "The token refused the call";
  return new SvcError(code, {
    message: `${failure}: ${call} returned ${showReturnValue(returned)}.`,
    remedy,
    cause: thrown,
    details: { call, returned: returned.name, number: returned.number },
  });
}
