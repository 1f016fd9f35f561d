// The commands of keys on tokens.

import type { CommandEntry } from "../command/command.ts";

export const SIGNING_COMMANDS: Readonly<Record<string, CommandEntry>> = {
  sign: {
    group: "Sign",
    summary: "Sign a transaction envelope or a file with a key on a PKCS#11 token.",
    load: () => import("../signing/commands/sign.ts"),
  },
  "sign auth": {
    group: null,
    summary: "Sign Soroban authorization entries with a key on a PKCS#11 token.",
    load: () => import("../signing/commands/sign-auth.ts"),
  },
  "sign document": {
    group: null,
    summary: "Sign a capsule or a JSON report with a key on a PKCS#11 token.",
    load: () => import("../signing/commands/sign-document.ts"),
  },
  "sign verify": {
    group: null,
    summary: "Verify signatures: show the signer of each, and whether it is valid.",
    load: () => import("../signing/commands/sign-verify.ts"),
  },
  "hsm list": {
    group: null,
    summary: "List the slots, tokens and keys of a PKCS#11 module, with their Stellar addresses.",
    load: () => import("../signing/commands/hsm-list.ts"),
  },
  "hsm test": {
    group: null,
    summary: "Test a key on a PKCS#11 token: sign a random challenge and verify the signature.",
    load: () => import("../signing/commands/hsm-test.ts"),
  },
};
