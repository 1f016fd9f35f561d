// Prepares the process for work that takes minutes, such as a long verification or rehearsal.

import type { Shell } from "./shell.ts";

const ENGINE_SETTING = "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp";
/**
 * With these settings the JavaScript engine assumes 128 MiB of memory, and collects garbage
 * earlier.
 */
const ENGINE_SETTINGS = { [ENGINE_SETTING]: "1000000", BUN_JSC_forceRAMSize: "134217728" };

/** Without this stage of compilation, what runs often is still compiled, in less time. */
const WITHOUT_OPTIMIZATION = { BUN_JSC_useDFGJIT: "0" };

/**
 * Starts svc again with settings for long work. The engine's highest stage of compilation takes
 * longer than it saves if it begins as early as usual (docs/internals/performance.md), and Bun
 * reads its settings only at its start. Standard input must not have been read before.
 * `isForSimulator` says that svc itself has little to do beside svc-sim. The stage before the
 * highest then takes longer than it saves, too.
 */
export function beginLongWork({ facts }: Shell, { isForSimulator = false } = {}): void {
  // The workers get this process's environment without the PIN, which none of them needs.
  const { SVC_PKCS11_PIN: pin, ...environment } = facts.environment;
  const settings = { ...ENGINE_SETTINGS, ...(isForSimulator && WITHOUT_OPTIMIZATION) };
  if (!(ENGINE_SETTING in environment) || pin !== undefined)
    facts.restart?.({ ...settings, ...environment });
  Bun.unsafe.setJITPolicy(1);
}
