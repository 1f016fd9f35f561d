// The place of a contract's source files: on the machine, or among those that a person gave to a
// page.

export interface SourceFiles {
  /** Appends a path to a directory. */
  readonly join: (directory: string, path: string) => string;
  readonly has: (path: string) => boolean;
  /** Returns the content; null if the file cannot be read. */
  readonly read: (path: string) => Promise<string | null>;
}
