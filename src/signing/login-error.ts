// The reason why a token refused the PIN, with the token's own warning before it locks the PIN.
// This code never has the PIN.

import { SvcError } from "../base/errors/errors.ts";
import type { Pkcs11Module } from "./open-module.ts";
import {
  isRemoval,
  pkcs11Error,
  returnValueOf,
  showReturnValue,
  TAKE_TURNS,
} from "./pkcs11-error.ts";
import { readToken, showToken, type TokenFacts, type TokenSlot } from "./tokens.ts";

/** The number of a failed login in operating documents, whatever the token returned. */
const DOCUMENTED_LOGIN_FAILURE = "0x1000";

export function loginError(thrown: unknown, module: Pkcs11Module, slot: TokenSlot): SvcError {
  const returned = returnValueOf(thrown);
  if (returned === null || isRemoval(returned)) return pkcs11Error("C_Login", thrown);
  if (returned.name === "CKR_PIN_LOCKED")
    return pinLocked(slot.token, `C_Login returned ${showReturnValue(returned)}`);
  const token = showToken(slot.token);
  const isOfPin = returned.name.startsWith("CKR_PIN_");
  const what = isOfPin
    ? `The token ${token} refused the PIN`
    : `The login to the token ${token} failed`;
  return new SvcError("PKCS11_LOGIN_FAILED", {
    message:
      `${what}: C_Login returned ${showReturnValue(returned)}, a failed login ` +
      `(${DOCUMENTED_LOGIN_FAILURE}).${warningOf(module, slot)}`,
    remedy: isOfPin
      ? "Enter the token's user PIN with SVC_PKCS11_PIN, with `--pin-file`, or at the prompt."
      : TAKE_TURNS,
    cause: thrown,
    details: { returned: returned.name, number: returned.number },
  });
}

/** From the token's flags after the failure; empty when the token does not answer any more. */
function warningOf(module: Pkcs11Module, slot: TokenSlot): string {
  let pin: TokenFacts["pin"];
  try {
    ({ pin } = readToken(module, slot.handle));
  } catch {
    // The failed login is the error to report.
    return "";
  }
  if (pin.locked) return " The PIN is locked now.";
  if (pin.finalTry) return " One try is left before the token locks the PIN.";
  return pin.countLow ? " The token locks the PIN after too many wrong PINs." : "";
}

/** `how`: how the token reported it. */
export function pinLocked(token: TokenFacts, how: string): SvcError {
  return new SvcError("PKCS11_PIN_LOCKED", {
    message: `The user PIN of the token ${showToken(token)} is locked (${how}).`,
    remedy: "Unlock it with the token's own tool and the security officer's PIN.",
  });
}
