// --expect-signer: a flag of every command that signs, or reads signed documents.

import type { ArgsDef } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";

export const EXPECT_SIGNER_FLAG = {
  "expect-signer": {
    type: "string",
    valueHint: "G…",
    description: "Refuse any signer except this account.",
  },
} as const satisfies ArgsDef;

/** Null: any signer. Throws USAGE when the value is not an account. */
export function expectedSigner(args: ParsedFlags): string | null {
  const given = textFlag(args, "expect-signer");
  if (given === undefined || /^G[A-Z2-7]{55}$/.test(given)) return given ?? null;
  throw new SvcError("USAGE", {
    message: `--expect-signer "${given}" is not an account.`,
    remedy: "Pass the address that begins with G.",
  });
}
