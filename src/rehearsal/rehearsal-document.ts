// A rehearsal as a document: the groups with a count and an example each, the costs, and what the
// interface of each build has other than before.

import { counted } from "../base/text/counted.ts";
import { grouped } from "../base/text/grouped.ts";
import {
  type Item,
  itemsOf,
  type ReportDocument,
  rowsOf,
  type Section,
  type Sentence,
  section,
  sentence,
  type Table,
} from "../report/document/document.ts";
import {
  differencesInWords,
  interfaceInWords,
  misfitInWords,
  notJudgedInWords,
} from "./difference-words.ts";
import {
  COSTS,
  type CostName,
  GROUPS,
  type GroupKind,
  type RehearsedCall,
  type RehearsedContract,
  type RehearsedSequence,
  type SearchedLedgers,
  type SharedCode,
  type StoredTypeUse,
  type UpgradeRehearsal,
} from "./rehearsal.ts";

const SHOWN_DIFFERENCES = 20;

/** `subjectOf`: the words with which `svc debug` finds a call. */
export function rehearsalDocument(
  rehearsal: UpgradeRehearsal,
  subjectOf: (call: RehearsedCall) => string,
): ReportDocument {
  const { contracts, calls, notJudged, raisedProtocol, repeated, searched } = rehearsal;
  const { first, sequence } = rehearsal;
  const nested = calls.filter(({ reached }) => reached.every((each) => each.nested)).length;
  const groups = groupsOf(calls);
  const same = groups.get("same")?.length ?? 0;
  const isSame = calls.length > 0 && same === calls.length;
  const unconfirmed = calls.filter((call) => call.unconfirmed).length;
  const body = [
    sentence(
      calls.length === 0
        ? "No call was judged."
        : isSame
          ? "Every call does the same with the new code."
          : `${grouped(calls.length - same)} of ${counted(calls.length, "call")} would do something else with the new code.`,
      { tone: "faint" },
    ),
    ...(unconfirmed === 0
      ? []
      : [
          sentence(
            `For ${counted(unconfirmed, "call")}, only a node or a capsule says what a part of the state was.`,
          ),
        ]),
    ...(searched === null ? [] : [sentence(searchedIn(searched, calls.length + (repeated ?? 0)))]),
    ...(repeated === null
      ? []
      : [
          sentence(
            `${counted(repeated, "further call")} took the path of one of these, and ran only as on the chain.`,
          ),
        ]),
    ...(nested === 0
      ? []
      : [sentence(`${counted(nested, "call")} came only from other contracts.`)]),
    ...(first === null
      ? []
      : [sentence(`Before ${sequence === null ? "each" : "the first"} call, ${first} was made.`)]),
    ...(sequence === null ? [] : sequenceInWords(sequence, calls)),
    ...(raisedProtocol === null
      ? []
      : [sentence(`The new code ran under protocol ${raisedProtocol}, which it needs.`)]),
  ];
  return {
    head: {
      headline: `Rehearsed ${counted(calls.length, "call")}: ${same} the same.`,
      tone: isSame ? "good" : calls.length === 0 ? "caution" : "bad",
      body,
    },
    sections: [
      section("groups", "What changes", groupTable(groups)),
      section("examples", "One example of each", itemsOf("tree", examples(rehearsal, subjectOf))),
      section("costs", "Costs of calls that succeed with both", costTable(calls)),
      ...contracts.flatMap((contract) => contractSections(contract)),
      section(
        "not-judged",
        "Not judged",
        notJudged.length > 0 &&
          rowsOf(
            notJudged.map((each) => [String(each.calls), notJudgedInWords(each)] as const),
            { layout: "lines" },
          ),
      ),
    ],
  };
}

function sequenceInWords(
  { partedAt, others, changedEntries, lostEntries }: RehearsedSequence,
  calls: readonly RehearsedCall[],
): Sentence[] {
  const at = calls.find(({ hash }) => hash === partedAt?.hash);
  const entries = (count: number) => counted(count, "entry", "entries");
  return [
    sentence(
      at === undefined
        ? "The calls ran in order on one state, and the histories do not part."
        : `The calls ran in order on one state. The histories part at ${reachedInWords(at)} in ledger ${at.ledger}, transaction ${at.hash}: ${GROUPS[at.group]}. ${differencesInWords(at)}`,
    ),
    sentence(`At the end, ${entries(changedEntries)} would differ from the chain.`),
    ...(others === 0
      ? []
      : [
          sentence(
            `${counted(others, "transaction")} that called none of the contracts used changed entries, and ran too.`,
          ),
        ]),
    ...(lostEntries === 0
      ? []
      : [
          sentence(
            `${entries(lostEntries)} became the chain's again, because a transaction that was not run here changed them.`,
          ),
        ]),
  ];
}

/** The code of a contract: what shares it, what its interface has, and what is stored. */
function contractSections({
  contract,
  file,
  oldHash,
  newHash,
  differences,
  stored,
  sharedCode,
}: RehearsedContract): Section[] {
  const misfits = stored.filter((each) => each.misfits > 0);
  const fitting = stored.filter((each) => each.misfits === 0);
  const names = fitting.map(({ type, entries }) => `${type} (${entries})`);
  return [
    section(`interface-${contract}`, `Interface of ${contract}`, [
      rowsOf([
        ["old code", oldHash ?? "unknown"],
        ["new code", `${newHash} (${file})`],
      ]),
      ...(sharedCode === null ? [] : [sentence(sharedInWords(sharedCode))]),
      differences === null
        ? sentence("No call showed the old code, so the interfaces cannot be compared.")
        : differences.length === 0
          ? sentence("The interfaces are the same.")
          : itemsOf("list", differences.map(interfaceInWords), {
              most: SHOWN_DIFFERENCES,
              noun: ["difference", "differences"],
            }),
    ]),
    section(
      `stored-${contract}`,
      `Stored types of ${contract}`,
      stored.length > 0 && [
        misfits.length > 0 &&
          itemsOf("list", misfits.map(storedInWords), {
            most: SHOWN_DIFFERENCES,
            noun: ["type", "types"],
          }),
        names.length > 0 &&
          sentence(
            `Still decode, with the number of entries that the calls met: ${names.join(", ")}.`,
          ),
      ],
    ),
  ];
}

