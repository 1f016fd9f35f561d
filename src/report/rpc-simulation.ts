// A Simulation as the result object of Stellar RPC's simulateTransaction: names, order and omissions
// as version 28 has them (protocols/rpc/simulate_transaction.go). What is empty is left out.

import type { SimulatedChange, Simulation } from "../model/simulation.ts";

/** To be sent as the `result` of a JSON-RPC answer. */
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
