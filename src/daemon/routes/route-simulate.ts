// POST /v1/simulate: a request as svc-sim takes it → svc-sim's response (src/svc-sim/README.md).

import type { Services } from "../services.ts";
import type { RequestContext } from "./handle-request.ts";
import { jsonAnswer } from "./json-answer.ts";
import { parseJsonText } from "./read-body.ts";

export async function answerSimulate(
  services: Services,
  context: RequestContext,
): Promise<Response> {
  const text = await context.text();
  // The text names the run: two who send the same bytes want the same answer.
  return jsonAnswer(await services.simulate(text, context.waiter, () => parseJsonText(text)));
}
