// The targets of `goto`: the next and the last moment at which the execution reaches a line. The
// session only looks at another moment, so nothing is skipped or changed on the way.

import type { DebugProtocol } from "@vscode/debugprotocol";
import type { BreakpointStore } from "../stepping/breakpoint-store.ts";
import { Handles } from "../stepping/handles.ts";
import type { Breakpoint } from "../time-travel/breakpoints.ts";
import type { Traveller } from "../time-travel/traveller.ts";
import type { RequestArguments } from "./arguments.ts";

export class Goto {
  private readonly moments = new Handles<{ moment: number; source: Breakpoint["source"] }>();

  constructor(
    private readonly traveller: Traveller,
    private readonly breakpoints: BreakpointStore,
  ) {}

  /** Throws an Error with the reason if the line is never reached. */
  async targets({ source, line }: DebugProtocol.GotoTargetsArguments) {
    const bound = await this.breakpoints.bind(source, line);
    if (bound.unbound !== null) throw new Error(bound.unbound);
    const targets: DebugProtocol.GotoTarget[] = [];
    for (const backwards of [false, true]) {
      const moment = await this.traveller.find(bound.places, backwards);
      if (moment === null) continue;
      const when = backwards ? "the last time before" : "the next time";
      const label = `line ${bound.line ?? line}, ${when} (moment ${moment})`;
      const place = this.breakpoints.placeOf(source, bound.line);
      const id = this.moments.add({ moment, source: place });
      targets.push({ id, label, line: bound.line ?? line });
    }
    if (targets.length === 0)
      throw new Error("This execution reaches the line at no other moment.");
    return { targets };
  }

  /** Throws an Error if there is no such target. */
  target({ targetId }: RequestArguments<"goto">) {
    const target = this.moments.get(targetId);
    if (target === undefined) throw new Error("There is no such target.");
    return target;
  }
}
