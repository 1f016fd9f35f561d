// A simulation request from outside → the one that svc-sim is given: checked field by field, filled
// in where it may be left out, and with no more time than there is.

import { checkRequest } from "../../simulator/build-request.ts";
import { requestInvalid } from "../../simulator/simulator-error.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";

export interface RequestDefaults {
  readonly networkPassphrase: string;
  readonly mostMilliseconds: number;
}

/** Says what it runs on; otherwise it runs on the newest ledger. */
export function givesEntries(given: unknown): boolean {
  return typeof given === "object" && given !== null && Object.hasOwn(given, "ledger_entries");
}

/**
 * Of `given` only `envelope_xdr` is required; what it leaves out of the ledger, svc-sim assumes and
 * says so. Throws REQUEST_INVALID naming every field that is not as it should be.
 */
export function completeRequest(given: unknown, defaults: RequestDefaults): ReplayRequest {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw requestInvalid([{ field: "request", problem: "must be an object" }]);
  const request = checkRequest({ result_meta_xdr: "", ledger_entries: {}, ...given });
  const { ledger, options } = request;
  return {
    ...request,
    ledger: { network_passphrase: defaults.networkPassphrase, ...ledger },
    options: {
      ...options,
      deadline_milliseconds: Math.min(
        options?.deadline_milliseconds ?? defaults.mostMilliseconds,
        defaults.mostMilliseconds,
      ),
    },
  };
}
