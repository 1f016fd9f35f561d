// The settings of svc debug for a what-if run.

import { inGroup, type Setting } from "../../base/settings/setting.ts";

interface OverrideSetting extends Setting {
  /** The field of an overrides file that the flag sets with one number or time. */
  readonly sets?: readonly [section: "ledger" | "limits", field: string];
}

export const OVERRIDES = inGroup("What if", {
  override: {
    hint: "FILE",
    help: "Run the transaction with the changes in this file.",
  },
  overrideArgument: {
    hint: "NAME=VALUE",
    repeats: true,
    help: "Replace an argument of the call, by name or by position from 0.",
  },
  overrideBalance: {
    hint: "ACCOUNT=STROOPS",
    repeats: true,
    help: "Replace the balance of an account.",
  },
  overrideEntry: {
    hint: "ENTRY",
    repeats: true,
    help: "Replace a ledger entry: an entry of the overrides file as JSON, or KEY:ENTRY or KEY:removed in base64.",
  },
  overrideWasm: {
    hint: "CONTRACT=FILE",
    repeats: true,
    help: "Replace the code of a contract, for example by a new build.",
  },
  overrideCloseTime: {
    hint: "TIME",
    sets: ["ledger", "closeTime"],
    help: "Run at this close time, such as 2026-11-21T10:00:00Z.",
  },
  overrideLedger: {
    hint: "N",
    sets: ["ledger", "sequence"],
    help: "Run in a ledger with this sequence number.",
  },
  overrideProtocol: {
    hint: "N",
    sets: ["ledger", "protocolVersion"],
    help: "Run under this protocol version.",
  },
  overrideInstructions: {
    hint: "N",
    sets: ["limits", "instructions"],
    help: "Declare this number of CPU instructions.",
  },
  overrideReadBytes: {
    hint: "N",
    sets: ["limits", "diskReadBytes"],
    help: "Declare this number of disk read bytes.",
  },
  overrideWriteBytes: {
    hint: "N",
    sets: ["limits", "writeBytes"],
    help: "Declare this number of write bytes.",
  },
  overrideResourceFee: {
    hint: "STROOPS",
    sets: ["limits", "resourceFeeStroops"],
    help: "Declare this resource fee. The bid rises accordingly.",
  },
  overrideMemory: {
    hint: "BYTES",
    sets: ["limits", "memoryBytes"],
    help: "Run with this memory limit of the network.",
  },
  overrideEvents: {
    hint: "BYTES",
    sets: ["limits", "eventsBytes"],
    help: "Run with this limit for events and the return value.",
  },
} as const satisfies Readonly<Record<string, OverrideSetting>>);
