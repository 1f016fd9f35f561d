// The routes of the pages. A page of another site cannot make the daemon work: what works is a POST
// that browsers mark with the site that it comes from, and a link from elsewhere waits for a click.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { Authorize } from "../routes/authorize.ts";
import { answerWithEvents } from "../routes/event-stream.ts";
import type { RequestContext } from "../routes/handle-request.ts";
import { parseJsonText } from "../routes/read-body.ts";
import { parseDebugRequest } from "../routes/route-debug.ts";
import type { Services } from "../services.ts";
import { pageAnswer } from "./frame.ts";
import { homePage, tokenPage, workPage } from "./home-page.ts";

export interface PageOptions {
  readonly services: Pick<Services, "network" | "pages">;
  readonly authorize: Authorize;
}

export function answerHome({ services, authorize }: PageOptions, request: Request): Response {
  const { network, pages } = services;
  if (!mayRead(authorize, request)) return pageAnswer(tokenPage(network));
  return pageAnswer(homePage(network, pages.recent.list()));
}

export function answerTransaction(
  { services, authorize }: PageOptions,
  request: Request,
): Response {
  const { network, pages } = services;
  if (!mayRead(authorize, request)) return pageAnswer(tokenPage(network));
  const { hash } = parseDebugRequest({ hash: lastPart(request.url) });
  const known = pages.recent.find(hash);
  if (known !== null) return pageAnswer(known.html);
  return pageAnswer(workPage(network, hash, !isFromElsewhere(request)));
}

export async function answerDebugPage(
  { pages }: Pick<Services, "pages">,
  context: RequestContext,
): Promise<Response> {
  const { hash } = parseDebugRequest(parseJsonText(await context.text()));
  const { waiter } = context;
  return answerWithEvents(context, (progress) => pages.debug(hash, { ...waiter, progress }));
}

const envelopeSchema = v.strictObject({ transaction: v.pipe(v.string(), v.nonEmpty()) });

export async function answerSimulatePage(
  { pages }: Pick<Services, "pages">,
  context: RequestContext,
): Promise<Response> {
  const parsed = v.safeParse(envelopeSchema, parseJsonText(await context.text()));
  if (!parsed.success)
    throw new SvcError("REQUEST_INVALID", {
      message: "The request is not an object with only the field transaction.",
      remedy: 'Send {"transaction": "<TransactionEnvelope in base64>"}.',
    });
  return pageAnswer(await pages.simulate(parsed.output.transaction, context.waiter));
}

/** False: there is no token yet. Throws UNAUTHORIZED for a wrong one. */
function mayRead(authorize: Authorize, request: Request): boolean {
  try {
    authorize(request);
    return true;
  } catch (error) {
    if (request.headers.has("authorization")) throw error;
    return false;
  }
}

/** A link or a script of another site; addresses that a person enters are from nowhere. */
function isFromElsewhere({ headers }: Request): boolean {
  return !["same-origin", "none"].includes(headers.get("sec-fetch-site") ?? "none");
}

function lastPart(url: string): string {
  return /[^/?#]*(?=$|[?#])/.exec(url.slice(url.lastIndexOf("/") + 1))?.[0] ?? "";
}
