// The flags of svc debug that change what is run.

import type { ArgsDef } from "citty";
import { AGAIN } from "./check-arguments.ts";

export const OVERRIDE_FLAGS = {
  override: {
    type: "string",
    valueHint: "FILE",
    description: "Run it again with what the file changes, and show how that differs.",
  },
  "override-argument": {
    type: "string",
    valueHint: `NAME=VALUE${AGAIN}`,
    description: "Another argument of the call, by name or place, in JSON of the argument's type.",
  },
  "override-balance": {
    type: "string",
    valueHint: `ACCOUNT=STROOPS${AGAIN}`,
    description: "Another balance of an account.",
  },
  "override-entry": {
    type: "string",
    valueHint: `KEY:ENTRY${AGAIN}`,
    description: "Another ledger entry, both in base64; KEY:removed for none.",
  },
  "override-wasm": {
    type: "string",
    valueHint: `CONTRACT=FILE${AGAIN}`,
    description: "Other code for a contract.",
  },
  "override-close-time": {
    type: "string",
    valueHint: "TIME",
    description: "Another close time: 2026-11-21T10:00:00Z, or Unix seconds.",
  },
  "override-ledger": { type: "string", valueHint: "N", description: "Another ledger sequence." },
  "override-protocol": { type: "string", valueHint: "N", description: "Another protocol version." },
  "override-instructions": {
    type: "string",
    valueHint: "N",
    description: "Other CPU instructions declared.",
  },
  "override-read-bytes": {
    type: "string",
    valueHint: "N",
    description: "Other disk read bytes declared.",
  },
  "override-write-bytes": {
    type: "string",
    valueHint: "N",
    description: "Other write bytes declared.",
  },
  "override-resource-fee": {
    type: "string",
    valueHint: "STROOPS",
    description: "Another resource fee declared; the bid grows with it.",
  },
  "override-memory": {
    type: "string",
    valueHint: "BYTES",
    description: "Another memory limit of the network.",
  },
  "override-events": {
    type: "string",
    valueHint: "BYTES",
    description: "Another limit of the network for events and result.",
  },
} as const satisfies ArgsDef;
