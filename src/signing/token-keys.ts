// The keys on a token, and the key that the settings select. A public key belongs to the private
// key with the same CKA_ID, or with the same label where there is no ID.

import { SvcError } from "../base/errors/errors.ts";
import { encodeStrkey } from "../base/text/strkey.ts";
import { CKA, CKK_EC_EDWARDS, CKO, KEY_TYPE_NAMES, readNumber } from "./cryptoki.ts";
import type { Pkcs11Module } from "./open-module.ts";
import { returnValueOf } from "./pkcs11-error.ts";
import type { TokenSettings } from "./token-settings.ts";

export interface KeyFacts {
  readonly label: string;
  /** The CKA_ID in hex; empty if there is none. */
  readonly id: string;
  /** The type `Ed25519`, or the name or number of a type that svc cannot use. */
  readonly type: string;
  /**
   * The 32 bytes of the public key; null if it is not an Ed25519 key, or if the token does not have
   * the public key.
   */
  readonly publicKey: Uint8Array | null;
  /** The strkey. */
  readonly address: string | null;
}

export interface PrivateKey extends KeyFacts {
  readonly handle: Buffer;
  readonly maySign: boolean;
}

export type SigningKey = PrivateKey & { readonly publicKey: Uint8Array; readonly address: string };

export interface OpenSession {
  readonly module: Pkcs11Module;
  readonly session: Buffer;
}

const ED25519 = "Ed25519";
/** CKA_EC_PARAMS of Ed25519: the curve's object identifier 1.3.101.112, or its name. */
const ED25519_PARAMETERS = ["06032b6570", `130c${Buffer.from("edwards25519").toString("hex")}`];
const ATTRIBUTE_WITHHELD = ["CKR_ATTRIBUTE_TYPE_INVALID", "CKR_ATTRIBUTE_SENSITIVE"];
/** No token has more keys. svc stops a module that returns keys without end. */
const MAXIMUM_KEYS = 10_000;
const FOUND_AT_ONCE = 64;

/** The private keys. Most tokens show them only after a login. */
export function readPrivateKeys(open: OpenSession): PrivateKey[] {
  const publicKeys = readPublicKeys(open);
  const keys = findKeys(open, CKO.PRIVATE_KEY).map((handle) => ({
    handle,
    own: readKey(open, handle),
  }));
  const named = (left: KeyFacts, right: KeyFacts) =>
    left.id === "" ? right.id === "" && left.label === right.label : left.id === right.id;
  return keys.map(({ handle, own }) => {
    const pairs = publicKeys.filter((each) => named(own, each));
    // If two keys have one name, it is unknown to which of them the public key belongs.
    const isOnly = pairs.length === 1 && keys.filter((each) => named(own, each.own)).length === 1;
    const paired = isOnly && own.type === ED25519 ? (pairs[0]?.publicKey ?? null) : null;
    const publicKey = own.publicKey ?? paired;
    const maySign = readAttribute(open, handle, CKA.SIGN)?.[0] !== 0;
    return { ...own, ...withAddress(publicKey), handle, maySign };
  });
}

export function readPublicKeys(open: OpenSession): KeyFacts[] {
  return findKeys(open, CKO.PUBLIC_KEY).map((handle) => readKey(open, handle));
}

/**
 * The key that the settings select. Throws PKCS11_KEY_NOT_FOUND, PKCS11_KEY_UNSUITABLE and
 * PKCS11_AMBIGUOUS.
 */
export function selectKey(
  keys: readonly PrivateKey[],
  choice: Pick<TokenSettings, "keyLabel" | "keyId">,
): SigningKey {
  const isChosen = choice.keyLabel !== null || choice.keyId !== null;
  const matching = keys.filter(
    ({ label, id, type }) =>
      (choice.keyLabel === null || choice.keyLabel === label) &&
      (choice.keyId === null || choice.keyId === id) &&
      (isChosen || type === ED25519),
  );
  const [only] = matching;
  if (only === undefined) throw notFound(keys, choice);
  if (matching.length > 1) {
    const names = new Set(matching.map(({ label, id }) => `${id} ${label}`));
    throw new SvcError("PKCS11_AMBIGUOUS", {
      message: `${matching.length} keys match: ${matching.map(showKey).join(", ")}.`,
      remedy:
        names.size === matching.length
          ? "Select one with SVC_PKCS11_KEY_ID, or with SVC_PKCS11_KEY_LABEL if labels differ."
          : "Set a different CKA_ID for each key, for example with `pkcs11-tool --set-id` (docs/hsm.md), " +
            "and select it with SVC_PKCS11_KEY_ID.",
    });
  }
  return suitable(only);
}

/** The text of a key, for example `"treasury" (ID 01, Ed25519, G…)`. */
function showKey({ label, id, type, address }: KeyFacts): string {
  const facts = [...(id === "" ? [] : [`ID ${id}`]), type, ...(address === null ? [] : [address])];
  return `"${label}" (${facts.join(", ")})`;
}

