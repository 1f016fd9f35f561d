// Targets of `goto`: the next and the last moment at which the execution reaches a line. Nothing is
// skipped and nothing is changed on the way: the session looks at another moment.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Traveller } from "../time-travel/traveller.ts";
import type { BreakpointStore } from "./breakpoint-store.ts";
import { Handles } from "./handles.ts";

export class Goto {
  private readonly traveller: Traveller;
  private readonly breakpoints: BreakpointStore;
  private readonly moments = new Handles<number>();

  constructor(traveller: Traveller, breakpoints: BreakpointStore) {
    this.traveller = traveller;
    this.breakpoints = breakpoints;
  }

  /** Throws an Error with the reason when the line is never reached. */
  async targets({ source, line }: DebugProtocol.GotoTargetsArguments) {
    const bound = await this.breakpoints.bind(source, line);
    if (bound.unbound !== null) throw new Error(bound.unbound);
    const targets: DebugProtocol.GotoTarget[] = [];
    for (const backwards of [false, true]) {
      const moment = await this.traveller.find(bound.places, backwards);
      if (moment === null) continue;
      const when = backwards ? "last time before" : "next time";
      const label = `line ${bound.line ?? line}, ${when} (moment ${moment})`;
      targets.push({ id: this.moments.add(moment), label, line: bound.line ?? line });
    }
    if (targets.length === 0)
      throw new Error("This execution reaches the line at no other moment.");
    return { targets };
  }

  /** Throws an Error when there is no such target. */
  moment({ targetId }: DebugProtocol.GotoArguments): number {
    const moment = this.moments.get(targetId);
    if (moment === undefined) throw new Error("There is no such target.");
    return moment;
  }
}
