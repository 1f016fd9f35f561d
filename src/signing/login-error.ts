// Why a token refused the PIN, with the token's own warning of how near it is to locking itself.
// Nothing here has seen the PIN.

import { SvcError } from "../base/errors.ts";
import type { Pkcs11Module } from "./open-module.ts";
import { pkcs11Error, returnValueOf, showReturnValue } from "./pkcs11-error.ts";
import { readToken, showToken, type TokenFacts, type TokenSlot } from "./tokens.ts";

/** The number that operating documents know a failed login by, whatever the token returned. */
const DOCUMENTED_LOGIN_FAILURE = "0x1000";

const REFUSALS = [
  "CKR_PIN_INCORRECT",
  "CKR_PIN_INVALID",
  "CKR_PIN_LEN_RANGE",
  "CKR_PIN_EXPIRED",
  "CKR_PIN_TOO_WEAK",
  "CKR_USER_PIN_NOT_INITIALIZED",
  "CKR_ARGUMENTS_BAD",
  "CKR_GENERAL_ERROR",
  "CKR_FUNCTION_FAILED",
  "CKR_VENDOR_DEFINED",
];

export function loginError(thrown: unknown, module: Pkcs11Module, slot: TokenSlot): SvcError {
  const returned = returnValueOf(thrown);
  if (returned?.name === "CKR_PIN_LOCKED")
    return pinLocked(slot.token, `C_Login returned ${showReturnValue(returned)}`);
  if (returned === null || !REFUSALS.includes(returned.name)) return pkcs11Error("C_Login", thrown);
  const { pin } = readToken(module, slot.handle);
  const warning = pin.locked
    ? " The PIN is locked now."
    : pin.finalTry
      ? " One try is left before the token locks the PIN."
      : pin.countLow
        ? " The token counts wrong PINs, and locks the PIN after too many."
        : "";
  return new SvcError("PKCS11_LOGIN_FAILED", {
    message:
      `The token ${showToken(slot.token)} refused the PIN: C_Login returned ` +
      `${showReturnValue(returned)}, a failed login (${DOCUMENTED_LOGIN_FAILURE}).${warning}`,
    remedy: "Give the token's user PIN with SVC_PKCS11_PIN, --pin-file, or when asked for it.",
    cause: thrown,
    details: { returned: returned.name, number: returned.number, ...pin },
  });
}

/** `how`: what the token said. */
export function pinLocked(token: TokenFacts, how: string): SvcError {
  return new SvcError("PKCS11_PIN_LOCKED", {
    message: `The user PIN of the token ${showToken(token)} is locked (${how}).`,
    remedy: "Unlock it with the token's own tool and its security officer's PIN.",
  });
}
