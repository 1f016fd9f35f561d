// The memory of a process, from Linux's /proc.

import { readFileSync } from "node:fs";

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;

/** Bytes; 0 on other systems, and when the process is gone. */
export function residentMemoryOf(pid: number): number {
  try {
    return Number(RESIDENT.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
