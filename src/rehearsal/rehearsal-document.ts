// A rehearsal as a document: the groups with a count and an example each, the costs, and what the
// interface of each build has other than before.

import { counted } from "../base/text/counted.ts";
import { grouped } from "../base/text/grouped.ts";
import { listed } from "../base/text/listed.ts";
import { shellWord } from "../base/text/sentence.ts";
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
import { mayConcernCode } from "./call-difference.ts";
import {
  differencesInWords,
  interfaceInWords,
  misfitInWords,
  notJudgedInWords,
  reasonInWords,
} from "./difference-words.ts";
import { type FailOn, failedConditions, failedInWords, passedUnknown } from "./fail-on.ts";
import {
  COSTS,
  type CostName,
  dearerBy,
  GROUPS,
  type GroupKind,
  hasAnswer,
  MOST_STORED_ENTRIES,
  type RehearsedCall,
  type RehearsedCalls,
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
  conditions: readonly FailOn[] = [],
): ReportDocument {
  const { contracts, calls, notJudged } = rehearsal;
  const groups = groupsOf(calls);
  const same = groups.get("same")?.count ?? 0;
  const doings = doingsOf(groups);
  return {
    head: {
      headline:
        calls.length === 0
          ? "Rehearsed no call."
          : `Rehearsed ${counted(calls.length, "call")}: ${grouped(same)} the same.`,
      tone:
        calls.length > 0 && same === calls.length ? "good" : doings.other === 0 ? "caution" : "bad",
      body: bodyOf(rehearsal, doings),
    },
    sections: [
      section("conditions", "Conditions of --fail-on", gateOf(rehearsal, conditions)),
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

/** The sentences about a gate explain its exit code. There are none without conditions. */
function gateOf(rehearsal: UpgradeRehearsal, conditions: readonly FailOn[]): Sentence[] {
  if (conditions.length === 0) return [];
  const failed = failedConditions(rehearsal, conditions).map(failedInWords);
  const passed = passedUnknown(rehearsal, conditions);
  return [
    ...(failed.length === 0
      ? ["No condition of --fail-on is true for a call that svc judged."]
      : failed),
    ...(passed === null ? [] : [passed]),
  ].map((words) => sentence(words));
}

/** The number of calls by what is known of them with the new code. */
interface Doings {
  readonly same: number;
  readonly declaredTooLittle: number;
  readonly other: number;
  readonly unanswered: number;
}

function doingsOf(groups: ReturnType<typeof groupsOf>): Doings {
  const doings = { same: 0, declaredTooLittle: 0, other: 0, unanswered: 0 };
  for (const [group, { count }] of groups) {
    if (!hasAnswer({ group })) doings.unanswered += count;
    else if (group === "same") doings.same += count;
    else if (group === "declared-too-little") doings.declaredTooLittle += count;
    else doings.other += count;
  }
  return doings;
}

/** What the new code does with the calls, as far as that is known. */
function doingsInWords(
  { same, declaredTooLittle, other, unanswered }: Doings,
  { calls, notJudged }: UpgradeRehearsal,
): string[] {
  if (calls.length === 0)
    return [
      notJudged.length > 0
        ? "No call was judged."
        : "svc found no transaction that calls the contract.",
    ];
  const all = counted(calls.length, "call");
  let open = 0;
  for (const each of notJudged) if (mayConcernCode(each)) open += each.calls;
  const judged = open === 0 ? "call" : "judged call";
  return [
    ...(same === calls.length ? [`Every ${judged} does the same with the new code.`] : []),
    ...(other === 0
      ? []
      : [`${grouped(other)} of ${all} would do something else with the new code.`]),
    ...(declaredTooLittle === 0
      ? []
      : [
          `${grouped(declaredTooLittle)} of ${all} would do the same with the new code, if simulated again.`,
        ]),
    ...(unanswered === 0
      ? []
      : [
          `${grouped(unanswered)} of ${all} did not run to an end with the new code, so what the new code does is unknown.`,
        ]),
    ...(open === 0
      ? []
      : [`${counted(open, "more transaction")} that may call the contract could not be judged.`]),
  ];
}

/** The sentences under the headline. */
function bodyOf(rehearsal: UpgradeRehearsal, doings: Doings): Sentence[] {
  const { calls, raisedProtocol, repeated, searched } = rehearsal;
  const { first, laterProtocol, sequence } = rehearsal;
  let [nested, unconfirmed] = [0, 0];
  for (const call of calls) {
    if (call.reached.every((each) => each.nested)) nested += 1;
    if (call.unconfirmed) unconfirmed += 1;
  }
  return [
    ...doingsInWords(doings, rehearsal).map((words) => sentence(words, { tone: "faint" })),
    ...(unconfirmed === 0
      ? []
      : [
          sentence(
            `For ${counted(unconfirmed, "call")}, a part of the state is unconfirmed: only a node or a capsule shows it.`,
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
      : [sentence(`Before ${sequence === null ? "each" : "the first"} call, svc made ${first}.`)]),
    ...(sequence === null ? [] : sequenceInWords(sequence, calls)),
    ...(raisedProtocol === null
      ? []
      : [sentence(`The new code ran under protocol ${raisedProtocol}, which it needs.`)]),
    ...(laterProtocol === null
      ? []
      : [
          sentence(
            `svc does not know protocol ${laterProtocol.protocolVersion} of ledger ${laterProtocol.ledger}. The calls from there on were not rehearsed.`,
          ),
        ]),
  ];
}

function sequenceInWords(
  { partedAt, others, changedEntries, lostEntries }: RehearsedSequence,
  calls: RehearsedCalls,
): Sentence[] {
  const at = partedAt && callOf(calls, partedAt.hash);
  const entries = (count: number) => counted(count, "entry", "entries");
  return [
    sentence(
      at === null
        ? "The calls ran in order on one state, and the histories do not part."
        : `The calls ran in order on one state. ${partedInWords(at)}`,
    ),
    sentence(
      changedEntries === 0
        ? "At the end, no entry would differ from the chain."
        : `At the end, ${entries(changedEntries)} would differ from the chain.`,
    ),
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

/** Where the histories part, or from where on it is not known whether they do. */
function partedInWords(at: RehearsedCall): string {
  const place = `${reachedInWords(at)} in ledger ${at.ledger}, transaction ${at.hash}`;
  const why = `${GROUPS[at.group]}. ${differencesInWords(at)}`;
  return hasAnswer(at)
    ? `The histories part at ${place}: ${why}`
    : `From ${place}, on, it is unknown whether the histories part: ${why}`;
}

function callOf(calls: RehearsedCalls, hash: string): RehearsedCall | null {
  for (const call of calls) if (call.hash === hash) return call;
  return null;
}

/** The code of a contract: what shares it, what its interface has, and what is stored. */
function contractSections({
  contract,
  file,
  oldHash,
  newHash,
  differences,
  stored,
  isStoredBounded,
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
        isStoredBounded &&
          sentence(
            `The calls met more than ${grouped(MOST_STORED_ENTRIES)} entries of the contract, and svc looked at the types of that many.`,
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
  const [verb, such] = misfits === 1 ? ["decodes", ""] : ["decode", "such as "];
  return `Type ${type}: ${count} no longer ${verb}, ${such}${example ?? "the instance"}${why}.`;
}

function searchedIn(
  { wantedCalls, first, last, isAll }: SearchedLedgers,
  callCount: number,
): string {
  const where = first === last ? `ledger ${first}` : `ledgers ${first} to ${last}`;
  if (callCount >= wantedCalls)
    return wantedCalls === 1
      ? `The last call that svc found is in ${where}.`
      : `The last ${counted(wantedCalls, "call")} that svc found are in ${where}.`;
  const end = isAll ? " No source returned an earlier ledger." : "";
  if (callCount === 0) return `svc looked for ${counted(wantedCalls, "call")} in ${where}.${end}`;
  return `svc found only ${grouped(callCount)} of the ${counted(wantedCalls, "call")} in ${where}.${end}`;
}

export interface CallGroup {
  readonly count: number;
  /** Its first call. */
  readonly example: RehearsedCall;
  /** The names of the functions that its calls reach. */
  readonly functions: ReadonlySet<string>;
}

/** The groups that have calls, in their order. */
export function groupsOf(calls: RehearsedCalls): ReadonlyMap<GroupKind, CallGroup> {
  const groups = new Map<GroupKind, CallGroup & { count: number; functions: Set<string> }>();
  for (const call of calls) {
    const { group, reached } = call;
    const known = groups.get(group) ?? { count: 0, example: call, functions: new Set() };
    groups.set(group, known);
    known.count += 1;
    for (const each of reached) known.functions.add(each.function);
  }
  const kinds = Object.keys(GROUPS) as GroupKind[];
  return new Map(
    kinds.flatMap((kind) => {
      const group = groups.get(kind);
      return group === undefined ? [] : [[kind, group] as const];
    }),
  );
}

function groupTable(groups: ReturnType<typeof groupsOf>): Table {
  const rows = [...groups].map(([kind, { count, functions }]) => [
    groupInWords(kind),
    String(count),
    functionsInWords(functions),
  ]);
  return { kind: "table", title: "", headings: ["group", "calls", "functions"], rows };
}

/** Returns the words for a group, with the name that `--fail-on` takes. */
function groupInWords(kind: GroupKind): string {
  const words = GROUPS[kind];
  if (kind === "same") return words;
  return words === kind.replaceAll("-", " ") ? kind : `${kind}: ${words}`;
}

const SHOWN_FUNCTIONS = 4;

function functionsInWords(functions: ReadonlySet<string>): string {
  const names = [...functions];
  const shown = names.slice(0, SHOWN_FUNCTIONS).join(", ");
  return names.length > SHOWN_FUNCTIONS ? `${shown}, …` : shown;
}

/** The command that debugs a call with the new code. */
function commandFor(
  { contracts }: UpgradeRehearsal,
  { raisedProtocol, reached }: RehearsedCall,
  subject: string,
): string {
  // svc debug refuses the build of a contract that the transaction does not have.
  const own = contracts.filter((each) =>
    reached.some(({ contract }) => contract === each.contract),
  );
  const builds = own.map(
    ({ contract, file }) => ` --override-wasm ${shellWord(`${contract}=${file}`)}`,
  );
  const protocol = raisedProtocol === null ? "" : ` --override-protocol ${raisedProtocol}`;
  return `svc debug ${subject}${builds.join("")}${protocol}`;
}

/** The command does not make the declarations anew, so that the call can fail for them there. */
function redeclaredInWords({ redeclared }: RehearsedCall): string {
  return `The command runs the call with what its sender declared. Here, svc declared its ${listed(redeclared, "and")} anew.`;
}

const SHOWN_REASONS = 3;

/** One example of each group, or of each reason for which calls of the group fail. */
function examples(rehearsal: UpgradeRehearsal, subjectOf: (call: RehearsedCall) => string): Item[] {
  const { calls, reasons } = rehearsal;
  const hashes = new Set(reasons.map(({ first }) => first.hash));
  const firsts = new Map<string, RehearsedCall>();
  for (const call of calls) if (hashes.has(call.hash)) firsts.set(call.hash, call);
  const example = (call: RehearsedCall, why: string, count: number | null): Item => {
    const more = count === null ? "" : ` (${counted(count, "call")})`;
    return {
      text: `${GROUPS[call.group]}: ${reachedInWords(call)} in ledger ${call.ledger}${more}`,
      notes: [
        { text: why },
        { text: commandFor(rehearsal, call, subjectOf(call)), isCommand: true },
        ...(call.redeclared.length === 0 ? [] : [{ text: redeclaredInWords(call) }]),
      ],
    };
  };
  return [...groupsOf(calls)].flatMap(([kind, { example: call }]) => {
    if (kind === "same") return [];
    const own = reasons.filter(({ group }) => group === kind);
    if (own.length === 0) return [example(call, differencesInWords(call), null)];
    const shown = own.slice(0, SHOWN_REASONS).flatMap((reason) => {
      const first = firsts.get(reason.first.hash);
      return first === undefined ? [] : [example(first, reasonInWords(reason), reason.calls)];
    });
    const left = own.length - SHOWN_REASONS;
    if (left <= 0) return shown;
    return [
      ...shown,
      {
        text: `${GROUPS[kind]}: ${counted(left, "more reason")}; --json has all of them`,
        notes: [],
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

function costTable(calls: RehearsedCalls): Table | null {
  const names = Object.keys(COSTS) as CostName[];
  const columns = names.map((name) => ({
    name,
    shares: new Float64Array(calls.length),
    sums: [0, 0] as [number, number],
  }));
  let count = 0;
  for (const { costs } of calls) {
    if (costs === null) continue;
    for (const { name, shares, sums } of columns) {
      shares[count] = dearerBy(costs[name]);
      for (const at of [0, 1] as const) sums[at] += costs[name][at];
    }
    count += 1;
  }
  if (count === 0) return null;
  const rows = columns.map(({ name, shares, sums: [before, after] }) => {
    const inOrder = shares.subarray(0, count).sort();
    const worst = inOrder.at(-1) ?? 0;
    const median = inOrder[Math.floor(count / 2)] ?? 0;
    return [COSTS[name], percent(median), percent(worst), grouped(before), grouped(after)];
  });
  const headings = ["cost", "median", "worst", "all before", "all after"];
  return { kind: "table", title: "", headings, rows };
}

function percent(share: number): string {
  // A difference that rounds to zero has no sign.
  const text = (share * 100).toFixed(1).replace(/^-(?=0\.0$)/, "");
  return share > 0 && text !== "0.0" ? `+${text} %` : `${text} %`;
}
