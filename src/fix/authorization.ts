// Authorizations. What the source account has to allow needs no signature but the transaction's: an
// entry is added for each call that asks for it, and runs. What any other address has to allow, or
// allowed wrongly, only that address can sign: it is said, and can be recorded to be signed.

import { neutralise } from "../base/text/neutralise.ts";
import type { CallNode, Execution } from "../model/execution.ts";
import { readSendingFacts } from "../xdr/envelope/sending-facts.ts";
import {
  type AuthorizedFunction,
  withSourceAuthorization,
} from "../xdr/envelope/source-authorization.ts";
import { type ErrorReport, readErrorReports } from "../xdr/outcome/error-reports.ts";
import { showValue } from "../xdr/values/value.ts";
import type { Attempt, FixContext, Step } from "./fix-context.ts";

const UNAUTHORIZED = "Unauthorized function call for address";
/** soroban-env-host, auth.rs. */
const TO_BE_SIGNED_ANEW: readonly string[] = [
  "failed account authentication with error",
  "signature has expired",
  "nonce already exists for address",
];

export async function authorize(
  _workbench: FixContext,
  attempt: Attempt,
  execution: Execution,
): Promise<Step | null> {
  const reports = readErrorReports(execution.diagnosticsXdr);
  const report = reports.findLast(({ message }) => isAboutAuthorization(message));
  const [address] = report?.valuesXdr ?? [];
  if (report === undefined || address === undefined || wasCaught(reports, report)) return null;
  const who = showValue(address);
  if (report.message !== UNAUTHORIZED) {
    const reason = `The authorization of ${who} has to be signed anew: no run can prove that.`;
    return { kind: "blocked", attempt, reason, unsigned: true };
  }
  const path = pathTo(execution.callTree, report.contract);
  const call = path.at(-1);
  if (who !== readSendingFacts(attempt.envelopeXdr).operationSource) {
    const shown =
      call === undefined
        ? "the creation of a contract"
        : `${neutralise(call.function)} of contract ${call.contract}`;
    const reason = `It needs an authorization of ${who} for ${shown}, which only that can give.`;
    return { kind: "blocked", attempt, reason, unsigned: true };
  }
  const envelopeXdr = withSourceAuthorization(attempt.envelopeXdr, path);
  return envelopeXdr === null ? null : { kind: "changed", attempt: { ...attempt, envelopeXdr } };
}

function isAboutAuthorization(message: string): boolean {
  return message === UNAUTHORIZED || TO_BE_SIGNED_ANEW.includes(message);
}

/** A contract may go on after a call that failed so: then something else ended the transaction. */
function wasCaught(reports: readonly ErrorReport[], report: ErrorReport): boolean {
  return reports
    .slice(reports.indexOf(report))
    .some(({ message }) => message === "contract try_call failed");
}

/** Down to the innermost call of that contract among those that failed; empty: none was called. */
function pathTo(root: CallNode | null, contract: string | null): AuthorizedFunction[] {
  const path: AuthorizedFunction[] = [];
  let node: CallNode | undefined = root ?? undefined;
  while (node?.failed) {
    const { function: name, argumentsXdr } = node;
    if (name !== null && node.contract !== null)
      path.push({ contract: node.contract, function: name, argumentsXdr });
    node = node.calls.findLast((call) => call.failed);
  }
  return path.slice(0, path.findLastIndex((call) => call.contract === contract) + 1);
}
