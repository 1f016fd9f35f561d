// The slots of a module, the tokens in them, and the token that the settings select.

import { SvcError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";
import { CKF, type NativeTokenInfo, readNumber } from "./cryptoki.ts";
import type { Pkcs11Module } from "./open-module.ts";
import type { TokenSettings } from "./token-settings.ts";

export interface TokenFacts {
  readonly label: string;
  readonly manufacturer: string;
  readonly model: string;
  readonly serialNumber: string;
  readonly initialised: boolean;
  readonly loginRequired: boolean;
  readonly pin: {
    readonly initialised: boolean;
    /** True if a wrong PIN was entered since the last correct one. */
    readonly countLow: boolean;
    readonly finalTry: boolean;
    readonly locked: boolean;
    /** True if the PIN is entered on the device itself. */
    readonly onDevice: boolean;
  };
}

export interface SlotFacts {
  readonly id: number;
  readonly handle: Buffer;
  readonly description: string;
  /** Null for an empty slot. */
  readonly token: TokenFacts | null;
}

export type TokenSlot = SlotFacts & { readonly token: TokenFacts };

export type TokenChoice = Pick<TokenSettings, "tokenLabel" | "slot">;

/** The slots of a module. Throws PKCS11_NO_SLOTS if it has none. */
export function readSlots(module: Pkcs11Module): SlotFacts[] {
  const handles = module.call("C_GetSlotList", (native) => native.C_GetSlotList(false));
  if (handles.length === 0)
    throw new SvcError("PKCS11_NO_SLOTS", {
      message: `The PKCS#11 module ${module.path} has no slots.`,
      remedy:
        "Check that the device is connected, that its service runs, and that you have permission " +
        "to use it (groups, udev rules).",
      details: { module: module.path },
    });
  return handles.map((handle) => readSlot(module, handle));
}

/**
 * The token that the settings select. Throws PKCS11_TOKEN_NOT_FOUND, PKCS11_TOKEN_NOT_INITIALISED
 * and PKCS11_AMBIGUOUS.
 */
export function selectToken(slots: readonly SlotFacts[], choice: TokenChoice): TokenSlot {
  const present = slots.filter((slot): slot is TokenSlot => slot.token !== null);
  const matching = present.filter(
    ({ id, token }) =>
      (choice.slot === null || choice.slot === id) &&
      (choice.tokenLabel === null || choice.tokenLabel === token.label),
  );
  // Most modules show a blank token in addition to those in use. Only a slot number can select it.
  const usable = matching.filter(({ token }) => token.initialised && token.pin.initialised);
  const [only] = usable;
  if (only !== undefined && usable.length === 1) return only;
  if (usable.length > 1)
    throw new SvcError("PKCS11_AMBIGUOUS", {
      message: `${usable.length} tokens match: ${list(usable)}.`,
      remedy: "Select one with SVC_PKCS11_TOKEN_LABEL or SVC_PKCS11_SLOT.",
    });
  const [blank] = matching;
  if (blank !== undefined && (choice.slot !== null || choice.tokenLabel !== null))
    throw notInitialised(blank);
  throw notFound(slots, present, choice);
}

function notInitialised({ id, token }: TokenSlot): SvcError {
  const state = token.initialised ? "has no user PIN yet" : "is not initialized";
  return new SvcError("PKCS11_TOKEN_NOT_INITIALISED", {
    message: `The token in slot ${id} ${state}.`,
    remedy:
      "Initialize the token with its own tool, such as `softhsm2-util --init-token`, and add a key.",
  });
}

function notFound(
  slots: readonly SlotFacts[],
  present: readonly TokenSlot[],
  { tokenLabel, slot }: TokenChoice,
): SvcError {
  const choice = [
    ...(tokenLabel === null ? [] : [`with label "${tokenLabel}"`]),
    ...(slot === null ? [] : [`in slot ${slot}`]),
  ].join(" ");
  const tokensInWords =
    present.length === 0
      ? `${slots.length === 1 ? "The only slot is" : `All ${slots.length} slots are`} empty.`
      : `Tokens: ${list(present)}.`;
  return new SvcError("PKCS11_TOKEN_NOT_FOUND", {
    message: `${choice === "" ? "No token is ready for use" : `There is no token ${choice}`}. ${tokensInWords}`,
    remedy: phrase`Connect the token, or correct SVC_PKCS11_TOKEN_LABEL and SVC_PKCS11_SLOT; ${svc("hsm list")} shows all tokens.`,
  });
}

function list(slots: readonly TokenSlot[]): string {
  return slots.map(({ id, token }) => `${showToken(token)} in slot ${id}`).join(", ");
}

/** The token's label in quotes. A blank token has no label. */
export function showToken({ initialised, label }: TokenFacts): string {
  return initialised ? `"${label}"` : "a blank token";
}

function readSlot(module: Pkcs11Module, handle: Buffer): SlotFacts {
  const { slotDescription, flags } = module.call("C_GetSlotInfo", (native) =>
    native.C_GetSlotInfo(handle),
  );
  const present = (flags & CKF.TOKEN_PRESENT) !== 0;
  return {
    id: readNumber(handle),
    handle,
    description: trimmed(slotDescription),
    token: present ? readToken(module, handle) : null,
  };
}

/**
 * Reads a token. It is read again after a failed login, because its flags change with every wrong
 * PIN.
 */
export function readToken(module: Pkcs11Module, slot: Buffer): TokenFacts {
  return tokenFacts(module.call("C_GetTokenInfo", (native) => native.C_GetTokenInfo(slot)));
}

function tokenFacts(info: NativeTokenInfo): TokenFacts {
  const has = (flag: number) => (info.flags & flag) !== 0;
  return {
    label: trimmed(info.label),
    manufacturer: trimmed(info.manufacturerID),
    model: trimmed(info.model),
    serialNumber: trimmed(info.serialNumber),
    initialised: has(CKF.TOKEN_INITIALIZED),
    loginRequired: has(CKF.LOGIN_REQUIRED),
    pin: {
      initialised: has(CKF.USER_PIN_INITIALIZED),
      countLow: has(CKF.USER_PIN_COUNT_LOW),
      finalTry: has(CKF.USER_PIN_FINAL_TRY),
      locked: has(CKF.USER_PIN_LOCKED),
      onDevice: has(CKF.PROTECTED_AUTHENTICATION_PATH),
    },
  };
}

/** The text without padding. PKCS#11 pads its texts with spaces, and some modules use zeros. */
export function trimmed(text: string): string {
  return text.replace(/[\s\0]+$/, "");
}
