// A profile says that its totals are the network's only where they were compared and are equal; the
// verdict and the caveats stand on the page and in every format that has words.

import { describe, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { Profile } from "pprof-format";
import type { ChainRecord } from "../../../src/model/chain-record.ts";
import type { Investigation } from "../../../src/model/investigation.ts";
import type { Comparison, Verdict } from "../../../src/model/verdict.ts";
import { PROFILE_FORMATS } from "../../../src/report/profile/formats.ts";
import { embeddedViewer } from "../../../src/report/profile/html.ts";
import {
  profileOf,
  type TransactionProfile,
} from "../../../src/report/profile/transaction-profile.ts";
import { investigate } from "../investigations.ts";
import { framesOf } from "./profiles.ts";

const [CPU, MEMORY] = [400, 100];
const IS_NETWORKS = "exactly what the network metered";
const METRICS = [
  ["cpu_insn", CPU],
  ["mem_byte", MEMORY],
] as const;

function metric(item: string, chain: string | null, replay: number): Comparison {
  const result = chain === null ? "unavailable" : chain === String(replay) ? "equal" : "different";
  const subject = "core-metric";
  return { subject, item, result, chain, replay: String(replay), detail: null };
}

/** A replay with this verdict, whose totals are CPU and MEMORY. */
function profileWith(
  change: Partial<Verdict>,
  chain: (item: string, replay: number) => string | null = (_, replay) => String(replay),
  claimed: { readonly claimed?: ChainRecord["claimed"] } = {},
): TransactionProfile {
  const base = investigate("sac-transfer", (walk) => ({
    ...walk,
    execution: {
      ...walk.execution,
      profile: [
        { frames: framesOf("invoke_contract", "MemCpy"), cpu: `${CPU}`, memory: `${MEMORY}` },
      ],
    },
  }));
  const others = base.verdict.comparisons.filter(({ subject }) => subject !== "core-metric");
  const comparisons = [...others, ...METRICS.map(([item, n]) => metric(item, chain(item, n), n))];
  const verdict = { ...base.verdict, kind: "exact", caveats: [], comparisons, ...change } as const;
  const record = { ...base.record, ...claimed };
  const profile = profileOf({ ...base, record, verdict } as Investigation);
  if (profile === null) throw new Error("no profile");
  return profile;
}

/** All words of each format that has words. */
function wordsOf(profile: TransactionProfile): Record<string, string> {
  const text = (format: "html" | "speedscope") => String(PROFILE_FORMATS[format].render(profile));
  const pprof = Profile.decode(gunzipSync(PROFILE_FORMATS.pprof.render(profile) as Uint8Array));
  return {
    html: text("html").replace(/\s+/g, " "),
    speedscope: text("speedscope"),
    pprof: pprof.stringTable.strings.join(" "),
  };
}

const CAVEAT = { kind: "assumed", keyXdr: null, detail: "its TTL is <b>assumed</b>" } as const;
const DIFFERENCE: Comparison = {
  subject: "operation-result",
  item: null,
  result: "different",
  chain: "a",
  replay: "b",
  detail: null,
};

const NOT_THE_NETWORKS: readonly (readonly [string, () => TransactionProfile, RegExp])[] = [
  [
    "diverged, with other numbers",
    () =>
      profileWith(
        { kind: "diverged", firstDifference: DIFFERENCE, likelyCause: "State." },
        () => "7",
      ),
    /The network metered 7 CPU instructions and 7 bytes of memory\./,
  ],
  [
    "diverged, with the same numbers",
    () => profileWith({ kind: "diverged", firstDifference: DIFFERENCE }),
    /The replay is not the network(&#39;|')s run\./,
  ],
  [
    "inconclusive",
    () => profileWith({ kind: "inconclusive", caveats: [CAVEAT] }),
    /The replay is not the network(&#39;|')s run\./,
  ],
  [
    "exact, without a number to compare",
    () => profileWith({}, () => null),
    /The chain record does not have the network\S+ metering\./,
  ],
  [
    "equivalent, with other memory",
    () => profileWith({ kind: "equivalent" }, (item, n) => (item === "mem_byte" ? "99" : `${n}`)),
    /The network metered 99 bytes of memory\./,
  ],
];

describe("a profile that is not the network's", () => {
  test.each(NOT_THE_NETWORKS)("%s: no format says that it is", (_, profile, why) => {
    const made = profile();
    for (const [format, words] of Object.entries(wordsOf(made))) {
      expect([format, words.includes(IS_NETWORKS)]).toEqual([format, false]);
      expect(words).toContain("The top frame is what the replay metered.");
      expect(words).toMatch(why);
      expect(words).toContain(made.verdict);
    }
  });
});

test("an exact one with equal numbers is the network's, in every format", () => {
  for (const words of Object.values(wordsOf(profileWith({})))) {
    expect(words).toContain(`The top frame is ${IS_NETWORKS}.`);
    expect(words).toContain("Verdict: exact.");
  }
});

test("first difference, likely cause and caveats stand on the page, as text", () => {
  const likelyCause = "The state that was served is wrong.";
  const change = { kind: "diverged", firstDifference: DIFFERENCE, likelyCause } as const;
  const { html, pprof } = wordsOf(profileWith({ ...change, caveats: [CAVEAT] }));
  for (const words of [html, pprof]) {
    expect(words).toContain("Verdict: diverged. The replay differs from the chain.");
    expect(words).toContain("First difference: operation result.");
    expect(words).toContain(likelyCause);
  }
  expect(html).toContain("its TTL is &#60;b&#62;assumed&#60;/b&#62;.");
  expect(html).not.toContain("<b>assumed");
});

test("many caveats are cut, with their number", () => {
  const caveats = Array.from({ length: 40 }, (_, number) => ({
    ...CAVEAT,
    detail: `reason ${number} ${"x".repeat(900)}`,
  }));
  const profile = profileWith({ kind: "inconclusive", caveats });
  expect(profile.caveats.length).toBeLessThan(10);
  expect(profile.caveats.at(-1)).toMatch(/\d+ more/);
  for (const caveat of profile.caveats) expect(caveat.length).toBeLessThanOrEqual(500);
});

test("the viewer inside a report claims nothing about the network", () => {
  expect(embeddedViewer().replace(/\s+/g, " ")).not.toContain(IS_NETWORKS);
});

test("what only a capsule says is not told as what the network metered", () => {
  const claimed = { claimed: { by: "capsule", parts: ["result", "meta"] } } as const;
  for (const words of Object.values(wordsOf(profileWith({}, undefined, claimed)))) {
    expect(words).not.toContain(IS_NETWORKS);
    expect(words).toContain("metering, as the capsule has it");
  }
  for (const words of Object.values(wordsOf(profileWith({}, () => "7", claimed))))
    expect(words).toContain("According to the capsule, the network metered 7 CPU instructions");
});
