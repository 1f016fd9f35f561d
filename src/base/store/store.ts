// A store keeps documents by name: in a directory, or below a prefix of an S3-compatible object
// store.
// Invariant: a document is written completely or not at all, and readers never see half of one.

export interface Store {
  /** The store's name for people, without credentials: the directory, or `s3://bucket/prefix`. */
  readonly name: string;
  /** Returns null if there is no such document. */
  read(name: string): Promise<string | null>;
  /** Writes a document, and replaces the one that had this name. */
  write(name: string, text: string): Promise<void>;
  /** Removes a document; nothing happens if there is none. */
  remove(name: string): Promise<void>;
  /** Returns the names of all documents, in order. */
  list(): Promise<readonly string[]>;
}
