// Functions of the C library, for what Bun has no function for.

import { dlopen, type FFIFunction, type Library } from "bun:ffi";

/** With glibc, and with musl. */
const NAMES = ["libc.so.6", "libc.so", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/** Null where there is no such library. */
export function openCLibrary<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>["symbols"] | null {
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols;
    } catch {
      // Another name of the library.
    }
  }
  return null;
}
