// XDR as the SDK's values, for code that reads more than a few fields.

import { SvcError } from "../../base/errors/errors.ts";

/** `decode`: from the SDK. `name`: the XDR type. `what`: name for people. Throws XDR_INVALID. */
export function decodeSdk<Value>(decode: () => Value, name: string, what: string): Value {
  try {
    return decode();
  } catch (cause) {
    throw new SvcError("XDR_INVALID", {
      message: `The ${name} cannot be decoded.`,
      remedy: `Check that ${what} is complete.`,
      cause,
      details: { type: name },
    });
  }
}
