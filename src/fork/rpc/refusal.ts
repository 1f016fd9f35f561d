// Refusals in the words of Stellar RPC and with its codes of JSON-RPC, which clients know.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { checkDocument } from "../../base/errors/field-problems.ts";
import { INVALID_PARAMETERS, INVALID_REQUEST } from "../../sources/nodes/json-rpc.ts";

/** Marks a refusal of the whole request, if Stellar RPC refuses it so. */
export const OF_REQUEST = { rpcCode: INVALID_REQUEST };

interface RefusalFields {
  readonly rpcCode?: number;
  readonly cause?: unknown;
  readonly remedy?: string;
}

export function refusal(
  message: string,
  { rpcCode = INVALID_PARAMETERS, cause, remedy = "Correct the parameters." }: RefusalFields = {},
): SvcError {
  return new SvcError("REQUEST_INVALID", { message, remedy, cause, details: { rpcCode } });
}

/**
 * Reads the parameters. Throws REQUEST_INVALID. Stellar RPC reads missing parameters as an empty
 * object.
 */
export function readParameters<Output>(
  schema: v.GenericSchema<unknown, Output>,
  parameters: unknown,
): Output {
  return checkDocument(schema, parameters ?? {}, (problem) =>
    refusal(`invalid parameters: ${problem}`),
  );
}

/** `xdrFormat`, which nearly every method takes. */
export const formatSchema = v.nullish(v.string(), "");

export type Format = "base64" | "json";

/** Throws REQUEST_INVALID. */
export function formatOf(written: string): Format {
  if (written === "" || written === "base64") return "base64";
  if (written === "json") return "json";
  const message = `got '${written}': expected base64, json for optional 'xdrFormat'`;
  throw refusal(message);
}
