// The settings of svc debug for a what-if run.

import { inGroup, type Setting } from "../../base/settings/setting.ts";

interface OverrideSetting extends Setting {
  /** The field of an overrides file that the flag sets: one number or time. */
  readonly sets?: readonly [section: "ledger" | "limits", field: string];
}

export const OVERRIDES = inGroup("What if", {
  override: {
    hint: "FILE",
    help: "The changes in this file.",
  },
  overrideArgument: {
    hint: "NAME=VALUE",
    repeats: true,
    help: "A call argument, by name or position from 0.",
  },
  overrideBalance: {
    hint: "ACCOUNT=STROOPS",
    repeats: true,
    help: "The balance of an account.",
  },
  overrideEntry: {
    hint: "KEY:ENTRY",
    repeats: true,
    help: "A ledger entry in base64, or KEY:removed.",
  },
  overrideWasm: {
    hint: "CONTRACT=FILE",
    repeats: true,
    help: "The code of a contract, such as a new build.",
  },
  overrideCloseTime: {
    hint: "TIME",
    sets: ["ledger", "closeTime"],
    help: "Close time: 2026-11-21T10:00:00Z.",
  },
  overrideLedger: {
    hint: "N",
    sets: ["ledger", "sequence"],
    help: "Ledger sequence.",
  },
  overrideProtocol: {
    hint: "N",
    sets: ["ledger", "protocolVersion"],
    help: "Protocol version.",
  },
  overrideInstructions: {
    hint: "N",
    sets: ["limits", "instructions"],
    help: "Declared CPU instructions.",
  },
  overrideReadBytes: {
    hint: "N",
    sets: ["limits", "diskReadBytes"],
    help: "Declared disk read bytes.",
  },
  overrideWriteBytes: {
    hint: "N",
    sets: ["limits", "writeBytes"],
    help: "Declared write bytes.",
  },
  overrideResourceFee: {
    hint: "STROOPS",
    sets: ["limits", "resourceFeeStroops"],
    help: "Declared resource fee; the bid rises too.",
  },
  overrideMemory: {
    hint: "BYTES",
    sets: ["limits", "memoryBytes"],
    help: "Memory limit of the network.",
  },
  overrideEvents: {
    hint: "BYTES",
    sets: ["limits", "eventsBytes"],
    help: "Limit for events and return value.",
  },
} as const satisfies Readonly<Record<string, OverrideSetting>>);
