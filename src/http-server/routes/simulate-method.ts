// The JSON-RPC method simulateTransaction, with the parameters and the result of Stellar RPC, so
// that its clients (for example stellar-sdk's rpc.Server) can use the server.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import type { PooledEngines } from "../../debugger/setup/open-pools.ts";
import {
  type SimulateDependencies,
  simulateTransaction,
} from "../../debugger/simulate/simulate-transaction.ts";
import { rpcSimulation } from "../../report/rpc-simulation.ts";
import type { Run } from "../../tools/tools.ts";
import type { RpcMethod } from "../services.ts";

/** The field `resourceConfig.instructionLeeway`. */
export const leeway = v.union([
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.pipe(v.string(), v.regex(/^\d{1,15}$/)),
]);
const parametersSchema = v.strictObject({
  transaction: v.pipe(v.string(), v.nonEmpty()),
  resourceConfig: v.nullish(v.strictObject({ instructionLeeway: leeway })),
  authMode: v.nullish(v.string()),
  useUpgradedAuth: v.nullish(v.boolean()),
  // Only Stellar RPC itself supports JSON instead of base64.
  xdrFormat: v.nullish(v.picklist(["", "base64"])),
});

export function simulateMethod({ simulation: dependencies }: PooledEngines): RpcMethod {
  return async (parameters, run) =>
    JSON.stringify(await simulateAsRpc(await dependencies(), parse(parameters), run));
}

/** The result of Stellar RPC for these checked parameters. */
export async function simulateAsRpc(
  dependencies: SimulateDependencies,
  parameters: Omit<v.InferOutput<typeof parametersSchema>, "xdrFormat">,
  { signal, client }: Run,
) {
  const { transaction, resourceConfig, authMode, useUpgradedAuth } = parameters;
  const { simulation } = await simulateTransaction(
    dependencies,
    {
      transactionXdr: transaction,
      ...(authMode && { authMode }),
      ...(useUpgradedAuth && { useUpgradedAuth }),
      ...(resourceConfig && { resourceConfig }),
    },
    { signal, client },
  );
  return rpcSimulation(simulation);
}

function parse(parameters: unknown): v.InferOutput<typeof parametersSchema> {
  const parsed = v.safeParse(parametersSchema, parameters);
  if (parsed.success) return parsed.output;
  const field = v.getDotPath(parsed.issues[0]) ?? "params";
  throw new SvcError("REQUEST_INVALID", {
    message: `The parameters of simulateTransaction are not valid: ${field}.`,
    remedy:
      'Send {"transaction": "<TransactionEnvelope in base64>"} and the parameters of Stellar RPC.',
  });
}
