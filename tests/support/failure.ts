// The SvcError of an action that must fail.

import { SvcError } from "../../src/base/errors/errors.ts";

export async function failureOf(promise: Promise<unknown>): Promise<SvcError> {
  const answer = await promise.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
  return thrownBy(answer);
}

/** For an action that may be asynchronous. */
export function failureIn(action: () => unknown): Promise<SvcError> {
  return failureOf(Promise.resolve().then(action));
}

/** For a synchronous action. */
export function thrownBy(action: () => unknown): SvcError {
  let answer: unknown;
  try {
    answer = action();
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new Error(`it did not fail: ${JSON.stringify(answer)?.slice(0, 200)}`);
}
