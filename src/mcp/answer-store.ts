// Keeps the answers of this process, so that an agent can ask for their sections. They are in
// memory, and their size is limited. An id cannot be guessed, so clients of one daemon do not see
// each other's simulations.

import { SvcError } from "../base/errors/errors.ts";
import type { Sections } from "./sections.ts";

export interface KeptAnswer {
  readonly sections: Sections;
  /** The size of the answer as JSON. */
  readonly characters: number;
}

export type AnswerStore = ReturnType<typeof openAnswerStore>;

const LIMITS = { answers: 64, characters: 64 * 1024 * 1024 };
const ID_BYTES = 12;

export function openAnswerStore(limits = LIMITS) {
  /** The answers, the oldest first. */
  const kept = new Map<string, KeptAnswer>();
  let characters = 0;
  return {
    /** Keeps an answer, and returns its id. The oldest answers are removed if there is no room. */
    keep(answer: KeptAnswer): string {
      const id = crypto
        .getRandomValues(new Uint8Array(ID_BYTES))
        .toBase64({ alphabet: "base64url" });
      kept.set(id, answer);
      characters += answer.characters;
      for (const [oldest, { characters: less }] of kept) {
        if (kept.size <= limits.answers && characters <= limits.characters) break;
        if (oldest === id) break;
        kept.delete(oldest);
        characters -= less;
      }
      return id;
    },
    /** Finds an answer. Throws ANSWER_NOT_FOUND. */
    find(id: string): KeptAnswer {
      const answer = kept.get(id);
      if (answer !== undefined) return answer;
      throw new SvcError("ANSWER_NOT_FOUND", {
        message: "No answer has this id. It has expired, or another process has it.",
        remedy: "Call the first tool again; its new answer has a new id.",
      });
    },
  };
}
