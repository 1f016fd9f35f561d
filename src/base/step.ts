// The steps of a walk, for an observer that measures them. A step changes nothing: it returns the
// result of its action, or throws what the action throws.

export type StepName =
  | "fetch"
  | "snapshot"
  | "replay"
  | "why"
  | "verdict"
  | "cause"
  | "explanation"
  | "fix";

export type StepRunner = <Result>(
  name: StepName,
  action: () => Result | Promise<Result>,
) => Promise<Result>;

/** Runs the action without an observer. */
export const plainStep: StepRunner = async (_name, action) => action();
