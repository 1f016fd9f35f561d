// Keeps the PIN out of core dumps, and protects svc's memory and environment from other processes
// of the same user. On Linux, the process is set to "not dumpable" (prctl(2), PR_SET_DUMPABLE). On
// other systems only the user's own limits apply (`ulimit -c`).

import { dlopen } from "bun:ffi";

const PR_SET_DUMPABLE = 4;
/** The file names of glibc and of musl. */
const C_LIBRARIES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"];

/** Protects the process. Call it before the PIN is read. */
export function guardMemory(): void {
  if (process.platform !== "linux") return;
  for (const library of C_LIBRARIES) {
    try {
      const { symbols } = dlopen(library, {
        prctl: { args: ["int", "u64", "u64", "u64", "u64"], returns: "int" },
      });
      symbols.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
      return;
    } catch {
      // This system has another C library: try the next name.
    }
  }
}
