// What svc knows of settings and cost parameters in each protocol, held against the definitions and
// the defaults of the newest contract host: a new protocol with more of them fails here.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { newestHostDirectory } from "../../scripts/xdr-definitions.ts";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { initialCostParameters } from "../../src/snapshot/settings/initial-cost-parameters.ts";
import { settingKeys, settingName } from "../../src/xdr/reader/keys.ts";
import { memberNames } from "../../src/xdr/reader/schema.ts";

/** Settings that only carry an upgrade, and are never stored. */
const NEVER_STORED = /_DELTA$/;

/** Cost type in lower case → terms, of the arms that the host's source sets alone. */
function defaultsOfHost(kind: "cpu" | "mem"): ReadonlyMap<string, readonly [number, number]> {
  const source = readFileSync(join(newestHostDirectory(), "src/budget.rs"), "utf8");
  const arms = source.matchAll(
    new RegExp(
      String.raw`ContractCostType::(\w+) => \{\s*(?:\/\/[^\n]*\s*)*${kind}\.const_term = (\d+);\s*` +
        String.raw`${kind}\.lin_term = ScaledU64\((\d+)\);\s*\}`,
      "g",
    ),
  );
  return new Map(
    [...arms].map(([, name = "", constant, linear]) => [
      name.toLowerCase(),
      [Number(constant), Number(linear)],
    ]),
  );
}

test.each([
  ["cpu", "cpu"],
  ["mem", "memory"],
] as const)("initial %s cost parameters are the newest host's defaults", (ofHost, kind) => {
  const defaults = defaultsOfHost(ofHost);
  const parameters = initialCostParameters(NEWEST_PROTOCOL)[kind];
  const names = [...memberNames("ContractCostType")];
  expect(parameters).toHaveLength(names.length);
  const known = names.flatMap(([value, name]) => {
    const terms = defaults.get(name.toLowerCase());
    return terms === undefined ? [] : [[name, parameters[value], terms] as const];
  });
  // A few arms have more than the two lines.
  expect(known.length).toBeGreaterThan(names.length - 5);
  for (const [name, own, terms] of known) expect([name, ...(own ?? [])]).toEqual([name, ...terms]);
});

test.each([
  [20, 23],
  [21, 45],
  [22, 70],
  [25, 85],
  [26, 86],
  [29, 86],
  [30, 95],
])("protocol %i has %i cost types", (protocol, count) => {
  const { cpu, memory } = initialCostParameters(protocol);
  expect([cpu.length, memory.length]).toEqual([count, count]);
});

test("every setting that is stored has a protocol", () => {
  const stored = [...memberNames("ConfigSettingId").values()].length;
  const names = settingKeys(NEWEST_PROTOCOL).map(settingName);
  const never = [...memberNames("ConfigSettingId").values()].filter((name) => /Delta$/.test(name));
  expect(names.length + never.length).toBe(stored);
  expect(names.filter((name) => NEVER_STORED.test(name))).toEqual([]);
});
