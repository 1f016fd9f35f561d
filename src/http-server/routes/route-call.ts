// POST /v1/call: the report of `svc call --json` for a call by name, on the network's state. Nothing
// is sent.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { fieldProblem } from "../../base/errors/field-problems.ts";
import { atClient, HTTP, phrase, type Wording } from "../../base/phrase.ts";
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

const SEND_ADDRESS = phrase`${atClient("Send", "Enter")} the contract's address, which begins with C.`;
const SEND_CALL = phrase`${atClient('Send {"contract": "C…", "function": "…", "arguments": {"name": value}}.', 'Write the arguments as {"name": value} or [value], and fill in the other fields.')}`;

const contractField = v.pipe(
  v.string(),
  v.regex(new RegExp(`^${strkeyPattern(["contract"])}$`), notContract),
  v.description("The contract's address (C…)."),
);

export const callRequestSchema = v.strictObject({
  contract: contractField,
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

/** The body of POST /functions. */
export const contractRequestSchema = v.strictObject({ contract: contractField });

/** Throws REQUEST_INVALID if the body is not an object with the address of a contract. */
export function readContractRequest(text: string): string {
  const { contract } = parsedAs(contractRequestSchema, text, 'Send {"contract": "C…"}.');
  return checkedContract(contract);
}

export async function answerCall(call: MakeCall, context: RequestContext): Promise<Answer> {
  const investigation = await makeCall(call, await context.text(), context.run);
  return jsonAnswer([renderJson(investigation, HTTP)]);
}

/** Throws REQUEST_INVALID with what would be right, and the errors of the call. */
export async function makeCall(call: MakeCall, text: string, run: Run): Promise<Investigation> {
  const request = parsedAs(callRequestSchema, text, SEND_CALL);
  const { as: account = null, ledger = null, arguments: values = [], ...named } = request;
  checkedContract(named.contract);
  return asRequest(() => call({ ...named, arguments: values, account, ledger }, run));
}

/** Runs the work. An error that the work finds is in the request, and the remedy names the part. */
export async function asRequest<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== "USAGE") throw error;
    const { words, cause } = error;
    throw new SvcError("REQUEST_INVALID", { ...words, cause });
  }
}

function parsedAs<Schema extends v.GenericSchema>(
  schema: Schema,
  text: string,
  remedy: Wording,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, parseJsonBody(text));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue);
  throw new SvcError("REQUEST_INVALID", {
    message: `${field === null ? "The request" : `The field ${field}`} ${fieldProblem(schema, issue)}.`,
    remedy: issue.type === "regex" ? SEND_ADDRESS : remedy,
  });
}

function checkedContract(contract: string): string {
  if (decodeContractId(contract) !== null) return contract;
  throw new SvcError("REQUEST_INVALID", {
    message: `The field contract ${notContract({ input: contract })}.`,
    remedy: SEND_ADDRESS,
  });
}
