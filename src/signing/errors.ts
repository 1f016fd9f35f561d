// The codes of tokens, keys and signatures: part of the catalogue. The daemon signs nothing.

import { EXIT, row } from "../base/errors/base-errors.ts";
import { flag, phrase, svc } from "../base/phrase.ts";

const SIGN_LOCALLY = "Sign with the command line of svc.";

export const SIGNING_ERRORS = {
  PKCS11_ADDON_UNAVAILABLE: row(EXIT.configuration, 500, {
    summary:
      "The addon for PKCS#11 modules cannot be loaded. " +
      "The file is missing beside svc, or was built for another system.",
    advice:
      "Set TMPDIR to a directory where files can be written and executed, or put pkcs11.node next " +
      "to svc.",
  }),
  PKCS11_MODULE_UNLOADABLE: row(EXIT.configuration, 500, {
    summary:
      "The PKCS#11 module does not exist, is not a PKCS#11 module, or cannot be initialized.",
    advice: "Set SVC_PKCS11_MODULE to the library that came with the token.",
  }),
  PKCS11_NO_SLOTS: row(EXIT.configuration, 500, {
    summary: "The PKCS#11 module has no slots.",
    advice: "Check that the device is connected, and that you have permission to use it.",
  }),
  PKCS11_TOKEN_NOT_FOUND: row(EXIT.configuration, 500, {
    summary: "No token matches the settings.",
    advice: phrase`Run ${svc("hsm list")}, then set SVC_PKCS11_TOKEN_LABEL or SVC_PKCS11_SLOT.`,
    httpAdvice: SIGN_LOCALLY,
  }),
  PKCS11_TOKEN_NOT_INITIALISED: row(EXIT.configuration, 500, {
    summary: "The token is blank, or has no user PIN.",
    advice: "Initialize the token with its own tool.",
  }),
  PKCS11_AMBIGUOUS: row(EXIT.configuration, 500, {
    summary: "Several tokens or keys match the settings.",
    advice: "Select one with SVC_PKCS11_SLOT or SVC_PKCS11_KEY_ID.",
  }),
  PKCS11_PIN_UNKNOWN: row(EXIT.configuration, 500, {
    summary: "No PIN is set, and there is no terminal for a prompt.",
    advice: phrase`Set SVC_PKCS11_PIN, or pass a file that contains the PIN with ${flag("pinFile")}.`,
    httpAdvice: SIGN_LOCALLY,
  }),
  PKCS11_LOGIN_FAILED: row(EXIT.configuration, 500, {
    summary: "The token refused the PIN (0x1000 in operating documents).",
    advice: "Check the PIN. Too many wrong PINs lock the token.",
  }),
  PKCS11_PIN_LOCKED: row(EXIT.configuration, 500, {
    summary: "The token's user PIN is locked.",
    advice: "Unlock it with the token's own tool and the security officer's PIN.",
  }),
  PKCS11_KEY_NOT_FOUND: row(EXIT.configuration, 500, {
    summary: "The private key is not on the token.",
    advice: phrase`Run ${svc("hsm list")}, then set SVC_PKCS11_KEY_LABEL or SVC_PKCS11_KEY_ID.`,
    httpAdvice: SIGN_LOCALLY,
  }),
  PKCS11_KEY_UNSUITABLE: row(EXIT.configuration, 500, {
    summary: "The key, or the token, cannot make Ed25519 signatures.",
    advice: phrase`Choose an Ed25519 key that may sign; ${svc("hsm list")} shows the keys.`,
    httpAdvice: SIGN_LOCALLY,
  }),
  PKCS11_TOKEN_REMOVED: row(EXIT.configuration, 500, {
    summary: "The token was removed while it was in use.",
    advice: "Check that the token is connected, then run the command again.",
  }),
  PKCS11_FAILED: row(EXIT.configuration, 500, {
    summary:
      "A PKCS#11 call failed. " +
      "The message has the function and the number that the module returned.",
    advice: phrase`Check the token with ${svc("hsm test")}, and read the module's own log.`,
    httpAdvice: SIGN_LOCALLY,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof SIGNING_ERRORS> {}
}
