// The settings of history archives.

import * as v from "valibot";
import {
  directory,
  inGroup,
  mebibytes,
  type Resolved,
  text,
  withVariables,
  yesOrNo,
} from "../base/settings/setting.ts";
import { decodeAccountKey } from "../base/text/strkey.ts";
import { NETWORKS, networkOfPassphrase } from "../model/networks.ts";
import type { TrustedHeader } from "./chain.ts";
import type { Validators } from "./validators.ts";

const validators = v.pipe(
  text,
  v.transform(
    (written): Validators =>
      written.split(";").map((each) => each.split(",").map((address) => address.trim())),
  ),
  v.check(
    (organisations) => organisations.flat().every((each) => decodeAccountKey(each) !== null),
    "must be G… addresses: a comma between those of an organisation, a semicolon between organisations",
  ),
  // A validator counts once, and for one organisation.
  v.check((organisations) => {
    const all = organisations.flat();
    return new Set(all).size === all.length;
  }, "must name each validator once"),
);

const trustedHeader = v.pipe(
  text,
  v.regex(
    /^\d{1,10}:[0-9a-f]{64}$/i,
    "must be a ledger's number, a colon and the hash, 64 hex digits",
  ),
  v.transform((written): TrustedHeader => {
    const [ledger = "", hash = ""] = written.split(":");
    return { ledger: Number(ledger), hash: hash.toLowerCase() };
  }),
);

/** With an empty list, svc asks no archive. */
const places = v.pipe(
  text,
  v.transform((written): readonly string[] =>
    written === "none" ? [] : written.split(",").map((each) => each.trim()),
  ),
  v.check(
    (all) => all.every((each) => each !== ""),
    "must have a URL or a directory at each comma",
  ),
);

export const ARCHIVE_SETTINGS = inGroup(
  "Network",
  withVariables(
    "SVC_",
    {
      historyArchive: {
        hint: "URL|DIR,…",
        schema: places,
        otherwise: "the network's",
        help:
          "History archives of validators, which prove the state of each ledger. If one fails, svc " +
          "asks the next. `none` uses no archive.",
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
      trustedHeader: {
        hint: "LEDGER:HASH",
        schema: trustedHeader,
        otherwise: "none",
        refusal: ["sets a ledger header to trust (trustedHeader)", "use `--trusted-header`"],
        help:
          "Hash of a later ledger's header that you know. It proves the ledgers before it if too few " +
          "validators signed.",
      },
      download: {
        schema: yesOrNo,
        refusal: ["allows large downloads (download)", "use `--download`"],
        help: "Allow downloads of more than 64 MB from a history archive.",
      },
      archiveCache: {
        hint: "DIR",
        schema: directory,
        refusal: ["sets a directory to write to (archiveCache)", "use `--archive-cache`"],
        otherwise: "svc/buckets in the user's cache",
        help: "Directory for the parts of archives that svc keeps.",
      },
      archiveCacheSize: {
        hint: "MIB",
        schema: mebibytes(1, 1024 * 1024),
        // This is room for two states of mainnet, whose largest buckets stay the same for a month.
        default: "8192",
        refusal: ["sets what svc removes (archiveCacheSize)", "use `--archive-cache-size`"],
        help: "Maximum size of the archive cache. Above it, svc removes what it used longest ago.",
      },
      sorobanOnly: {
        schema: yesOrNo,
        help: "Keep only contract entries and network settings: a fifth of mainnet's state.",
      },
    },
    "",
  ),
);

export type ArchiveValues = Resolved<typeof ARCHIVE_SETTINGS>;

/** Returns the archives of the network, in the order in which they are asked. */
export function archivesOf(
  { historyArchive }: Pick<ArchiveValues, "historyArchive">,
  networkPassphrase: string,
): readonly string[] {
  const known = networkOfPassphrase(networkPassphrase);
  return historyArchive ?? (known === null ? [] : NETWORKS[known].historyArchives);
}
