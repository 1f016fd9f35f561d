// A message of the contract host when it refuses something. Messages are constants of
// rs-soroban-env (soroban-env-host/src); the values that they are about follow them.

export interface HostMessage {
  /** A pattern, or prefixes of messages. */
  readonly message: RegExp | readonly string[];
  /** Stable name for machines. */
  readonly kind: string;
  /**
   * A clause without a full stop that ends with a noun phrase, because the host function and the
   * call follow it. `{0}`, `{1}`, … are the values, `{message}` is the message with its values.
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
