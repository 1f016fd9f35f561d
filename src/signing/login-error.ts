// Why a token refused the PIN, with the token's own warning of how near it is to locking itself.
// Nothing here has seen the PIN.

import { SvcError } from "../base/errors/errors.ts";
import type { Pkcs11Module } from "./open-module.ts";
import { isRemoval, pkcs11Error, returnValueOf, showReturnValue } from "./pkcs11-error.ts";
import { readToken, showToken, type TokenFacts, type TokenSlot } from "./tokens.ts";

/** The number that operating documents know a failed login by, whatever the token returned. */
const DOCUMENTED_LOGIN_FAILURE = "0x1000";

export function loginError(thrown: unknown, module: Pkcs11Module, slot: TokenSlot): SvcError {
  const returned = returnValueOf(thrown);
  if (returned === null || isRemoval(returned)) return pkcs11Error("C_Login", thrown);
  if (returned.name === "CKR_PIN_LOCKED")
    return pinLocked(slot.token, `C_Login returned ${showReturnValue(returned)}`);
  const token = showToken(slot.token);
  const what = returned.name.startsWith("CKR_PIN_")
    ? `The token ${token} refused the PIN`
    : `The login to the token ${token} failed`;
  return new SvcError("PKCS11_LOGIN_FAILED", {
    message:
      `${what}: C_Login returned ${showReturnValue(returned)}, a failed login ` +
      `(${DOCUMENTED_LOGIN_FAILURE}).${warningOf(module, slot)}`,
    remedy: "Give the token's user PIN with SVC_PKCS11_PIN, --pin-file, or when asked for it.",
    cause: thrown,
    details: { returned: returned.name, number: returned.number },
  });
}

/** Its flags as they are now, after the failure; empty when it does not tell any more. */
function warningOf(module: Pkcs11Module, slot: TokenSlot): string {
  let pin: TokenFacts["pin"];
  try {
    ({ pin } = readToken(module, slot.handle));
  } catch {
    // The login's own failure is what is told.
    return "";
  }
  if (pin.locked) return " The PIN is locked now.";
  if (pin.finalTry) return " One try is left before the token locks the PIN.";
  return pin.countLow ? " The token counts wrong PINs, and locks the PIN after too many." : "";
}

/** `how`: what the token said. */
export function pinLocked(token: TokenFacts, how: string): SvcError {
  return new SvcError("PKCS11_PIN_LOCKED", {
    message: `The user PIN of the token ${showToken(token)} is locked (${how}).`,
    remedy: "Unlock it with the token's own tool and its security officer's PIN.",
  });
}
