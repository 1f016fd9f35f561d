// The settings of history archives, and what is opened from them.

import { homedir } from "node:os";
import { join } from "node:path";
import * as v from "valibot";
import { SvcError } from "../base/errors/errors.ts";
import type { Http } from "../base/http/http.ts";
import { inGroup, type Resolved, text, withVariables } from "../base/settings/setting.ts";
import { NETWORKS } from "../model/networks.ts";
import type { StateReport } from "../model/state.ts";
import { decodeAccountKey } from "../xdr/reader/strkey.ts";
import { describeKey } from "../xdr/values/value.ts";
import { archiveDirectory, archiveUrl, openArchive } from "./archive-files.ts";
import { openBucketStore } from "./bucket-store.ts";
import { openChain } from "./chain.ts";
import { lacking } from "./errors.ts";
import { StateReader } from "./state-at.ts";

const validators = v.pipe(
  text,
  v.transform((written) =>
    written.split(";").map((each) => each.split(",").map((one) => one.trim())),
  ),
  v.check(
    (organisations) => organisations.flat().every((each) => decodeAccountKey(each) !== null),
    "must be G… addresses: a comma between those of an organisation, a semicolon between organisations",
  ),
);

export const ARCHIVE_SETTINGS = inGroup(
  "Network",
  withVariables(
    "SVC_",
    {
      historyArchive: {
        hint: "URL|DIR",
        schema: text,
        otherwise: "the network's",
        help: "History archive of a validator, which proves the state of each ledger.",
      },
      validators: {
        hint: "G…,G…;G…",
        schema: validators,
        otherwise: "the network's",
        refusal: ["sets whose signatures prove the state (validators)", "use `--validators`"],
        help:
          "Validators whose signatures prove a ledger, by organisation: more than half of each, " +
          "and two thirds of the organisations.",
      },
      archiveCache: {
        hint: "DIR",
        schema: text,
        refusal: ["sets a directory to write to (archiveCache)", "use `--archive-cache`"],
        otherwise: "svc/buckets in the user's cache",
        help: "Directory for the parts of archives that svc keeps.",
      },
    },
    "",
  ),
);

export type ArchiveValues = Resolved<typeof ARCHIVE_SETTINGS>;

const SHOWN_CHARACTERS = 2_000;
/** More than this is only downloaded where the user allows it. */
const FREE_BYTES = 64 * 1024 * 1024;

export interface OpenArchiveOptions {
  readonly http: Http;
  readonly signal: AbortSignal;
  readonly network: string;
  readonly networkPassphrase: string;
  /** Downloads may be large. */
  readonly download: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface OpenedArchive {
  readonly name: string;
  /** The latest ledger whose state validators have signed. */
  readonly latestLedger: number;
  /** `keyXdr`: LedgerKey, base64. */
  report(keyXdr: string, ledger: number): Promise<StateReport>;
}

/** Throws ARCHIVE_LACKS where the network has no archive, and what `archive` throws. */
export async function openConfiguredArchive(
  settings: ArchiveValues,
  { http, signal, network, networkPassphrase, download, environment }: OpenArchiveOptions,
): Promise<OpenedArchive> {
  const known = Object.values(NETWORKS).find(({ passphrase }) => passphrase === networkPassphrase);
  const place = settings.historyArchive ?? known?.historyArchives[0] ?? null;
  if (place === null) throw lacking(`archive of the network "${network}"`);
  const isUrl = /^https?:\/\//.test(place);
  const archive = await openArchive(
    isUrl ? archiveUrl(place, http, { signal }) : archiveDirectory(place),
  );
  const chain = openChain(
    archive,
    settings.validators ?? known?.validators ?? [],
    networkPassphrase,
  );
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME ?? homedir(), ".cache");
  const store = openBucketStore(settings.archiveCache ?? join(cache, "svc", "buckets"));
  const allow = (bytes: number, buckets: number) => {
    if (!download && bytes > FREE_BYTES) throw large(archive.name, bytes, buckets);
  };
  const states = new StateReader({ chain, store, networkPassphrase, allow });
  const latestLedger = archive.latestCheckpoint - archive.ledgersPerCheckpoint;
  const { name } = archive;
  return {
    name,
    latestLedger,
    async report(keyXdr, ledger) {
      const key = describeKey(keyXdr, SHOWN_CHARACTERS);
      const found = await states.at(Uint8Array.fromBase64(keyXdr), ledger);
      return { network, archive: name, ledger, keyXdr, key, ...found };
    },
  };
}

function large(name: string, bytes: number, buckets: number): SvcError {
  const megabytes = Math.ceil(bytes / 1e6);
  return new SvcError("ARCHIVE_DOWNLOAD_LARGE", {
    message: `The state at that ledger needs ${buckets} buckets of ${name}: ${megabytes} MB.`,
    remedy:
      "Add `--download`: what is downloaded is kept, and most of it serves later ledgers too.",
    details: { bytes, buckets },
  });
}
