// Lists the slots, tokens, mechanisms and keys of a PKCS#11 module.

import type { Secret } from "../base/terminal/secret.ts";
import { CKM_EDDSA } from "./cryptoki.ts";
import { type ModulePlace, openModule, type Pkcs11Module } from "./open-module.ts";
import { type KeyFacts, readPrivateKeys, readPublicKeys } from "./token-keys.ts";
import {
  readSlots,
  type SlotFacts,
  selectToken,
  type TokenChoice,
  type TokenFacts,
  type TokenSlot,
  trimmed,
} from "./tokens.ts";
import { inSession } from "./use-key.ts";

export interface ModuleReport {
  readonly path: string;
  readonly manufacturer: string;
  readonly description: string;
  readonly libraryVersion: string;
  readonly cryptokiVersion: string;
  readonly slots: readonly SlotReport[];
}

export interface SlotReport {
  readonly id: number;
  readonly description: string;
  /** Null for an empty slot. */
  readonly token: TokenReport | null;
}

export interface TokenReport extends TokenFacts {
  /** CKM_… numbers. */
  readonly mechanisms: readonly number[];
  readonly signsEd25519: boolean;
  /** Null: svc did not log in to this token, and so cannot see private keys. */
  readonly privateKeys: readonly (KeyFacts & { readonly maySign: boolean })[] | null;
  readonly publicKeys: readonly KeyFacts[];
}

/**
 * Lists a module's slots. svc logs in only to the token that the settings select, because a wrong
 * PIN counts on every token on which it is tried. Throws the errors of `openModule`, `readSlots`
 * and `inSession`.
 */
export async function examineModule(access: {
  readonly place: ModulePlace;
  readonly token: TokenChoice;
  /** Null if there is no PIN; private keys are then not listed. */
  readonly pin: Secret | null;
  readonly holdSignals: () => void;
}): Promise<ModuleReport> {
  using module = await openModule(access.place);
  const slots = readSlots(module);
  const chosen = access.pin === null ? null : tokenToLogInTo(slots, access.token);
  access.holdSignals();
  const { manufacturerID, libraryDescription, libraryVersion, cryptokiVersion } = module.info;
  return {
    path: module.path,
    manufacturer: trimmed(manufacturerID),
    description: trimmed(libraryDescription),
    libraryVersion: `${libraryVersion.major}.${libraryVersion.minor}`,
    cryptokiVersion: `${cryptokiVersion.major}.${cryptokiVersion.minor}`,
    slots: slots.map((slot) => ({
      id: slot.id,
      description: slot.description,
      token: hasToken(slot)
        ? examineToken(module, slot, slot === chosen ? access.pin : null)
        : null,
    })),
  };
}

/** Null if several tokens are ready and none is selected: users need the list to select one. */
function tokenToLogInTo(slots: readonly SlotFacts[], choice: TokenChoice): TokenSlot | null {
  const anyOf = choice.tokenLabel === null && choice.slot === null;
  const ready = slots.filter(({ token }) => token?.initialised && token.pin.initialised);
  return anyOf && ready.length !== 1 ? null : selectToken(slots, choice);
}

function hasToken(slot: SlotFacts): slot is TokenSlot {
  return slot.token !== null;
}

function examineToken(module: Pkcs11Module, slot: TokenSlot, pin: Secret | null): TokenReport {
  const mechanisms = module.call("C_GetMechanismList", (native) =>
    native.C_GetMechanismList(slot.handle),
  );
  const signsEd25519 = mechanisms.includes(CKM_EDDSA);
  const facts = { ...slot.token, mechanisms, signsEd25519 };
  if (!slot.token.initialised) return { ...facts, privateKeys: null, publicKeys: [] };
  return inSession(module, slot, pin, (open) => ({
    ...facts,
    privateKeys:
      pin === null ? null : readPrivateKeys(open).map(({ handle: _handle, ...key }) => key),
    publicKeys: readPublicKeys(open),
  }));
}
