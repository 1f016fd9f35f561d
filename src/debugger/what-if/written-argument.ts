// Turns an argument as a user wrote it into its ScVal.

import { SvcError } from "../../base/errors/errors.ts";
import type { ContractSpec, SpecType } from "../../xdr/contract/contract-spec.ts";
import { typedToJson } from "../../xdr/contract/typed-from-json.ts";
import { NotWritten } from "../../xdr/reader/from-json.ts";
import { readWritten } from "../../xdr/reader/written.ts";
import { overrideImpossible } from "./variant-draft.ts";

/** ScVal from `{"xdr": …}`, from `{"scval": …}`, or from plain JSON by the argument's type. */
export function scValOf(
  written: unknown,
  name: string,
  type: SpecType | null,
  spec: ContractSpec | null,
): string {
  const [form, held] = formOf(written);
  const field = `arguments.${name}`;
  if (form === null && type === null)
    throw overrideImpossible(
      field,
      "the type of the argument is unknown",
      'Use {"scval": …} with the JSON of SEP-51, or {"xdr": "…"} with base64.',
    );
  const quoted = `\`${name}\``;
  const json =
    type === null || form !== null
      ? held
      : readingArgument(field, "", () => typedToJson(written, type, spec, quoted));
  return readingArgument(field, `${quoted} `, () => readWritten("ScVal", json));
}

/** `subject` is that of the clause that names the problem; empty if the clause has one. */
function readingArgument<Read>(field: string, subject: string, read: () => Read): Read {
  try {
    return read();
  } catch (problem) {
    if (!(problem instanceof NotWritten)) throw problem;
    throw new SvcError("OVERRIDE_IMPOSSIBLE", {
      message: `Argument ${subject}${problem.message}.`,
      remedy: "Correct the value.",
      details: { field },
    });
  }
}

function formOf(written: unknown): ["xdr" | "scval" | null, unknown] {
  if (typeof written !== "object" || written === null) return [null, null];
  const [entry, ...others] = Object.entries(written);
  if (others.length > 0 || (entry?.[0] !== "xdr" && entry?.[0] !== "scval")) return [null, null];
  return [entry[0], entry[1]];
}
