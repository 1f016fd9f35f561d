// Opens the store that a word of the command line names.

import { resolve } from "node:path";
import type { Clock } from "../clock.ts";
import { SvcError } from "../errors/errors.ts";
import { openDirectoryStore } from "./directory-store.ts";
import { openS3Store } from "./s3-store.ts";
import type { Store } from "./store.ts";

interface StoreSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const S3 = /^s3:\/\/([^/]*)\/*(.*?)\/*$/;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Opens the store that `word` names: a directory, or `s3://bucket/prefix`. Throws USAGE. */
export function openStore(word: string, surroundings: StoreSurroundings): Store {
  const s3Match = S3.exec(word);
  if (s3Match === null && /^\w+:\/\//.test(word)) throw notAStore(word);
  if (s3Match === null) {
    return openDirectoryStore(resolve(surroundings.workingDirectory, word), surroundings);
  }
  const [, bucket = "", prefix = ""] = s3Match;
  if (!BUCKET.test(bucket)) throw notAStore(word);
  const { environment } = surroundings;
  const first = (...names: readonly string[]) =>
    names.map((name) => environment[name]).find((value) => value !== undefined && value !== "");
  return openS3Store(
    {
      bucket,
      prefix,
      endpoint: first("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "S3_ENDPOINT"),
      region: first("AWS_REGION", "AWS_DEFAULT_REGION", "S3_REGION"),
      accessKeyId: first("AWS_ACCESS_KEY_ID", "S3_ACCESS_KEY_ID"),
      secretAccessKey: first("AWS_SECRET_ACCESS_KEY", "S3_SECRET_ACCESS_KEY"),
      sessionToken: first("AWS_SESSION_TOKEN", "S3_SESSION_TOKEN"),
    },
    surroundings,
  );
}

/** The word is not quoted, because it may contain credentials, as in `https://key:secret@host`. */
function notAStore(word: string): SvcError {
  return new SvcError("USAGE", {
    message: `The results cannot be kept at this ${word.slice(0, word.indexOf(":"))}:// address.`,
    remedy: "Use a directory or s3://bucket/prefix.",
  });
}
