// POST /v1/simulate: a request to svc-sim → the response of svc-sim (src/svc-sim/README.md).

import type { Services } from "../services.ts";
import type { RequestContext } from "./handle-request.ts";
import { jsonAnswer } from "./json-answer.ts";
import { parseJsonText } from "./read-body.ts";

export async function answerSimulate(
  services: Services,
  context: RequestContext,
): Promise<Response> {
  const text = await context.text();
  // The text is the key of the run: clients that send the same bytes share one run.
  return jsonAnswer(await services.simulate(text, context.run, () => parseJsonText(text)));
}
