// The settings of svc debug for a what-if run.

import type { Setting } from "../../base/settings/setting.ts";

interface OverrideSetting extends Setting {
  /** The field of an overrides file that the flag sets: one number or time. */
  readonly sets?: readonly [section: "ledger" | "limits", field: string];
}

export const OVERRIDES = {
  override: {
    hint: "FILE",
    help: "Run the transaction again with the changes in this file, and show the differences.",
  },
  overrideArgument: {
    hint: "NAME=VALUE",
    repeats: true,
    help: "Replace a call argument, by name or position (from 0). VALUE is JSON of the argument's type.",
  },
  overrideBalance: {
    hint: "ACCOUNT=STROOPS",
    repeats: true,
    help: "Replace the balance of an account.",
  },
  overrideEntry: {
    hint: "KEY:ENTRY",
    repeats: true,
    help: "Replace a ledger entry; key and entry in base64. KEY:removed removes the entry.",
  },
  overrideWasm: {
    hint: "CONTRACT=FILE",
    repeats: true,
    help: "Replace the code of a contract.",
  },
  overrideCloseTime: {
    hint: "TIME",
    sets: ["ledger", "closeTime"],
    help: "Replace the close time: 2026-11-21T10:00:00Z, or Unix seconds.",
  },
  overrideLedger: {
    hint: "N",
    sets: ["ledger", "sequence"],
    help: "Replace the ledger sequence.",
  },
  overrideProtocol: {
    hint: "N",
    sets: ["ledger", "protocolVersion"],
    help: "Replace the protocol version.",
  },
  overrideInstructions: {
    hint: "N",
    sets: ["limits", "instructions"],
    help: "Replace the declared CPU instructions.",
  },
  overrideReadBytes: {
    hint: "N",
    sets: ["limits", "diskReadBytes"],
    help: "Replace the declared disk read bytes.",
  },
  overrideWriteBytes: {
    hint: "N",
    sets: ["limits", "writeBytes"],
    help: "Replace the declared write bytes.",
  },
  overrideResourceFee: {
    hint: "STROOPS",
    sets: ["limits", "resourceFeeStroops"],
    help: "Replace the declared resource fee. The fee bid rises with it.",
  },
  overrideMemory: {
    hint: "BYTES",
    sets: ["limits", "memoryBytes"],
    help: "Replace the network's memory limit.",
  },
  overrideEvents: {
    hint: "BYTES",
    sets: ["limits", "eventsBytes"],
    help: "Replace the network's size limit for events and result.",
  },
} as const satisfies Readonly<Record<string, OverrideSetting>>;
