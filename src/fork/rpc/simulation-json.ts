// The result of simulateTransaction with `xdrFormat` json: XDR in the JSON of SEP-51.

import type { rpcSimulation } from "../../report/rpc-simulation.ts";
import type { TypeName } from "../../xdr/reader/schema.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { decode } from "../../xdr/reader/value.ts";

export function simulationJson(result: ReturnType<typeof rpcSimulation>) {
  const { transactionData, events, results, restorePreamble, stateChanges, ...others } = result;
  return {
    ...others,
    ...(transactionData && { transactionDataJson: dataJson(transactionData) }),
    ...(events && { eventsJson: events.map((each) => json("DiagnosticEvent", each)) }),
    ...(results && {
      results: results.map(({ auth, xdr }) => ({
        authJson: auth.map((each) => json("SorobanAuthorizationEntry", each)),
        returnValueJson: json("ScVal", xdr),
      })),
    }),
    ...(restorePreamble && {
      restorePreamble: {
        transactionDataJson: dataJson(restorePreamble.transactionData),
        minResourceFee: restorePreamble.minResourceFee,
      },
    }),
    ...(stateChanges && {
      stateChanges: stateChanges.map(({ type, key, before, after }) => ({
        type,
        keyJson: json("LedgerKey", key),
        before: null,
        after: null,
        ...(before !== null && { beforeJson: json("LedgerEntry", before) }),
        ...(after !== null && { afterJson: json("LedgerEntry", after) }),
      })),
    }),
  };
}

function dataJson(xdr: string) {
  return json("SorobanTransactionData", xdr);
}

function json(type: TypeName, xdr: string) {
  return toJson(type, decode(type, xdr));
}
