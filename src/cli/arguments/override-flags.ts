// The flags of svc debug for a what-if run.

import type { ArgsDef } from "citty";
import { REPEATABLE } from "./check-arguments.ts";

export const OVERRIDE_FLAGS = {
  override: {
    type: "string",
    valueHint: "FILE",
    description:
      "Run the transaction again with the changes in this file, and show the differences.",
  },
  "override-argument": {
    type: "string",
    valueHint: `NAME=VALUE${REPEATABLE}`,
    description:
      "Replace a call argument, by name or position (from 0). VALUE is JSON of the argument's type.",
  },
  "override-balance": {
    type: "string",
    valueHint: `ACCOUNT=STROOPS${REPEATABLE}`,
    description: "Replace the balance of an account.",
  },
  "override-entry": {
    type: "string",
    valueHint: `KEY:ENTRY${REPEATABLE}`,
    description: "Replace a ledger entry; key and entry in base64. KEY:removed removes the entry.",
  },
  "override-wasm": {
    type: "string",
    valueHint: `CONTRACT=FILE${REPEATABLE}`,
    description: "Replace the code of a contract.",
  },
  "override-close-time": {
    type: "string",
    valueHint: "TIME",
    description: "Replace the close time: 2026-11-21T10:00:00Z, or Unix seconds.",
  },
  "override-ledger": {
    type: "string",
    valueHint: "N",
    description: "Replace the ledger sequence.",
  },
  "override-protocol": {
    type: "string",
    valueHint: "N",
    description: "Replace the protocol version.",
  },
  "override-instructions": {
    type: "string",
    valueHint: "N",
    description: "Replace the declared CPU instructions.",
  },
  "override-read-bytes": {
    type: "string",
    valueHint: "N",
    description: "Replace the declared disk read bytes.",
  },
  "override-write-bytes": {
    type: "string",
    valueHint: "N",
    description: "Replace the declared write bytes.",
  },
  "override-resource-fee": {
    type: "string",
    valueHint: "STROOPS",
    description: "Replace the declared resource fee. The fee bid rises with it.",
  },
  "override-memory": {
    type: "string",
    valueHint: "BYTES",
    description: "Replace the network's memory limit.",
  },
  "override-events": {
    type: "string",
    valueHint: "BYTES",
    description: "Replace the network's size limit for events and result.",
  },
} as const satisfies ArgsDef;
