// POST /v1/call: the report of `svc call --json` for a call by name, on the network's state. Nothing
// is sent.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { fieldProblem } from "../../base/errors/field-problems.ts";
import { HTTP } from "../../base/phrase.ts";
import { addressHint, decodeContractId, strkeyPattern } from "../../base/text/strkey.ts";
import type { Investigation } from "../../model/investigation.ts";
import { renderJson } from "../../report/json.ts";
import type { Run, Tools } from "../../tools/tools.ts";
import type { RequestContext } from "./handle-request.ts";
import { jsonAnswer } from "./json-answer.ts";
import { parseJsonBody } from "./read-body.ts";
import type { Answer } from "./reply.ts";
import { ledgerSchema } from "./route-debug.ts";

export type MakeCall = NonNullable<Tools["call"]>;

const notContract = ({ input }: { readonly input: string }) =>
  `is not the address of a contract${addressHint(input)}`;

const SEND_ADDRESS = "Send the contract's address, which begins with C.";
const SEND_CALL = 'Send {"contract": "C…", "function": "…", "arguments": {"name": value}}.';

export const callRequestSchema = v.strictObject({
  contract: v.pipe(
    v.string(),
    v.regex(new RegExp(`^${strkeyPattern(["contract"])}$`), notContract),
    v.description("The contract's address (C…)."),
  ),
  function: v.pipe(v.string(), v.nonEmpty("must not be empty")),
  arguments: v.exactOptional(
    v.pipe(
      // A record would take a list, too.
      v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())]),
      v.description("By name or in order, as JSON of the specification's types."),
    ),
  ),
  as: v.exactOptional(
    v.pipe(
      v.string(),
      v.nonEmpty("must not be empty"),
      v.description("The account that calls, without its key (default: who has to authorize)."),
    ),
  ),
  ledger: v.exactOptional(
    ledgerSchema("Call on the state that this ledger left (default: the latest)."),
  ),
});

export async function answerCall(call: MakeCall, context: RequestContext): Promise<Answer> {
  const investigation = await makeCall(call, await context.text(), context.run);
  return jsonAnswer([renderJson(investigation, HTTP)]);
}

/** Throws REQUEST_INVALID with what would be right, and the errors of the call. */
export async function makeCall(call: MakeCall, text: string, run: Run): Promise<Investigation> {
  const body = parseJsonBody(text);
  const parsed = v.safeParse(callRequestSchema, body);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const field = v.getDotPath(issue);
    throw new SvcError("REQUEST_INVALID", {
      message: `${field === null ? "The request" : `The field ${field}`} ${fieldProblem(callRequestSchema, issue)}.`,
      remedy: issue.type === "regex" ? SEND_ADDRESS : SEND_CALL,
    });
  }
  const { as: account = null, ledger = null, arguments: values = [], ...named } = parsed.output;
  if (decodeContractId(named.contract) === null)
    throw new SvcError("REQUEST_INVALID", {
      message: `The field contract ${notContract({ input: named.contract })}.`,
      remedy: SEND_ADDRESS,
    });
  try {
    return await call({ ...named, arguments: values, account, ledger }, run);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "USAGE") throw error;
    // What is wrong is in the request, and its remedy names the function or the argument.
    const { message, remedy, cause } = error;
    throw new SvcError("REQUEST_INVALID", { message, remedy, cause });
  }
}
