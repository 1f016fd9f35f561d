// Where documents are kept by name: a directory, or a prefix of an S3-compatible object store.
// Invariant: a document is written completely or not at all, and readers never see half of one.

export interface Store {
  /** For people, without credentials: the directory, or `s3://bucket/prefix`. */
  readonly name: string;
  /** Null: there is none. */
  read(name: string): Promise<string | null>;
  /** In the place of what had the name before. */
  write(name: string, text: string): Promise<void>;
  /** Nothing happens when there is none. */
  remove(name: string): Promise<void>;
  /** Names in order. */
  list(): Promise<readonly string[]>;
}
