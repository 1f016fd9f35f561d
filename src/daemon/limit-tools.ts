// The tools of svc for many clients at once: requests for the same transaction share one walk, and
// the number of walks is limited so that nodes are not overloaded.

import { SvcError, type SvcErrorFields } from "../base/errors/errors.ts";
import type { Investigation } from "../model/investigation.ts";
import type { Tracing } from "../report/otlp/open-tracing.ts";
import { openLimit } from "../tools/limit.ts";
import type { Run, Tools } from "../tools/tools.ts";
import { Coalescer } from "./coalesce.ts";

/** Each walk makes about a dozen requests to nodes. */
const MOST_WALKS = 32;
/** Judging keeps the thread that answers everybody busy. */
const MOST_VERIFICATIONS = 1;
/** Each proof reads files of an archive, and may replay 64 ledgers in a svc-sim of its own. */
const MOST_PROOFS = 2;

/** `tracing`: null for no traces. */
export function limitTools(tools: Tools, tracing: Tracing | null): Tools {
  const reports = new Coalescer<Investigation>();
  const pages = new Coalescer<Investigation>();
  const walks = openLimit(MOST_WALKS, refusal("transactions for agents"));
  const proofs = openLimit(MOST_PROOFS, refusal("proofs of a transaction's state"));
  const verifications = openLimit(MOST_VERIFICATIONS, refusal("ranges of ledgers"));
  return {
    ...tools,
    async debug(subject, wanted, asked) {
      const { prove = null } = subject;
      const debug = (run: Run) => {
        const action = () => tools.debug(subject, wanted, run);
        return prove === null ? action() : proofs(action);
      };
      if (!("hash" in subject)) return walks(() => debug(asked));
      const { hash } = subject;
      const walk = (run: Run) => {
        const action = () => debug(run);
        return tracing === null ? action() : tracing.transaction(hash, action, run.traceparent);
      };
      if (wanted.overrides) return walks(() => walk(asked));
      const shared = wanted.profile ? pages : reports;
      const key = prove === null ? hash : `${hash} proven, ledger ${prove.ledger}`;
      if (!shared.has(key) && shared.size >= MOST_WALKS) throw tooManyWalks(shared.size);
      return shared.run(key, asked, walk);
    },
    capture: (...given) => walks(() => tools.capture(...given)),
    explain: (request, run) =>
      request.contract ? walks(() => tools.explain(request, run)) : tools.explain(request, run),
    verify: (...given) => verifications(() => tools.verify(...given)),
  };
}

function refusal(what: string) {
  return (running: number): SvcErrorFields => ({
    message: `The daemon already works on ${running} ${what}, the maximum.`,
    remedy: "Try again later.",
  });
}

function tooManyWalks(running: number): SvcError {
  return new SvcError("OVERLOADED", {
    message: `The daemon already debugs ${running} transactions, the maximum.`,
    remedy: "Try again after the time in the Retry-After header, or run more replicas.",
  });
}
