// PKCS#11 2.40 and 3.0: the constants that svc needs, and the calls of pkcs11js's native half.

export const CKF = {
  OS_LOCKING_OK: 0x2,
  TOKEN_PRESENT: 0x1,
  SERIAL_SESSION: 0x4,
  LOGIN_REQUIRED: 0x4,
  USER_PIN_INITIALIZED: 0x8,
  PROTECTED_AUTHENTICATION_PATH: 0x100,
  TOKEN_INITIALIZED: 0x400,
  USER_PIN_COUNT_LOW: 0x10000,
  USER_PIN_FINAL_TRY: 0x20000,
  USER_PIN_LOCKED: 0x40000,
} as const;

export const CKA = {
  CLASS: 0x0,
  LABEL: 0x3,
  KEY_TYPE: 0x100,
  ID: 0x102,
  SIGN: 0x108,
  EC_PARAMS: 0x180,
  EC_POINT: 0x181,
} as const;

export const CKO = { PUBLIC_KEY: 2, PRIVATE_KEY: 3 } as const;

/** CKK_EC_EDWARDS of PKCS#11 3.0. */
export const CKK_EC_EDWARDS = 0x40;

/** Defined in PKCS#11 3.0; without a parameter it is plain Ed25519 (RFC 8032). */
export const CKM_EDDSA = 0x1057;

export const CKU_USER = 1;

/** The names of common key types. */
export const KEY_TYPE_NAMES: Readonly<Record<number, string>> = {
  0: "RSA",
  1: "DSA",
  2: "DH",
  3: "EC",
  [CKK_EC_EDWARDS]: "EC_EDWARDS",
  65: "EC_MONTGOMERY",
};

export interface NativeModuleInfo {
  readonly cryptokiVersion: { readonly major: number; readonly minor: number };
  readonly manufacturerID: string;
  readonly libraryDescription: string;
  readonly libraryVersion: { readonly major: number; readonly minor: number };
}

export interface NativeSlotInfo {
  readonly slotDescription: string;
  readonly flags: number;
}

export interface NativeTokenInfo {
  readonly label: string;
  readonly manufacturerID: string;
  readonly model: string;
  readonly serialNumber: string;
  readonly flags: number;
}

export interface Attribute {
  readonly type: number;
  readonly value?: Buffer | number;
}

/**
 * The native half of pkcs11js. Slots, sessions and objects are handles: the bytes of a CK_ULONG.
 */
export interface NativePkcs11 {
  load(path: string): void;
  C_Initialize(options: { readonly flags: number }): void;
  C_Finalize(): void;
  C_GetInfo(): NativeModuleInfo;
  C_GetSlotList(tokenPresent: boolean): Buffer[];
  C_GetSlotInfo(slot: Buffer): NativeSlotInfo;
  C_GetTokenInfo(slot: Buffer): NativeTokenInfo;
  C_GetMechanismList(slot: Buffer): number[];
  C_OpenSession(slot: Buffer, flags: number): Buffer;
  C_CloseSession(session: Buffer): void;
  C_Login(session: Buffer, userType: number, pin: string): void;
  C_Logout(session: Buffer): void;
  C_FindObjectsInit(session: Buffer, template: readonly Attribute[]): void;
  C_FindObjects(session: Buffer, maximum: number): Buffer[];
  C_FindObjectsFinal(session: Buffer): void;
  /** Sets `value`. Throws if the object does not have the attribute. */
  C_GetAttributeValue(
    session: Buffer,
    object: Buffer,
    template: readonly { readonly type: number }[],
  ): { readonly type: number; readonly value?: Buffer }[];
  C_SignInit(session: Buffer, mechanism: { readonly mechanism: number }, key: Buffer): void;
  /** Returns the number of bytes that it wrote to `signature`. */
  C_Sign(session: Buffer, data: Buffer, signature: Buffer): number;
}

/** The exports of `pkcs11.node` that svc uses. */
export interface NativeAddon {
  readonly PKCS11: new () => NativePkcs11;
}

/**
 * The number in a CK_ULONG, which has 8 bytes, and 4 on Windows. svc reads no number above 2^48.
 */
export function readNumber(bytes: Buffer): number {
  return bytes.readUIntLE(0, Math.min(bytes.length, 6));
}
