// A Simulation as the result object of Stellar RPC's simulateTransaction, with the names, order and
// omissions of version 28 (protocols/rpc/simulate_transaction.go). Empty fields are left out.

import type { SimulatedChange, Simulation } from "../model/simulation.ts";

/** The `result` of a JSON-RPC response. */
export function rpcSimulation(simulation: Simulation) {
  const { error, transactionDataXdr, diagnosticsXdr, returnValueXdr, changes } = simulation;
  const { minResourceFeeStroops, restorePreamble, authorizationsXdr, latestLedger } = simulation;
  return {
    ...(error === null ? {} : { error }),
    ...(transactionDataXdr === null ? {} : { transactionData: transactionDataXdr }),
    ...(diagnosticsXdr.length === 0 ? {} : { events: diagnosticsXdr }),
    ...(minResourceFeeStroops === "0" ? {} : { minResourceFee: minResourceFeeStroops }),
    ...(returnValueXdr === null
      ? {}
      : { results: [{ auth: authorizationsXdr, xdr: returnValueXdr }] }),
    ...(restorePreamble === null
      ? {}
      : {
          restorePreamble: {
            transactionData: restorePreamble.transactionDataXdr,
            minResourceFee: restorePreamble.minResourceFeeStroops,
          },
        }),
    ...(changes.length === 0 ? {} : { stateChanges: changes.map(rpcChange) }),
    latestLedger,
  };
}

function rpcChange({ kind, keyXdr, beforeXdr, afterXdr }: SimulatedChange) {
  return { type: kind, key: keyXdr, before: beforeXdr, after: afterXdr };
}
