// The memory of a process, from Linux's /proc.

import { readFileSync } from "node:fs";

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;

/** The resident memory in bytes; 0 on other systems, and after the process has ended. */
export function residentMemoryOf(pid: number): number {
  try {
    return Number(RESIDENT.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
