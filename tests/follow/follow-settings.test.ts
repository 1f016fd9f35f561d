// A mistake in the section `follow` is named by its setting, with the setting that was meant.

import { expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import { resolveFollowConfig } from "../../src/follow/follow-settings.ts";

function refusal(section: unknown): string {
  try {
    resolveFollowConfig({
      file: { path: "svc.json", settings: { follow: section } },
      state: "/state",
      environment: {},
      workingDirectory: "/etc/svc",
    });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return `${error.code}: ${error.message} ${error.remedy}`;
  }
  return "taken";
}

const url = "https://example.org/hook";

test("an unknown setting is refused at every depth, with the one that was meant", () => {
  expect(refusal({ behindLedgrs: 1 })).toBe(
    'CONFIG_INVALID: follow.behindLedgrs in svc.json is not a setting. Did you mean "behindLedgers"?',
  );
  const address = "C".padEnd(56, "A");
  const cases: readonly [section: unknown, at: string, meant: string][] = [
    [{ backlog: { polcy: "skip" } }, "backlog.polcy", "policy"],
    [{ watch: [{ address, lable: "x" }] }, "watch.0.lable", "label"],
    [{ sinks: [{ kind: "webhook", name: "a", ulr: url }] }, "sinks.0.ulr", "url"],
    [{ sinks: [{ kind: "ndjson", name: "a", flie: "x" }] }, "sinks.0.flie", "file"],
  ];
  for (const [section, at, meant] of cases)
    expect(refusal(section)).toBe(
      `CONFIG_INVALID: follow.${at} in svc.json is not a setting. Did you mean "${meant}"?`,
    );
  expect(refusal({ colour: true })).toContain("Correct it; docs/follow.md lists every setting.");
});

test("a value that cannot be meant is refused with what it must be", () => {
  const cases: readonly [section: unknown, says: string][] = [
    [[], "follow in svc.json must be an object."],
    [{ fix: "yes" }, "follow.fix in svc.json must be true or false."],
    [{ behindLedgers: "3" }, "follow.behindLedgers in svc.json must be a whole number from 0"],
    [{ backlog: { policy: "drop" } }, "must be catch-up or skip or stop."],
    [{ sinks: [{ name: "a", url }] }, "follow.sinks.0.kind in svc.json is missing."],
    [{ sinks: [{ kind: "mail", name: "a" }] }, "must be webhook or alertmanager or ndjson."],
    [{ causes: Array(101).fill("x") }, "follow.causes in svc.json must have at most 100 entries."],
  ];
  for (const [section, says] of cases) {
    expect(refusal(section)).toContain(says);
    expect(refusal(section)).not.toContain("Invalid");
  }
});

test("a missing file of a sink is named with its setting, its sink and its path", () => {
  const webhook = { kind: "webhook", name: "team" };
  for (const [setting, sink] of [
    ["urlFile", { ...webhook, urlFile: "hook.txt" }],
    ["secretFile", { ...webhook, url, secretFile: "hook.txt" }],
  ] as const)
    expect(refusal({ sinks: [sink] })).toBe(
      `CONFIG_INVALID: The ${setting} of the sink "team", /etc/svc/hook.txt, cannot be read ` +
        "(there is no such file). Correct the path in the settings file, or create the file.",
    );
});
