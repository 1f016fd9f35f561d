// Where documents are kept by name: a directory, or a prefix of an S3-compatible object store.
// Invariant: a document is written completely or not at all, and readers never see half of one.

import { rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { S3Client, type S3File } from "bun";
import { utf8Text } from "../bytes.ts";
import type { Clock } from "../clock.ts";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { readFileWithin, whyUnreadable } from "../files/read-file.ts";
import { writeOutputFile } from "../files/write-file.ts";

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

// A prefix of an S3-compatible object store, by Bun's client, which splits large documents into
// parts. A store that fails for a minute is waited for; settings that cannot work are not tried
// again.

interface S3Access {
  readonly bucket: string;
  /** Without a slash at either end; empty: the whole bucket. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
}

/** 63 seconds together, besides the attempts. */
const WAITS_MILLISECONDS = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
const ATTEMPT_MILLISECONDS = 60_000;
const PART_BYTES = 8 * 1024 * 1024;
const PART_RETRIES = 3;
const ABSENT = "NoSuchKey";
/** No retry makes these work. */
const PERMANENT: ReadonlySet<string> = new Set([
  "AccessDenied",
  "AuthorizationHeaderMalformed",
  "ERR_S3_INVALID_ENDPOINT",
  "ERR_S3_INVALID_PATH",
  "ERR_S3_INVALID_SESSION_TOKEN",
  "ERR_S3_MISSING_CREDENTIALS",
  "InvalidAccessKeyId",
  "InvalidBucketName",
  "NoSuchBucket",
  "PermanentRedirect",
  "SignatureDoesNotMatch",
]);

/** Throws CONFIG_INVALID where the settings cannot work, and NETWORK_UNREACHABLE otherwise. */
function openS3Store(
  access: S3Access,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Store {
  const { prefix, ...settings } = access;
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const client = new S3Client(Object.fromEntries(given));
  const name = `s3://${[access.bucket, prefix].filter((part) => part !== "").join("/")}`;
  const keyOf = (document: string) => (prefix === "" ? document : `${prefix}/${document}`);
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    for (const wait of [...WAITS_MILLISECONDS, null]) {
      signal.throwIfAborted();
      try {
        return await withLimit(work, clock, signal);
      } catch (cause) {
        signal.throwIfAborted();
        const code = systemCodeOf(cause) ?? "unknown error";
        if (code === ABSENT) return null;
        if (PERMANENT.has(code)) throw refused(name, code, cause);
        if (wait === null) throw unreachable(name, code, cause);
        await clock.sleep(wait, signal);
      }
    }
    return null;
  };
  return {
    name,
    read: (document) => attempt(() => client.file(keyOf(document)).text()),
    async write(document, text) {
      await attempt(() => upload(client.file(keyOf(document)), text));
    },
    async remove(document) {
      await attempt(() => client.delete(keyOf(document)));
    },
    async list() {
      const names: string[] = [];
      const under = keyOf("");
      let after: string | undefined;
      do {
        const page = await attempt(() =>
          client.list({ prefix: under, ...(after && { startAfter: after }) }),
        );
        const keys = (page?.contents ?? []).map(({ key }) => key);
        names.push(...keys.map((key) => key.slice(under.length)));
        after = page?.isTruncated === true ? keys.at(-1) : undefined;
      } while (after !== undefined);
      return names.filter((each) => each !== "" && !each.includes("/")).sort();
    },
  };
}

/** A large document goes in parts, each with retries of its own, and appears when all are there. */
async function upload(file: S3File, text: string): Promise<void> {
  const type = "application/json";
  if (text.length <= PART_BYTES) await file.write(text, { type });
  else {
    const writer = file.writer({ type, partSize: PART_BYTES, retry: PART_RETRIES });
    writer.write(text);
    await writer.end();
  }
}

async function withLimit<T>(work: () => Promise<T>, clock: Clock, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const either = AbortSignal.any([signal, done.signal]);
  const limit = clock.sleep(ATTEMPT_MILLISECONDS, either).then(() => {
    throw Object.assign(new Error("no answer in time"), { code: "timeout" });
  });
  // After the work has ended the limit is no longer waited for.
  limit.catch(() => {});
  try {
    return await Promise.race([work(), limit]);
  } finally {
    done.abort();
  }
}

function refused(name: string, code: string, cause: unknown): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: `${name} cannot be used with these settings (${code}).`,
    remedy:
      "Check the bucket, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL: " +
      "credentials come from the environment alone, not from profiles or roles.",
    cause,
    details: { store: name, code },
  });
}

function unreachable(name: string, code: string, cause: unknown): SvcError {
  return new SvcError("NETWORK_UNREACHABLE", {
    message: `${name} did not answer after ${WAITS_MILLISECONDS.length + 1} attempts (${code}).`,
    remedy: "Run the command again: progress that was saved is not lost.",
    cause,
    details: { store: name, code },
  });
}

/** A document of a long piece has some megabytes. */
const MAXIMUM_BYTES = 2 ** 30;

/** Throws OUTPUT_UNWRITABLE from `write`, FILE_UNREADABLE from the others. */
function openDirectoryStore(directory: string, options: { readonly signal: AbortSignal }): Store {
  return {
    name: directory,
    async read(name) {
      const path = join(directory, name);
      const limits = { signal: options.signal, maximumBytes: MAXIMUM_BYTES };
      const bytes = await orNull(path, () => readFileWithin(path, limits));
      return bytes === null ? null : utf8Text(bytes);
    },
    async write(name, text) {
      await writeOutputFile(directory, name, text, options);
    },
    async remove(name) {
      rmSync(join(directory, name), { force: true });
    },
    async list() {
      const entries = await orNull(directory, () => readdir(directory, { withFileTypes: true }));
      const files = (entries ?? []).filter((entry) => entry.isFile());
      return files.map(({ name }) => name).sort();
    },
  };
}

/** Null where there is nothing. */
async function orNull<T>(path: string, read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (cause) {
    if (systemCodeOf(cause) === "ENOENT") return null;
    throw new SvcError("FILE_UNREADABLE", {
      message: `${path} cannot be read (${whyUnreadable(cause)}).`,
      remedy: "Check the path and its permissions.",
      cause,
      details: { file: path },
    });
  }
}

interface StoreSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly workingDirectory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const S3 = /^s3:\/\/([^/]*)\/*(.*?)\/*$/;
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Throws USAGE. */
export function openStore(word: string, surroundings: StoreSurroundings): Store {
  const found = S3.exec(word);
  if (found === null && /^\w+:\/\//.test(word)) throw notAStore(word);
  if (found === null) {
    return openDirectoryStore(resolve(surroundings.workingDirectory, word), surroundings);
  }
  const [, bucket = "", prefix = ""] = found;
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

/** The word may have credentials in it, as in `https://key:secret@host`. */
function notAStore(word: string): SvcError {
  return new SvcError("USAGE", {
    message: `The results cannot be kept at this ${word.slice(0, word.indexOf(":"))}:// address.`,
    remedy: "Use a directory or s3://bucket/prefix.",
  });
}
