// The settings of history archives.

import * as v from "valibot";
import { inGroup, type Resolved, text, withVariables } from "../base/settings/setting.ts";
import { decodeAccountKey } from "../xdr/reader/strkey.ts";
import type { Validators } from "./validators.ts";

const validators = v.pipe(
  text,
  v.transform(
    (written): Validators =>
      written.split(";").map((each) => each.split(",").map((one) => one.trim())),
  ),
  v.check(
    (organisations) => organisations.flat().every((each) => decodeAccountKey(each) !== null),
    "must be G… addresses: a comma between those of an organisation, a semicolon between organisations",
  ),
  // Each speaks once, and for one organisation.
  v.check((organisations) => {
    const all = organisations.flat();
    return new Set(all).size === all.length;
  }, "must name each validator once"),
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
