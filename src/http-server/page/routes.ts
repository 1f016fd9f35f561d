// The routes of the pages. A page of another site cannot make the daemon work: work needs a POST
// that browsers mark with its site, and a link from another site waits for a click.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { type FieldPath, fieldPathName } from "../../base/errors/field-problems.ts";
import { atClient, phrase } from "../../base/phrase.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { addressHint, decodeContractId } from "../../base/text/strkey.ts";
import { openCapsule } from "../../debugger/walk/open-capsule.ts";
import { soleFinding, soleFindings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { NETWORK_NAMES } from "../../model/networks.ts";
import { transactionOfUrl } from "../../model/transaction-url.ts";
import { readOverrides } from "../../overrides/read-overrides.ts";
import { html } from "../../report/html/markup.ts";
import { renderPage } from "../../report/html/page.ts";
import { partsOfPage, renderReplayable } from "../../report/html/replayable.ts";
import { simulationMarkup } from "../../report/html/simulation.ts";
import { transactionMarkup } from "../../report/html/transaction.ts";
import { whatIfForm, whatIfMarkup } from "../../report/html/what-if.ts";
import { encodeCapsule } from "../../sources/files/capsule.ts";
import type { Description } from "../openapi.ts";
import type { Authorize } from "../routes/authorize.ts";
import { answerWithEvents } from "../routes/event-stream.ts";
import type { RequestContext } from "../routes/handle-request.ts";
import { parseJsonBody } from "../routes/read-body.ts";
import type { Answer } from "../routes/reply.ts";
import { asRequest, type MakeCall, makeCall, readContractRequest } from "../routes/route-call.ts";
import { hashSchema, parseDebugRequest } from "../routes/route-debug.ts";
import type { Services } from "../services.ts";
import { DAEMON_SCRIPT, pageAnswer, saveForm, wayBack } from "./frame.ts";
import { functionsMarkup } from "./functions.ts";
import { contractPage, homePage, noTransactionPage, tokenPage, workPage } from "./home-page.ts";
import { PAGE } from "./page-audience.ts";
import type { RecentPage } from "./recent-pages.ts";

export interface PageOptions {
  readonly services: Pick<Services, "network" | "recent" | "tools">;
  readonly authorize: Authorize;
}

export function answerHome(
  { services, authorize }: PageOptions,
  request: Request,
  routes: readonly Description[],
): Answer {
  const { network, recent, tools } = services;
  if (!mayRead(authorize, request)) return pageAnswer(tokenPage(network));
  return pageAnswer(homePage(network, recent.list(), routes, tools.call !== undefined));
}

/** Reads nothing of the contract, because reading is work, which the form begins. */
export function answerContract(
  { services: { network }, authorize }: PageOptions,
  request: Request,
  contract = "",
): Answer {
  if (!mayRead(authorize, request)) return pageAnswer(tokenPage(network));
  if (decodeContractId(contract) !== null)
    return pageAnswer(contractPage(network, contract, !isFromElsewhere(request)));
  throw new SvcError("REQUEST_INVALID", {
    message: `The path does not end with the address of a contract${addressHint(contract)}.`,
    remedy: "Use /contracts/ followed by the address, which begins with C.",
  });
}

export function answerTransaction(
  { services, authorize }: PageOptions,
  request: Request,
  text: string | undefined,
): Answer {
  const { network, recent } = services;
  if (!mayRead(authorize, request)) return pageAnswer(tokenPage(network));
  let hash: string;
  try {
    ({ hash } = parseDebugRequest({ hash: text }));
  } catch (error) {
    // A program gets the error in the usual form.
    if (!(error instanceof SvcError) || !/\btext\/html\b/.test(request.headers.get("accept") ?? ""))
      throw error;
    return pageAnswer(noTransactionPage(network, error), 400);
  }
  const known = recent.find(hash);
  if (known !== null) return pageAnswer(known.html);
  return pageAnswer(workPage(network, hash, !isFromElsewhere(request)));
}

/** A page shows everything that a run can record. */
const ON_PAGES = { profile: true, hostCalls: true };
const PAGED = new WeakSet<Investigation>();

export async function answerDebugPage(
  { tools, recent, network }: Pick<Services, "tools" | "recent" | "network">,
  context: RequestContext,
): Promise<Response> {
  const body = withHash(parseJsonBody(await context.text()), network);
  const subject = parseDebugRequest(body);
  return answerWithEvents(context, async (run) => {
    const investigation = await tools.debug(subject, ON_PAGES, run);
    // Requests that share a walk share its page.
    if (!PAGED.has(investigation)) recent.add(pageOf(investigation));
    PAGED.add(investigation);
    return JSON.stringify({ hash: investigation.record.hash });
  });
}

/**
 * The body with a hash. People paste what an explorer shows: the address of a transaction instead
 * of its hash.
 */
function withHash(body: unknown, network: string): unknown {
  const { hash: pasted } = (body ?? {}) as { readonly hash?: unknown };
  if (typeof pasted !== "string") return body;
  const named = transactionOfUrl(pasted.trim());
  if (named === null && /^\w+:\/\//.test(pasted.trim()))
    throw new SvcError("HASH_INVALID", {
      message: "The address does not contain the hash of a transaction.",
      remedy: "Paste the address of a transaction's page, or the hash.",
    });
  const isKnown = NETWORK_NAMES.some((name) => name === network);
  if (isKnown && named !== null && named.network !== null && named.network !== network)
    throw new SvcError("HASH_INVALID", {
      message: `The address is of a transaction on ${named.network}; this daemon serves ${network}.`,
      remedy: `Use a daemon that serves ${named.network}.`,
    });
  return { ...(body as object), hash: named?.hash ?? pasted.replace(/^\s*(0x)?|\s+$/g, "") };
}

function pageOf(investigation: Investigation): RecentPage {
  const { record, explanation, verdict } = investigation;
  const { hash, innerHash } = record;
  const { headline, success } = explanation;
  const page = renderPage(soleFindings(investigation), {
    capsuleOf,
    audience: PAGE,
    navigation: wayBack(),
    after: html`${whatIfForm(investigation)}${saveForm(hash)}`,
    script: DAEMON_SCRIPT,
  });
  return { hash, innerHash, headline, success, verdict: verdict?.kind ?? null, html: page };
}

function capsuleOf({ record, snapshot }: Investigation): string {
  return encodeCapsule(record, snapshot);
}

/** The page of a transaction that runs svc in itself, to be saved. */
export async function answerReplayablePage(
  { tools, recent, ownPage }: Pick<Services, "tools" | "recent" | "ownPage">,
  context: RequestContext,
): Promise<Answer> {
  const subject = parseDebugRequest(parseJsonBody(await context.text()));
  const known = recent.find(subject.hash);
  // The page is what a person sees, so its capsule is replayed again instead of asking nodes.
  const captured = () => openCapsule({ name: "The page", text: known?.html ?? "" }, null);
  const investigation = await tools.debug(
    known === null ? subject : { captured },
    ON_PAGES,
    context.run,
  );
  const parts = partsOfPage(await ownPage());
  return pageAnswer(renderReplayable(soleFindings(investigation), { capsuleOf }, parts));
}

/** POST /calls: a call by name as a part of a page. */
export async function answerCallPage(call: MakeCall, context: RequestContext): Promise<Answer> {
  const investigation = await makeCall(call, await context.text(), context.run);
  const finding = soleFinding(investigation);
  return pageAnswer(`${transactionMarkup(finding, null, { prefix: "call-", level: 2 }, PAGE)}`);
}

/** POST /functions: the functions of a contract, as a part of a page. */
export async function answerFunctionsPage(
  describe: NonNullable<Services["tools"]["describe"]>,
  context: RequestContext,
): Promise<Answer> {
  const contract = readContractRequest(await context.text());
  return pageAnswer(`${functionsMarkup(await asRequest(() => describe(contract, context.run)))}`);
}

/** The body of POST /simulations. */
export const envelopeSchema = v.strictObject({ transaction: v.pipe(v.string(), v.nonEmpty()) });

export async function answerSimulatePage(
  { tools }: Pick<Services, "tools">,
  context: RequestContext,
): Promise<Answer> {
  const parsed = v.safeParse(envelopeSchema, parseJsonBody(await context.text()));
  if (!parsed.success)
    throw new SvcError("REQUEST_INVALID", {
      message: phrase`${atClient("The request is not an object with only the field transaction", "The form has no envelope")}.`,
      remedy: phrase`${atClient('Send {"transaction": "<TransactionEnvelope in base64>"}.', "Paste the TransactionEnvelope in base64.")}`,
    });
  const wish = { transactionXdr: parsed.output.transaction };
  return pageAnswer(`${simulationMarkup(await tools.simulate(wish, context.run), PAGE)}`);
}

/** The body of POST /what-ifs. The daemon reads no file with code. */
export const whatIfSchema = v.strictObject({
  hash: hashSchema,
  overrides: v.pipe(
    v.record(v.string(), v.unknown()),
    v.description("Arguments, entries, ledger and limits, as in a file of --override."),
  ),
});

export async function answerWhatIfPage(
  { tools }: Pick<Services, "tools">,
  context: RequestContext,
): Promise<Answer> {
  const parsed = v.safeParse(whatIfSchema, parseJsonBody(await context.text()));
  if (!parsed.success) throw invalidChanges("it must have only the fields hash and overrides");
  const { hash, overrides: changes } = parsed.output;
  const read = readOverrides({ format: 1, ...changes }, nameInForm);
  if ("problems" in read) throw invalidChanges(read.problems.join("; "));
  const { wasmFiles, ...overrides } = read;
  if (wasmFiles.size > 0) throw invalidChanges("wasm: the daemon reads no files");
  const options = { overrides: { ...overrides, wasm: new Map() } };
  return pageAnswer(`${whatIfMarkup(await tools.debug({ hash }, options, context.run), PAGE)}`);
}

/** A problem of an overrides file with the field names of the form. */
function nameInForm(path: FieldPath): string {
  const [section, field, part] = path;
  if (section === "ledger" && field === "closeTime") return "close time of the ledger";
  if (section !== "entries" || field === undefined) return fieldPathName(path);
  const entry = `entry ${Number(field) + 1}`;
  return part === undefined ? entry : `${entry}, ${part}`;
}

function invalidChanges(why: string): SvcError {
  return new SvcError("REQUEST_INVALID", {
    message: `The changes are not valid: ${neutralise(why)}.`,
    remedy: "Correct the changes, and run the transaction again.",
  });
}

/** False if there is no token yet. Throws UNAUTHORIZED for a wrong one. */
function mayRead(authorize: Authorize, request: Request): boolean {
  try {
    authorize(request);
    return true;
  } catch (error) {
    if (request.headers.has("authorization")) throw error;
    return false;
  }
}

/** True for a link or a script of another site. An address that a person enters has no site. */
function isFromElsewhere({ headers }: Request): boolean {
  return !["same-origin", "none"].includes(headers.get("sec-fetch-site") ?? "none");
}
