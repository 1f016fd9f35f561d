// Presents an invalid input for `--strict-validation`: the path of each wrong field, its problem,
// and what was expected.

import { SvcError } from "../base/errors/errors.ts";
import { type FieldProblem, notedFields } from "../base/errors/field-problems.ts";
import { flag, phrase } from "../base/phrase.ts";
import { counted } from "../base/text/counted.ts";
import { cutVisibly, neutralise } from "../base/text/neutralise.ts";

/** The codes of invalid inputs. */
const OF_INPUT: ReadonlySet<string> = new Set([
  "FILE_INVALID",
  "SIGNATURE_INVALID",
  "XDR_INVALID",
  "LEDGER_ENTRY_INVALID",
]);
const MOST_FIELDS = 40;
const MOST_CHARACTERS = 300;

/**
 * The error with its fields. Without the flag, the remedy names the flag. Any other error stays as
 * it is.
 */
export function inFields(error: unknown, isStrict: boolean): unknown {
  if (!(error instanceof SvcError && OF_INPUT.has(error.code))) return error;
  const { code, message, remedy, cause, details } = error;
  const noted = notedFields(error);
  // An input without fields has nothing more to show.
  if (!isStrict && noted === null) return error;
  if (!isStrict)
    return new SvcError(code, {
      message,
      remedy: phrase`${remedy} ${flag("strictValidation")} shows each field.`,
      cause,
      details,
    });
  const fields = noted ?? [ofWhole(error)];
  const shown = fields.slice(0, MOST_FIELDS);
  const lines = shown.map(lineOf);
  const more = fields.length - shown.length;
  if (more > 0) lines.push(`and ${counted(more, "more field", "more fields")}`);
  const list =
    lines.length === 0
      ? "Each field has the expected form; only together they contradict one another."
      : `Fields that are wrong:\n  ${lines.join("\n  ")}`;
  return new SvcError(code, {
    message: `${message}\n${list}`,
    remedy,
    cause,
    details: { ...details, fields: shown },
  });
}

/** The problem of an input without fields, such as a ledger file. */
function ofWhole({ message, details, remedy }: SvcError): FieldProblem {
  const { file } = details;
  return {
    field: typeof file === "string" ? file : "the input",
    problem: message,
    expected: remedy,
  };
}

function lineOf({ field, problem, expected }: FieldProblem): string {
  return cutVisibly(neutralise(`${field}: ${problem}; expected: ${expected}`), MOST_CHARACTERS);
}
