// How much memory a process holds, where the system tells it in a file: Linux.

import { readFileSync } from "node:fs";

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;

/** Bytes; 0 where the system does not tell, and when the process is gone. */
export function residentMemoryOf(pid: number): number {
  try {
    return Number(RESIDENT.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
