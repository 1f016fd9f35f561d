// The exit codes of svc, a row each, the most severe first. A run of several transactions has the
// most severe code: interrupted and internal errors; then the errors that keep svc from an answer,
// the user's before the machine's and the machine's before the network's; then the answers. Help,
// manual page and documents are made from these rows.

export interface ExitCode {
  readonly code: number;
  /** A noun phrase, as in "exit code 4 (remote node error)". */
  readonly name: string;
  /** More about it, after a colon; null: the name says it. */
  readonly detail: string | null;
  /** The program ended with an answer, not with an error. */
  readonly isAnswer?: true;
}

const ROWS = {
  interrupted: { code: 130, name: "interrupted", detail: null },
  internal: { code: 70, name: "internal error", detail: "a bug in svc" },
  usage: { code: 2, name: "usage error", detail: "the command line, or a file on it" },
  configuration: {
    code: 3,
    name: "configuration or credentials error",
    detail: "settings, a token, or a file that cannot be written",
  },
  outdated: {
    code: 8,
    name: "svc is too old for the ledger",
    detail: "the ledger is of a later protocol than svc knows",
  },
  simulator: { code: 5, name: "simulator error", detail: "svc-sim is missing, or failed" },
  remote: {
    code: 4,
    name: "remote node error",
    detail:
      "not found, timeout, rate limit, bad answer; for `svc verify --result` also a storage error",
  },
  notAsExpected: {
    code: 7,
    name: "not as expected",
    detail:
      "a condition of `--fail-on` is true, an expectation of `--expect` failed, `--fix` found no " +
      "proven fix, or a signature is invalid or missing",
    isAnswer: true,
  },
  diverged: {
    code: 1,
    name: "diverged",
    detail: "the replay differs from the chain",
    isAnswer: true,
  },
  inconclusive: {
    code: 6,
    name: "inconclusive",
    detail: "an input that the replay needs is unknown",
    isAnswer: true,
  },
  reproduced: {
    code: 0,
    name: "reproduced",
    detail:
      "also when the transaction failed on chain and the replay failed the same way; for other " +
      "commands: done",
    isAnswer: true,
  },
} as const satisfies Readonly<Record<string, ExitCode>>;

/** The rows, the most severe first. */
export const EXIT_CODES: readonly ExitCode[] = Object.values(ROWS);

/** Name → code. */
export const EXIT = Object.fromEntries(
  Object.entries(ROWS).map(([name, { code }]) => [name, code]),
) as { readonly [Name in keyof typeof ROWS]: (typeof ROWS)[Name]["code"] };

/** The most severe of them; 0 for an empty list. */
export function mostSevere(exitCodes: readonly number[]): number {
  return EXIT_CODES.find(({ code }) => exitCodes.includes(code))?.code ?? EXIT.reproduced;
}

/** The rows by code. */
export function exitCodesInOrder(): ExitCode[] {
  return [...EXIT_CODES].sort((left, right) => left.code - right.code);
}
