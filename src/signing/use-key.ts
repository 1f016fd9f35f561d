// One key of one token, used. From login to logout nothing waits, so nothing comes between:
// whatever is thrown and whichever signal arrives, the session is closed before anything else
// happens.

import { isSignatureOf } from "../base/ed25519.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { Secret } from "../base/terminal/secret.ts";
import type { Signer } from "../model/signer.ts";
import { CKF, CKM_EDDSA, CKU_USER } from "./cryptoki.ts";
import { loginError, pinLocked } from "./login-error.ts";
import { type ModulePlace, openModule, type Pkcs11Module } from "./open-module.ts";
import {
  type KeyChoice,
  type OpenSession,
  readPrivateKeys,
  type SigningKey,
  selectKey,
} from "./token-keys.ts";
import { readSlots, selectToken, type TokenChoice, type TokenSlot } from "./tokens.ts";

export interface TokenAccess {
  readonly place: ModulePlace;
  readonly token: TokenChoice;
  readonly key: KeyChoice;
  /** Asked once, when the token is there and can be logged in to. */
  readonly pinFor: (slot: TokenSlot) => Promise<Secret>;
  /** Called just before the session is opened: signals wait from now on. */
  readonly holdSignals: () => void;
}

const SIGNATURE_LENGTH = 64;

/**
 * `use` must not keep the signer: the session ends with it. Throws what `openModule`, `selectToken`,
 * `selectKey` and `pkcs11Error` throw, PKCS11_LOGIN_FAILED and PKCS11_PIN_LOCKED.
 */
export async function useTokenKey<Result>(
  access: TokenAccess,
  use: (signer: Signer) => Result,
): Promise<Result> {
  using module = await openModule(access.place);
  const slot = selectToken(readSlots(module), access.token);
  if (slot.token.pin.locked) throw pinLocked(slot.token, "the token says CKF_USER_PIN_LOCKED");
  using pin = await access.pinFor(slot);
  access.holdSignals();
  return inSession(module, slot, pin, (open) => {
    const key = selectKey(readPrivateKeys(open), access.key);
    const { publicKey, address } = key;
    return use({ publicKey, address, sign: (message) => sign(open, key, message) });
  });
}

/** `pin`: null to see only what a token shows to everybody. */
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

/** What cannot be closed is gone already, with the token; what matters was thrown before. */
function closeSession(module: Pkcs11Module, session: Buffer, loggedIn: boolean): void {
  const { native } = module;
  try {
    if (loggedIn) native.C_Logout(session);
  } catch {
    // Closing the last session logs out as well.
  }
  try {
    native.C_CloseSession(session);
  } catch {
    // Finalising ends it.
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
    message: `The token returned ${length} bytes that are no signature by ${key.address}.`,
    remedy:
      "Check that the public key on the token belongs to the private one; svc hsm test shows it.",
  });
}
