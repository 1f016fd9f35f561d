// What PKCS#11 calls return, as errors of svc. The addon throws `CKR_NAME:number`; both are shown,
// since tokens' documents name the one or the other.

import type { ErrorCode } from "../base/errors/error-catalogue.ts";
import { SvcError } from "../base/errors/errors.ts";

export interface ReturnValue {
  /** `CKR_VENDOR_DEFINED` for what PKCS#11 does not name. */
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
    remedy: "Use a token that signs with CKM_EDDSA; svc hsm list shows what each can do.",
  },
  CKR_KEY_TYPE_INCONSISTENT: {
    code: "PKCS11_KEY_UNSUITABLE",
    remedy: "Choose an Ed25519 key; svc hsm list shows the keys.",
  },
  CKR_KEY_FUNCTION_NOT_PERMITTED: {
    code: "PKCS11_KEY_UNSUITABLE",
    remedy: "Choose a key with CKA_SIGN; svc hsm list shows the keys.",
  },
  CKR_DATA_LEN_RANGE: {
    code: "PKCS11_FAILED",
    remedy: "Sign less at once: the token takes no message of this length.",
  },
};

const OTHERWISE: Meaning = {
  code: "PKCS11_FAILED",
  remedy: "Check the token with svc hsm test, and the module's own log.",
};

/** Null when it is no return value of a PKCS#11 call. */
export function returnValueOf(thrown: unknown): ReturnValue | null {
  const found = /\b(CKR_\w+):(\d+)/.exec(thrown instanceof Error ? thrown.message : "");
  return found === null ? null : { name: found[1] ?? "", number: Number(found[2]) };
}

export function isRemoval({ name }: ReturnValue): boolean {
  return MEANINGS[name] === REMOVED;
}

/** e.g. `CKR_PIN_INCORRECT (0xA0)`. */
export function showReturnValue({ name, number }: ReturnValue): string {
  return `${name} (0x${number.toString(16).toUpperCase()})`;
}

/** `call`: the PKCS#11 function. What is no return value of one is a defect and is thrown on. */
export function pkcs11Error(call: string, thrown: unknown): SvcError {
  const returned = returnValueOf(thrown);
  if (returned === null) throw thrown;
  const { code, remedy } = MEANINGS[returned.name] ?? OTHERWISE;
  const what = code === "PKCS11_TOKEN_REMOVED" ? "The token is gone" : "The token refused";
  return new SvcError(code, {
    message: `${what}: ${call} returned ${showReturnValue(returned)}.`,
    remedy,
    cause: thrown,
    details: { call, returned: returned.name, number: returned.number },
  });
}
