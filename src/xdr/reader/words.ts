// Big-endian integers in byte arrays. For single reads this is much faster than a DataView, whose
// creation costs more than the read.

export function uint32At(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) * 0x1000000 +
    (((bytes[at + 1] as number) << 16) |
      ((bytes[at + 2] as number) << 8) |
      (bytes[at + 3] as number))
  );
}

export function int32At(bytes: Uint8Array, at: number): number {
  return uint32At(bytes, at) | 0;
}

export function uint64At(bytes: Uint8Array, at: number): bigint {
  return (BigInt(uint32At(bytes, at)) << 32n) | BigInt(uint32At(bytes, at + 4));
}

export function int64At(bytes: Uint8Array, at: number): bigint {
  return BigInt.asIntN(64, uint64At(bytes, at));
}

export function setUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

export function setUint64(bytes: Uint8Array, at: number, value: bigint): void {
  setUint32(bytes, at, Number((value >> 32n) & 0xffffffffn));
  setUint32(bytes, at + 4, Number(value & 0xffffffffn));
}

/** Writes the integers one after another. */
export function uint32s(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * values.length);
  for (const [i, value] of values.entries()) setUint32(bytes, 4 * i, value);
  return bytes;
}
