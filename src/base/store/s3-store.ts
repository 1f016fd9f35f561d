// A prefix of an S3-compatible object store, through Bun's client, which splits large documents
// into parts. A failing store gets a minute of retries. Settings that cannot work are not retried.

import { S3Client, type S3File } from "bun";
import type { Clock } from "../clock.ts";
import { SvcError } from "../errors/errors.ts";
import { systemCodeOf } from "../errors/system-code.ts";
import { AGAIN, phrase } from "../phrase.ts";
import type { Store } from "./store.ts";

export interface S3Access {
  readonly bucket: string;
  /** The prefix has no slash at either end. An empty prefix means the whole bucket. */
  readonly prefix: string;
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly accessKeyId: string | undefined;
  readonly secretAccessKey: string | undefined;
  readonly sessionToken: string | undefined;
}

/** The waits between attempts: 63 seconds in total. */
const WAITS_MILLISECONDS = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000];
const ATTEMPT_MILLISECONDS = 60_000;
const PART_BYTES = 8 * 1024 * 1024;
const PART_RETRIES = 3;
const ABSENT = "NoSuchKey";
/** Codes of failures that no retry cures. */
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

/** Its methods throw CONFIG_INVALID if the settings cannot work, else NETWORK_UNREACHABLE. */
export function openS3Store(
  access: S3Access,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Store {
  const { prefix, ...settings } = access;
  const present = Object.entries(settings).filter(([, value]) => value !== undefined);
  const client = new S3Client(Object.fromEntries(present));
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

/** Uploads a large document in parts with retries. It appears when the last part has arrived. */
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
  // After the work has ended, the limit is not awaited any more.
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
    remedy: phrase`${AGAIN}: progress that was saved is not lost.`,
    cause,
    details: { store: name, code },
  });
}
