// Uses one key of one token. Between login and logout no code waits, so that the session is closed
// first, whatever is thrown and whichever signal arrives.

import { isSignatureOf } from "../base/ed25519.ts";
import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase, svc } from "../base/phrase.ts";
import type { Secret } from "../base/terminal/secret.ts";
import type { Signer } from "../model/signing-view.ts";
import { CKF, CKM_EDDSA, CKU_USER } from "./cryptoki.ts";
import { type ModulePlace, openModule, type Pkcs11Module } from "./open-module.ts";
import {
  isRemoval,
  pkcs11Error,
  returnValueOf,
  showReturnValue,
  TAKE_TURNS,
} from "./pkcs11-error.ts";
import { type OpenSession, readPrivateKeys, type SigningKey, selectKey } from "./token-keys.ts";
import type { TokenSettings } from "./token-settings.ts";
import {
  readSlots,
  readToken,
  selectToken,
  showToken,
  type TokenFacts,
  type TokenSlot,
} from "./tokens.ts";

const SIGNATURE_LENGTH = 64;

/**
 * Calls `use` with the key. `use` must not keep the signer, because the session ends after it.
 * Throws the errors of `openModule`, `selectToken`, `selectKey` and `pkcs11Error`, and
 * PKCS11_LOGIN_FAILED and PKCS11_PIN_LOCKED.
 */
export async function useTokenKey<Result>(
  access: {
    readonly place: ModulePlace;
    /** The settings that select a token and a key. */
    readonly settings: TokenSettings;
    /** Called once, when the token is present and a login is possible. */
    readonly pinFor: (slot: TokenSlot) => Promise<Secret>;
    /** Called just before the session is opened; from then on signals wait. */
    readonly holdSignals: () => void;
  },
  use: (signer: Signer) => Result,
): Promise<Result> {
  using module = await openModule(access.place);
  const slot = selectToken(readSlots(module), access.settings);
  if (slot.token.pin.locked) throw pinLocked(slot.token, "the token reports CKF_USER_PIN_LOCKED");
  using pin = await access.pinFor(slot);
  access.holdSignals();
  return inSession(module, slot, pin, (open) => {
    const key = selectKey(readPrivateKeys(open), access.settings);
    const { publicKey, address } = key;
    return use({ publicKey, address, sign: (message) => sign(open, key, message) });
  });
}

/**
 * Runs `use` in a session. `pin` is null for a session without login, which sees only public
 * objects.
 */
export function inSession<Result>(
  module: Pkcs11Module,
  slot: TokenSlot,
  pin: Secret | null,
  action: (open: OpenSession) => Result,
): Result {
  const session = module.call("C_OpenSession", (native) =>
    native.C_OpenSession(slot.handle, CKF.SERIAL_SESSION),
  );
  let loggedIn = false;
  try {
    if (pin !== null) login(module, slot, session, pin);
    loggedIn = pin !== null;
    return action({ module, session });
  } finally {
    closeSession(module, session, loggedIn);
  }
}

function login(module: Pkcs11Module, slot: TokenSlot, session: Buffer, pin: Secret): void {
  try {
    pin.use((text) => module.native.C_Login(session, CKU_USER, text));
  } catch (thrown) {
    throw loginError(thrown, module, slot);
  }
}

/** A session that cannot be closed went away with the token; the first error was thrown before. */
function closeSession(module: Pkcs11Module, session: Buffer, loggedIn: boolean): void {
  const { native } = module;
  try {
    if (loggedIn) native.C_Logout(session);
  } catch {
    // The end of the last session also logs out.
  }
  try {
    native.C_CloseSession(session);
  } catch {
    // C_Finalize ends the session.
  }
}

function sign({ module, session }: OpenSession, key: SigningKey, message: Uint8Array): Uint8Array {
  module.call("C_SignInit", (native) =>
    native.C_SignInit(session, { mechanism: CKM_EDDSA }, key.handle),
  );
  const buffer = Buffer.alloc(2 * SIGNATURE_LENGTH);
  const length = module.call("C_Sign", (native) =>
    native.C_Sign(session, Buffer.from(message), buffer),
  );
  const signature = new Uint8Array(buffer.subarray(0, length));
  if (isSignatureOf(key.publicKey, message, signature)) return signature;
  throw new SvcError("PKCS11_FAILED", {
    message: `The token returned ${length} bytes that are not a valid signature by ${key.address}.`,
    remedy: phrase`Check with ${svc("hsm test")} that the public key on the token belongs to the private key.`,
  });
}

// Explains why a token refused the PIN, with the token's own warning before it locks the PIN. This
// code never receives the PIN.

/** The number that manuals give a failed login, whatever the token returned. */
const DOCUMENTED_LOGIN_FAILURE = "0x1000";

function loginError(thrown: unknown, module: Pkcs11Module, slot: TokenSlot): SvcError {
  const returned = returnValueOf(thrown);
  if (returned === null || isRemoval(returned)) return pkcs11Error("C_Login", thrown);
  if (returned.name === "CKR_PIN_LOCKED")
    return pinLocked(slot.token, `C_Login returned ${showReturnValue(returned)}`);
  const token = showToken(slot.token);
  const isOfPin = returned.name.startsWith("CKR_PIN_");
  const refusal = isOfPin
    ? `The token ${token} refused the PIN`
    : `The login to the token ${token} failed`;
  return new SvcError("PKCS11_LOGIN_FAILED", {
    message:
      `${refusal}: C_Login returned ${showReturnValue(returned)}, a failed login ` +
      `(${DOCUMENTED_LOGIN_FAILURE}).${warningOf(module, slot)}`,
    remedy: isOfPin
      ? phrase`Enter the token's user PIN with SVC_PKCS11_PIN, with ${flag("pinFile")}, or at the prompt.`
      : TAKE_TURNS,
    cause: thrown,
    details: { returned: returned.name, number: returned.number },
  });
}

/**
 * The warning in the token's flags after the failure; empty if the token does not answer any
 * longer.
 */
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

/** The error of a locked PIN. `how` says how the token reported it. */
function pinLocked(token: TokenFacts, how: string): SvcError {
  return new SvcError("PKCS11_PIN_LOCKED", {
    message: `The user PIN of the token ${showToken(token)} is locked (${how}).`,
    remedy: "Unlock it with the token's own tool and the security officer's PIN.",
  });
}
