// The values in overrides in the form that users write: numbers, amounts, times, addresses.

import * as v from "valibot";
import {
  addressHint,
  isAccountAddress,
  isContractAddress,
  type StrkeyKind,
  strkeyPattern,
} from "../base/text/strkey.ts";

/** A field that may be left out, with its description in the JSON schema for editors. */
export function described<Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.exactOptional(v.pipe(schema, v.description(text)));
}

export const writtenText = v.pipe(v.string("must be text"), v.nonEmpty("must not be empty"));

export const writtenUint32 = v.pipe(
  v.number("must be a whole number"),
  v.integer("must be a whole number"),
  v.minValue(0, "must not be negative"),
  v.maxValue(0xffff_ffff, "must be below 2^32"),
);

const natural = v.pipe(
  v.number(),
  v.safeInteger("is too large for a JSON number; write its digits as text"),
  v.minValue(0, "must not be negative"),
);

const STROOPS = "must be a whole number of stroops, or its digits as text";
/** The amount is decimal text, because 64-bit numbers do not fit a JSON number. */
export const stroops = v.pipe(
  v.union([natural, v.pipe(v.string(), v.regex(/^\d{1,19}$/, STROOPS))], STROOPS),
  v.transform(String),
  v.check((digits) => BigInt(digits) < 2n ** 63n, "must be below 2^63"),
);

export const account = addressThat("must be an account's address, G…", "account", isAccountAddress);
export const contract = addressThat(
  "must be a contract's address, C…",
  "contract",
  isContractAddress,
);

/**
 * An address. The pattern is for editors, which cannot compute a checksum. Only one of the two
 * checks can fail.
 */
function addressThat(expectedForm: string, kind: StrkeyKind, isIt: (text: string) => boolean) {
  const message = ({ input }: { readonly input: string }) => `${expectedForm}${addressHint(input)}`;
  const pattern = new RegExp(`^${strkeyPattern([kind])}$`);
  return v.pipe(
    v.string(expectedForm),
    v.regex(pattern, message),
    v.check((text) => isIt(text) || !pattern.test(text), message),
  );
}

const TIME = "must be a time such as 2026-11-21T10:00:00Z, or Unix seconds";

const WRITTEN_TIME = /^(\d{1,20}|\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))$/;

/** Unix seconds as decimal text: a TimePoint is 64 bits wide. */
export const time = v.pipe(
  v.union([natural, v.pipe(v.string(), v.regex(WRITTEN_TIME, TIME))], TIME),
  v.transform((written) => unixSeconds(String(written))),
  v.string(TIME),
);

/** Null if it is not a time. A time without a zone would depend on the machine. */
function unixSeconds(written: string): string | null {
  if (/^\d{1,20}$/.test(written)) return BigInt(written) < 2n ** 64n ? written : null;
  const [year = 0, month = 0, day = 0] = written.slice(0, 10).split("-").map(Number);
  // `Date` reads 30 February as 2 March. Day 0 is the last day of the month before.
  const isDay = day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
  const milliseconds = isDay ? Date.parse(written) : Number.NaN;
  return milliseconds >= 0 ? String(milliseconds / 1000) : null;
}
