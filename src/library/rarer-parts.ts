// Loads the parts of svc that only some inputs need. A pass over an input asks for its parts. If
// one is not loaded yet, it is loaded and the pass is repeated, so that the explanation is the same
// as if all parts had been there.

import type { ToolMessages } from "../explain/codes-within.ts";
import type { AnswerParts, RarerParts } from "../tools/text-to-explain.ts";

let answers: AnswerParts | null = null;
let toolMessages: ToolMessages | null = null;

const LOAD = {
  answers: async () => {
    const { loadedAnswers } = await import("./answers.ts");
    answers = loadedAnswers();
  },
  toolMessages: async () => {
    const { toolMessageInWords } = await import("../explain/host-messages/tool-words.ts");
    toolMessages = toolMessageInWords;
  },
};

/**
 * Calls `pass` until every part that it asks for is loaded. Returns or throws what the last call
 * does.
 */
export async function withRarerParts<Result>(pass: (parts: RarerParts) => Result): Promise<Result> {
  for (;;) {
    const missing = new Set<keyof typeof LOAD>();
    const ask = (name: keyof typeof LOAD): never => {
      missing.add(name);
      throw new Error(`${name} is not loaded yet`);
    };
    try {
      const result = pass({
        answers: () => answers ?? ask("answers"),
        toolMessages: (text) => (toolMessages ?? ask("toolMessages"))(text),
      });
      if (missing.size === 0) return result;
    } catch (error) {
      if (missing.size === 0) throw error;
    }
    for (const name of missing) await LOAD[name]();
  }
}
