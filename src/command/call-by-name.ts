// Calls of contracts by name, for agents and for clients of the daemon: on a fork of the network's
// state that only this process has.

import type { Work } from "../tools/open-work.ts";
import type { ShownFunction } from "../tools/shown-contract.ts";
import type { Tools } from "../tools/tools.ts";
import { type SpecFunction, showName, showSpecType } from "../xdr/contract/contract-spec.ts";
import { isReserved } from "../xdr/contract/reserved-functions.ts";
import type { CallSurroundings, Lent } from "./lending.ts";

/** Empty if this svc has no forks. */
export function callsOn(
  surroundings: CallSurroundings & { readonly work: Pick<Work, "tools"> },
  { calls: load }: Pick<Lent, "calls">,
): Pick<Tools, "call" | "describe"> {
  if (load === undefined) return {};
  const call: Tools["call"] = async ({ ledger, arguments: value, account, ...named }, run) => {
    const { makeCalls } = await load();
    const callRequest = {
      fork: { kind: "network", ledger, archive: null },
      deployed: null,
      calls: [{ ...named, arguments: { kind: "json", value }, account: account ?? undefined }],
      namesNetwork: true,
    } as const;
    const made = await makeCalls(surroundings, callRequest, run);
    const subject = { captured: () => made.captured, nodes: () => made.nodes };
    const investigation = await surroundings.work.tools.debug(subject, {}, run);
    // Other processes do not know the transactions of this fork, so no command can follow.
    return { ...investigation, next: [], call: made.call };
  };
  const describe: Tools["describe"] = async (contract, run) => {
    const { describeContract } = await load();
    const latest = { kind: "network", ledger: null, archive: null } as const;
    const { state, spec } = await describeContract(surroundings, latest, contract, run);
    const functions = [...(spec?.functions.values() ?? [])].filter(({ name }) => !isReserved(name));
    return { state, functions: functions.map(shownFunction) };
  };
  return { call, describe };
}

function shownFunction({ name, doc = "", inputs, output }: SpecFunction): ShownFunction {
  return {
    name: showName(name),
    documentation: doc,
    inputs: inputs.map((input) => ({
      name: showName(input.name),
      type: showSpecType(input.type),
    })),
    output: output === null ? null : showSpecType(output),
  };
}
