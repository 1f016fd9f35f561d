// Calls of contracts by name, for agents and for clients of the daemon: on a fork of the network's
// state that only this process has.

import type { Work } from "../tools/open-work.ts";
import type { Tools } from "../tools/tools.ts";
import type { CallSurroundings, Lent } from "./lending.ts";

/** Null if this svc has no forks. */
export function callerOn(
  surroundings: CallSurroundings & { readonly work: Pick<Work, "tools"> },
  { calls: load }: Pick<Lent, "calls">,
): NonNullable<Tools["call"]> | null {
  if (load === undefined) return null;
  return async ({ ledger, arguments: value, account, ...call }, run) => {
    const { makeCalls } = await load();
    const callRequest = {
      fork: { kind: "network", ledger, archive: null },
      deployed: null,
      calls: [{ ...call, arguments: { kind: "json", value }, account: account ?? undefined }],
      namesNetwork: true,
    } as const;
    const made = await makeCalls(surroundings, callRequest, run);
    const subject = { captured: () => made.captured, nodes: () => made.nodes };
    const investigation = await surroundings.work.tools.debug(subject, {}, run);
    // Other processes do not know the transactions of this fork, so no command can follow.
    return { ...investigation, next: [], call: made.call };
  };
}
