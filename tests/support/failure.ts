// Awaits the SvcError of an action that must fail.

import { SvcError } from "../../src/base/errors/errors.ts";

export async function failureOf(promise: Promise<unknown>): Promise<SvcError> {
  let answer: unknown;
  try {
    answer = await promise;
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error(`it did not fail: ${JSON.stringify(answer)?.slice(0, 200)}`);
}

/** For a synchronous action. */
export function failureIn(action: () => unknown): Promise<SvcError> {
  return failureOf(Promise.resolve().then(action));
}
