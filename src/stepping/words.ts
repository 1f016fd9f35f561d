// Requests and debug-console commands that the protocol does not have: why the transaction failed,
// where a value came from, and the way there. Every editor has a debug console.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { neutralise } from "../base/text/neutralise.ts";
import { decidingMoment, originOf } from "../time-travel/origin.ts";
import type { ValueOrigin } from "../time-travel/shown.ts";
import type { Traveller } from "../time-travel/traveller.ts";
import type { MomentView } from "./view.ts";

/** `why`, `origin amount`, `goto why`, `goto origin amount`, `goto 123`. */
const WORD = /^\s*(?:(goto)\s+)?(?:(why)|origin\s+(\S.*?)|(\d{1,15}))\s*\??\s*$/;

interface CommandAnswer {
  readonly result: string;
  /** The moment to go to; null if the session stays. */
  readonly moment: number | null;
}

export class ConsoleCommands {
  constructor(
    private readonly traveller: Traveller,
    private readonly view: MomentView,
  ) {}

  /**
   * Returns the condition as data, and the moment of the branch. Throws an Error if it is unknown.
   */
  async why() {
    const { recording } = this.traveller;
    const decided = await recording.why();
    if (decided === null)
      throw new Error(
        recording.cause === null
          ? "The transaction did not fail."
          : `No single value is known to have decided. ${recording.cause}`,
      );
    return { ...decided, moment: await decidingMoment(recording, decided) };
  }

  /** Throws an Error if the name is unknown. */
  async origin({ expression, frameId }: DebugProtocol.EvaluateArguments): Promise<ValueOrigin> {
    const valueOrigin = await originOf(this.traveller, expression, this.view.spot(frameId));
    if (valueOrigin === null) throw new Error(`${neutralise(expression)} is not known here.`);
    return { ...valueOrigin, text: neutralise(valueOrigin.text) };
  }

  /** Throws an Error if the transaction has no such moment. */
  momentOf(moment: number): number {
    if (moment <= this.traveller.last) return moment;
    throw new Error(`The moments are 0 to ${this.traveller.last}.`);
  }

  /** Returns null if the expression is not a command. */
  async answerTo({
    expression,
    ...request
  }: DebugProtocol.EvaluateArguments): Promise<CommandAnswer | null> {
    const [, goto, why, name, number] = WORD.exec(expression) ?? [];
    if (request.context === "repl" && goto === undefined && /^\s*goto\s/.test(expression))
      throw new Error("Write `goto why`, `goto origin` and a name, or `goto` and a moment.");
    if (request.context !== "repl" || (number !== undefined && goto === undefined)) return null;
    const to = (moment: number | null, text: string): CommandAnswer => {
      if (goto === undefined) return { result: text, moment: null };
      if (moment === null) throw new Error(`There is no moment to go to: ${text}`);
      return { result: text, moment };
    };
    if (number !== undefined) return to(this.momentOf(Number(number)), `Moment ${number}`);
    if (why !== undefined) {
      const { summary, moment } = await this.why();
      const way = moment === null || goto !== undefined ? "" : " `goto why` goes to the branch.";
      return to(moment, `${summary}${way}`);
    }
    if (name === undefined) return null;
    const { text, moment } = await this.origin({ ...request, expression: name });
    const way =
      moment === null || goto !== undefined ? "" : `. \`goto origin ${name}\` goes there.`;
    return to(moment, `${name}: ${text}${neutralise(way)}`);
  }
}