function suitable(key: PrivateKey): SigningKey {
  const { publicKey, address } = key;
  const unsuitable = (why: string, remedy: string) =>
    new SvcError("PKCS11_KEY_UNSUITABLE", { message: `The key ${showKey(key)} ${why}.`, remedy });
  if (key.type !== ED25519)
    throw unsuitable(
      "is not an Ed25519 key, and Stellar accounts sign only with Ed25519",
      "Choose an Ed25519 key; `svc hsm list` shows the keys.",
    );
  if (!key.maySign)
    throw unsuitable(
      "cannot be used to sign (CKA_SIGN is false)",
      "Choose another key, or create one with CKA_SIGN.",
    );
  if (publicKey === null || address === null)
    throw unsuitable(
      "has no public key on the token",
      "Import its public key with the same CKA_ID, so that svc knows the signer.",
    );
  return { ...key, publicKey, address };
}

function notFound(
  keys: readonly PrivateKey[],
  { keyLabel, keyId }: Pick<TokenSettings, "keyLabel" | "keyId">,
): SvcError {
  const choice = [
    ...(keyLabel === null ? [] : [`with label "${keyLabel}"`]),
    ...(keyId === null ? [] : [`with ID ${keyId}`]),
  ].join(" ");
  const shown = keys.length === 0 ? "none" : keys.map(showKey).join(", ");
  return new SvcError("PKCS11_KEY_NOT_FOUND", {
    message: `No private key ${choice === "" ? "for Ed25519" : choice} is on the token. Private keys on the token: ${shown}.`,
    remedy: "Correct SVC_PKCS11_KEY_LABEL or SVC_PKCS11_KEY_ID, or choose another token.",
  });
}

function findKeys({ module, session }: OpenSession, objectClass: number): Buffer[] {
  module.call("C_FindObjectsInit", (native) =>
    native.C_FindObjectsInit(session, [{ type: CKA.CLASS, value: objectClass }]),
  );
  const handles: Buffer[] = [];
  try {
    while (handles.length < MAXIMUM_KEYS) {
      const some = module.call("C_FindObjects", (native) =>
        native.C_FindObjects(session, FOUND_AT_ONCE),
      );
      if (some.length === 0) break;
      handles.push(...some);
    }
  } finally {
    module.call("C_FindObjectsFinal", (native) => native.C_FindObjectsFinal(session));
  }
  return handles;
}

function readKey(open: OpenSession, handle: Buffer): KeyFacts {
  const type = keyType(open, handle);
  const point = type === ED25519 ? readAttribute(open, handle, CKA.EC_POINT) : null;
  return {
    label: readAttribute(open, handle, CKA.LABEL)?.toString("utf8") ?? "",
    id: readAttribute(open, handle, CKA.ID)?.toString("hex") ?? "",
    type,
    ...withAddress(point === null ? null : publicKeyOfPoint(point)),
  };
}

function keyType(open: OpenSession, handle: Buffer): string {
  const value = readAttribute(open, handle, CKA.KEY_TYPE);
  if (value === null) return "unknown";
  const number = readNumber(value);
  const name = KEY_TYPE_NAMES[number] ?? `0x${number.toString(16)}`;
  if (number !== CKK_EC_EDWARDS) return name;
  const parameters = readAttribute(open, handle, CKA.EC_PARAMS)?.toString("hex") ?? "";
  return ED25519_PARAMETERS.includes(parameters) ? ED25519 : `${name} ${parameters}`;
}

/**
 * The public key in CKA_EC_POINT. An Ed25519 key is a DER octet string in PKCS#11 3.0, a DER bit
 * string in later versions, and with some modules the plain 32 bytes. Null for anything else.
 */
export function publicKeyOfPoint(point: Buffer): Uint8Array | null {
  if (point.length === 32) return new Uint8Array(point);
  const header = point.subarray(0, -32).toString("hex");
  return header === "0420" || header === "032100" ? new Uint8Array(point.subarray(-32)) : null;
}

/** The value of an attribute; null if the object does not have it, or does not reveal it. */
function readAttribute({ module, session }: OpenSession, handle: Buffer, type: number) {
  return module.call("C_GetAttributeValue", (native) => {
    try {
      const [attribute] = native.C_GetAttributeValue(session, handle, [{ type }]);
      return attribute?.value ?? null;
    } catch (thrown) {
      const returned = returnValueOf(thrown)?.name ?? "";
      if (ATTRIBUTE_WITHHELD.includes(returned)) return null;
      throw thrown;
    }
  });
}

function withAddress(publicKey: Uint8Array | null) {
  return { publicKey, address: publicKey === null ? null : encodeStrkey("account", publicKey) };
}
