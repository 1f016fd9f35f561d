// --expect-signer, of every command that signs or reads what is signed.

import type { ArgsDef } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";

export const EXPECT_SIGNER_FLAG = {
  "expect-signer": {
    type: "string",
    valueHint: "G…",
    description: "Refuse any other signer than this account.",
  },
} as const satisfies ArgsDef;

/** Null: nobody in particular. Throws USAGE when it is no account. */
export function expectedSigner(args: ParsedFlags): string | null {
  const given = textFlag(args, "expect-signer");
  if (given === undefined || /^G[A-Z2-7]{55}$/.test(given)) return given ?? null;
  throw new SvcError("USAGE", {
    message: `--expect-signer "${given}" is no account.`,
    remedy: "Give the address that begins with G.",
  });
}
