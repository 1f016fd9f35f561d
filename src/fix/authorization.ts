// Fixes authorizations. An authorization of the source account needs only the transaction's own
// signature, so an entry is added for each call that requires it, and the transaction runs. Only
// the address itself can sign any other authorization, so it is reported, and can be recorded for
// signing.

import { neutralise } from "../base/text/neutralise.ts";
import { type CallNode, type Execution, failedPath } from "../model/execution.ts";
import type { ContractCall } from "../xdr/envelope/authorizations.ts";
import { withSourceAuthorization } from "../xdr/envelope/source-authorization.ts";
import { type ErrorReport, readErrorReports } from "../xdr/outcome/error-reports.ts";
import { AUTHORIZATIONS, FRAMES, messageIn } from "../xdr/outcome/host-messages.ts";
import { showValue } from "../xdr/values/value.ts";
import type { FixStep } from "./fix-context.ts";
import type { Variant } from "./variant.ts";

/** The flaw of an authorization that the host reports. No signature fixes `expired` or `reused`. */
type ReportedFlaw = "missing" | "refused" | "expired" | "reused";

export async function authorize(
  _context: unknown,
  attempt: Variant,
  execution: Execution,
): Promise<FixStep | null> {
  const reports = readErrorReports(execution.diagnosticsXdr);
  const report = reports.findLast(({ message }) => aboutAuthorization(message) !== null);
  const reported = aboutAuthorization(report?.message);
  const [address] = report?.valuesXdr ?? [];
  if (report === undefined || address === undefined || wasCaught(reports, report)) return null;
  const who = showValue(address);
  if (reported !== "missing") {
    const signedThing = reported !== "refused" ? "a new authorization" : "the authorization";
    const reason = `Only ${who} can sign ${signedThing}, and svc cannot create that signature.`;
    return { kind: "blocked", attempt, reason, unsigned: true };
  }
  const path = pathTo(execution.callTree, report.contract);
  const call = path.at(-1);
  if (who !== attempt.envelope.terms.operationSource) {
    const shown =
      call === undefined
        ? "the creation of a contract"
        : `${neutralise(call.function)} of contract ${call.contract}`;
    const reason = `An authorization is missing: ${who} must sign for ${shown}.`;
    return { kind: "blocked", attempt, reason, unsigned: true };
  }
  const envelope = withSourceAuthorization(attempt.envelope, path);
  return envelope === null ? null : { kind: "changed", attempt: { ...attempt, envelope } };
}

function aboutAuthorization(message: string | undefined): ReportedFlaw | null {
  const id = messageIn(AUTHORIZATIONS, message)?.id ?? null;
  return id === "not-of-caller" || id === "not-of-root" ? null : id;
}

/**
 * Says whether a contract caught this failure and continued. Then another failure ended the
 * transaction.
 */
function wasCaught(reports: readonly ErrorReport[], report: ErrorReport): boolean {
  return reports
    .slice(reports.indexOf(report))
    .some(({ message }) => messageIn(FRAMES, message)?.id === "try-call-failed");
}

/** The failed calls down to the innermost one of that contract; empty if it was not called. */
function pathTo(root: CallNode | null, contract: string | null): ContractCall[] {
  const path = failedPath(root).flatMap(({ contract, function: name, argumentsXdr }) =>
    name === null || contract === null ? [] : [{ contract, function: name, argumentsXdr }],
  );
  return path.slice(0, path.findLastIndex((call) => call.contract === contract) + 1);
}
