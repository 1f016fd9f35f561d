// The steps of a walk, told to whoever wants to know how long each took. A step changes nothing:
// its result, or what it throws, is that of its action.

export type StepName = "fetch" | "snapshot" | "replay" | "verdict" | "explanation" | "fix";

export type Step = <Result>(
  name: StepName,
  action: () => Result | Promise<Result>,
) => Promise<Result>;

/** Tells nobody. */
export const plainStep: Step = async (_name, action) => action();
