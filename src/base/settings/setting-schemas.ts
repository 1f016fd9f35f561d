// The forms of values that several settings of the daemon have.

import * as v from "valibot";

export function integer(least: number, most: number) {
  const problem = `must be a whole number from ${least} to ${most}`;
  return v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,10}$/, problem))], problem),
    v.transform(Number),
    v.integer(problem),
    v.minValue(least, problem),
    v.maxValue(most, problem),
  );
}

/** `name,name`, or in a file also a list. */
export function hostNames() {
  const problem = "must be host names with commas between them";
  return list(
    v.pipe(v.string(), v.trim(), v.toLowerCase(), v.regex(/^[a-z0-9._-]+$/, problem)),
    problem,
  );
}

/** `https://app.example,https://other.example`, or in a file also a list. */
export function origins() {
  const problem = "must be * or origins such as https://app.example, with commas between them";
  const isOrigin = (text: string) => text === "*" || URL.parse(text)?.origin === text;
  return list(v.pipe(v.string(), v.trim(), v.check(isOrigin, problem)), problem);
}

function list<Item extends v.GenericSchema<string, string>>(item: Item, problem: string) {
  return v.pipe(
    v.union([v.string(), v.array(v.string())], problem),
    v.transform((value) => (typeof value === "string" ? value.split(",") : value)),
    v.array(item),
  );
}

export function yesOrNo() {
  const problem = "must be true or false";
  return v.pipe(
    v.union([v.boolean(), v.picklist(["true", "false", "1", "0"], problem)], problem),
    v.transform((value) => value === true || value === "true" || value === "1"),
  );
}
