// One thing that the contract host says when it refuses something. Its messages are constants of
// rs-soroban-env (soroban-env-host/src); what they are about follows them as values.

export interface HostMessage {
  /** A pattern, or how messages begin. */
  readonly message: RegExp | readonly string[];
  /** Stable name for machines. */
  readonly kind: string;
  /**
   * A clause without a full stop; `{0}`, `{1}`, … stand for the values, `{said}` for the message
   * with them.
   */
  readonly words: string;
  readonly remedy: string | null;
}

export function row(
  message: HostMessage["message"],
  kind: string,
  words: string,
  remedy: string | null,
): HostMessage {
  return { message, kind, words, remedy };
}
