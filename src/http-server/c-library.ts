// Functions of the C library that Bun does not offer.

import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** The file names of glibc and of musl. */
const NAMES = ["libc.so.6", "libc.so", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/** Opens the library; null if there is none. */
export function openCLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // The library may have another name.
    }
  }
  return null;
}