function sharedInWords({ owner, contracts }: SharedCode): string {
  const entry = `The contract takes its code from an entry of contract ${owner} (CAP-85).`;
  return contracts.length === 0
    ? `${entry} The states of the calls show no other contract that does. Others can exist.`
    : `${entry} An upgrade of that entry touches these contracts too: ${contracts.join(", ")}. Their code was replaced within the calls; give them the build as well to rehearse their own calls.`;
}

function storedInWords({ type, entries, misfits, example, misfit }: StoredTypeUse): string {
  const count = `${misfits} of ${counted(entries, "entry", "entries")}`;
  const why = misfit === null ? "" : `: ${misfitInWords(misfit)}`;
  return `Type ${type}: ${count} no longer decode, such as ${example ?? "the instance"}${why}.`;
}

function searchedIn(
  { wantedCalls, first, last, isAll }: SearchedLedgers,
  callCount: number,
): string {
  const where = `ledgers ${first} to ${last}`;
  if (callCount >= wantedCalls)
    return `The last ${counted(wantedCalls, "call")} that svc found are in ${where}.`;
  const end = isAll ? " No source returned an earlier ledger." : "";
  return `svc found only ${counted(callCount, "call")} of the ${wantedCalls} in ${where}.${end}`;
}

/** The groups that have calls, in their order. */
export function groupsOf(
  calls: readonly RehearsedCall[],
): ReadonlyMap<GroupKind, readonly RehearsedCall[]> {
  const callsOfGroup = Map.groupBy(calls, ({ group }) => group);
  const kinds = (Object.keys(GROUPS) as GroupKind[]).filter((kind) => callsOfGroup.has(kind));
  return new Map(kinds.map((kind) => [kind, callsOfGroup.get(kind) ?? []]));
}

function groupTable(groups: ReturnType<typeof groupsOf>): Table {
  const rows = [...groups].map(([kind, calls]) => [
    groupInWords(kind),
    String(calls.length),
    functionsIn(calls),
  ]);
  return { kind: "table", title: "", headings: ["group", "calls", "functions"], rows };
}

/** Returns the words for a group, with the name that `--fail-on` takes. */
function groupInWords(kind: GroupKind): string {
  const words = GROUPS[kind];
  return words === kind.replaceAll("-", " ") ? kind : `${kind}: ${words}`;
}

const SHOWN_FUNCTIONS = 4;

function functionsIn(calls: readonly RehearsedCall[]): string {
  const reached = calls.flatMap((call) => call.reached);
  const names = [...new Set(reached.map((each) => each.function))];
  const shown = names.slice(0, SHOWN_FUNCTIONS).join(", ");
  return names.length > SHOWN_FUNCTIONS ? `${shown}, …` : shown;
}

/** The command that debugs a call with the new code. */
function commandFor({ contracts }: UpgradeRehearsal, subject: string): string {
  const builds = contracts.map(({ contract, file }) => ` --override-wasm ${contract}=${file}`);
  return `svc debug ${subject}${builds.join("")}`;
}

function examples(rehearsal: UpgradeRehearsal, subjectOf: (call: RehearsedCall) => string): Item[] {
  return [...groupsOf(rehearsal.calls)].flatMap(([kind, [call]]) => {
    if (kind === "same" || call === undefined) return [];
    const { ledger } = call;
    const where = `${reachedInWords(call)} in ledger ${ledger}`;
    return [
      {
        text: `${GROUPS[kind]}: ${where}`,
        notes: [
          { text: differencesInWords(call) },
          { text: commandFor(rehearsal, subjectOf(call)) },
        ],
      },
    ];
  });
}

function reachedInWords({ reached, function: name }: RehearsedCall): string {
  const own = reached.find(({ nested }) => !nested);
  if (own !== undefined) return own.function;
  const [inner] = reached;
  if (inner === undefined) return name ?? "a transaction";
  return `${inner.function}, called within ${name ?? "another call"},`;
}

function costTable(calls: readonly RehearsedCall[]): Table | null {
  const compared = calls.flatMap(({ costs }) => costs ?? []);
  if (compared.length === 0) return null;
  const rows = (Object.keys(COSTS) as CostName[]).map((name) => {
    const shares = compared
      .map((costs) => dearerBy(costs[name]))
      .sort((left, right) => left - right);
    const worst = shares.at(-1) ?? 0;
    const median = shares[Math.floor(shares.length / 2)] ?? 0;
    const sum = (at: 0 | 1) => compared.reduce((total, costs) => total + costs[name][at], 0);
    return [COSTS[name], percent(median), percent(worst), grouped(sum(0)), grouped(sum(1))];
  });
  const headings = ["cost", "median", "worst", "all before", "all after"];
  return { kind: "table", title: "", headings, rows };
}

/** The share by which the second cost is higher, such as 0.1 for 10 %. */
export function dearerBy([before, after]: readonly [number, number]): number {
  if (before === 0) return after === 0 ? 0 : 1;
  return after / before - 1;
}

function percent(share: number): string {
  const text = (share * 100).toFixed(1);
  return share > 0 ? `+${text} %` : `${text} %`;
}
