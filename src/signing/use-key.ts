// Uses one key of one token. Between login and logout no code waits: whatever is thrown and
// whichever signal arrives, the session is closed first.

import { isSignatureOf } from "../base/ed25519.ts";
import { SvcError } from "../base/errors/errors.ts";
import type { Secret } from "../base/terminal/secret.ts";
import type { Signer } from "../model/signing-view.ts";
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

const SIGNATURE_LENGTH = 64;

/**
 * `use` must not keep the signer: the session ends after it. Throws as `openModule`, `selectToken`,
 * `selectKey` and `pkcs11Error`, and PKCS11_LOGIN_FAILED and PKCS11_PIN_LOCKED.
 */
export async function useTokenKey<Result>(
  access: {
    readonly place: ModulePlace;
    readonly token: TokenChoice;
    readonly key: KeyChoice;
    /** Called once, when the token is present and a login is possible. */
    readonly pinFor: (slot: TokenSlot) => Promise<Secret>;
    /** Called just before the session is opened; from then on signals wait. */
    readonly holdSignals: () => void;
  },
  use: (signer: Signer) => Result,
): Promise<Result> {
  using module = await openModule(access.place);
  const slot = selectToken(readSlots(module), access.token);
  if (slot.token.pin.locked) throw pinLocked(slot.token, "the token reports CKF_USER_PIN_LOCKED");
  using pin = await access.pinFor(slot);
  access.holdSignals();
  return inSession(module, slot, pin, (open) => {
    const key = selectKey(readPrivateKeys(open), access.key);
    const { publicKey, address } = key;
    return use({ publicKey, address, sign: (message) => sign(open, key, message) });
  });
}

/** `pin`: null for a session without login, which sees only public objects. */
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
    // The end of the last session logs out too.
  }
  try {
    native.C_CloseSession(session);
  } catch {
    // C_Finalize ends it.
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
    remedy:
      "Check with `svc hsm test` that the public key on the token belongs to the private key.",
  });
}
