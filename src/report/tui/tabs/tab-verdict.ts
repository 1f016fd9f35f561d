// The outcome and its cause, the verdict, every comparison with both values, and the provenance of
// each input of the replay.

import { cutNeutral } from "../../../base/text/neutralise.ts";
import type { NamedInvocation } from "../../../model/authorizations.ts";
import type { Investigation } from "../../../model/investigation.ts";
import type { Provenance } from "../../../model/snapshot.ts";
import { type Comparison, placeOnRecord, type Verdict } from "../../../model/verdict.ts";
import { type CaveatGroup, caveatGroups, groupInWords, headOf } from "../../caveat-groups.ts";
import { changeInWords, nextRemedy, shownChanges } from "../../text/fix.ts";
import { CAUSE_HEADINGS, FAILED_RUNS, nameOf, unconfirmedSentence } from "../../text/outcome.ts";
import { type Branch, type Detail, flattenBranches, type Outline, type Tone } from "../outline.ts";
import { shortAddresses } from "../short-addresses.ts";

const LONGEST_LABEL = 400;

export function verdictOutline(investigation: Investigation): Outline {
  const groups = [
    ...outcomeBranches(investigation),
    verdictBranch(investigation),
    comparisonBranch(investigation),
    transactionBranch(investigation),
    inputBranch(investigation),
  ];
  return {
    title: "Outcome, verdict and inputs",
    headings: [],
    nodes: flattenBranches(groups.filter((branch) => branch !== null)),
    leastLabelColumns: 0,
    emptyText: "",
  };
}

function outcomeBranches({ explanation, fix, remedy }: Investigation): Branch[] {
  const { headline, success, cause, evidence } = explanation;
  const branches = [sentence(headline, success ? "good" : "bad")];
  if (cause !== null)
    branches.push({
      ...sentence(`${CAUSE_HEADINGS[cause.confidence]}: ${cause.summary}`, "heading"),
      failed: true,
      below: evidence.map((text) => sentence(text)),
    });
  if (remedy !== null) branches.push(sentence(`Remedy: ${remedy}`, "heading"));
  if (fix !== null) {
    const below = shownChanges(fix).map((change) =>
      sentence(`${change.what}: ${changeInWords(change)}`),
    );
    const remedyOfNext = nextRemedy(fix.proof);
    if (remedyOfNext !== null) below.push(sentence(remedyOfNext));
    branches.push({ ...sentence(`Fix: ${fix.summary}`, "heading"), below });
  }
  return branches;
}

const VERDICT_TONES: Readonly<Record<Verdict["kind"], Tone>> = {
  exact: "good",
  equivalent: "caution",
  diverged: "bad",
  inconclusive: "caution",
};

function verdictBranch({ verdict, explanation, classic, caveats }: Investigation): Branch {
  if (verdict === null) {
    const why = classic
      ? "this transaction runs nothing in the contract host"
      : "the network refused the transaction before the contract host ran";
    return sentence(`No verdict: ${why}, so there is nothing to replay.`, "heading");
  }
  const equal = verdict.comparisons.filter(({ result }) => result === "equal").length;
  const ofVerdict = caveatGroups(verdict, explanation).map(caveatBranch);
  const below = caveats.map((text) => sentence(text, "caution"));
  const failedRuns =
    below.length === 0 ? [] : [{ ...sentence(`${FAILED_RUNS}:`, "caution"), below }];
  const likely =
    verdict.likelyCause === null ? [] : [sentence(`Likely cause: ${verdict.likelyCause}`)];
  const counted = `${equal} of ${verdict.comparisons.length} comparisons are equal.`;
  const reported = unconfirmedSentence(verdict);
  const unconfirmed = reported === null ? [] : [sentence(reported)];
  const { resultCodes } = explanation;
  const ended =
    resultCodes === null
      ? []
      : [
          sentence(
            `The result codes differ: ${resultCodes.chain} on chain, ${resultCodes.replay} in the replay.`,
            "bad",
          ),
        ];
  return {
    ...sentence(`Verdict: ${verdict.kind}. ${counted}`, VERDICT_TONES[verdict.kind]),
    below: [...unconfirmed, ...ended, ...likely, ...ofVerdict, ...failedRuns],
  };
}

function caveatBranch(group: CaveatGroup): Branch {
  const { of } = group;
  if (of.length < 2) return sentence(groupInWords(group, 1), "caution");
  const below = of.map((name) => sentence(name));
  return { ...sentence(headOf(group), "caution"), below };
}

function comparisonBranch(investigation: Investigation): Branch | null {
  const { verdict } = investigation;
  if (verdict === null || verdict.comparisons.length === 0) return null;
  const below = verdict.comparisons.map((one) => comparisonItem(one, investigation));
  return { ...sentence(`Comparisons (${below.length})`, "heading"), below };
}

function comparisonItem(comparison: Comparison, { explanation, verdict }: Investigation): Branch {
  const { result, chain, replay, detail } = comparison;
  const name = nameOf(comparison, explanation);
  const words = comparison === verdict?.firstDifference ? explanation.difference : null;
  const value = (result === "different" ? null : (chain ?? replay)) ?? "";
  const tone = ({ equal: "plain", different: "bad", unavailable: "faint" } as const)[result];
  return {
    label: `${result.padEnd(11)}  ${short(name)}${value === "" ? "" : ` = ${short(value)}`}`,
    tone,
    failed: result === "different",
    details: () => [
      { name: "compared", text: name },
      { name: "result", text: result, tone },
      ...(words === null
        ? []
        : [
            { name: placeOnRecord(comparison), text: words.chain },
            { name: "in the replay", text: words.replay },
          ]),
      { name: "chain value", text: chain ?? "(nothing)" },
      { name: "replay value", text: replay ?? "(nothing)" },
      ...(detail === null ? [] : [{ name: "detail", text: detail }]),
    ],
  };
}

function transactionBranch({ record, explanation }: Investigation): Branch {
  const { transaction, invocation } = explanation;
  const { ledger } = record;
  const rows: readonly (readonly [string, string])[] = [
    ["hash", record.hash],
    ...(record.innerHash === null ? [] : [["inner hash", record.innerHash] as const]),
    ["network", record.networkPassphrase],
    ["ledger", `${ledger.sequence}, transaction ${record.applicationOrder}`],
    ["protocol", String(ledger.protocolVersion)],
    ["source", transaction.sourceAccount],
    ...(transaction.operationSource === null
      ? []
      : [["operation source", transaction.operationSource] as const]),
    ["fee source", transaction.feeSource],
    ...(invocation === null ? [] : [["call", callInWords(invocation)] as const]),
    ["result", [transaction.resultCode, ...transaction.operationCodes].join(", ")],
  ];
  const below = rows.map(([name, text]) => named(name, text));
  return { ...sentence("Transaction", "heading"), below };
}

function callInWords(invocation: NamedInvocation): string {
  const { contract, function: name, arguments: values, argumentNames: names } = invocation;
  const given = values.map((value, i) => (names === null ? value : `${names[i]}: ${value}`));
  return `${name}(${given.join(", ")}) of contract ${contract}`;
}

function inputBranch({ record, snapshot, explanation }: Investigation): Branch {
  const below = Object.entries(record.origins).map(([part, source]) => named(part, source));
  for (const entry of snapshot?.entries ?? []) {
    const name = explanation.keyNames[entry.keyXdr] ?? entry.keyXdr;
    const state = entry.entryXdr === null ? "absent" : entry.archived ? "archived" : "present";
    const details: Detail[] = [
      { name: "entry", text: name },
      { name: "state", text: state },
      { name: "provenance", text: provenanceInWords(entry.provenance) },
    ];
    if (entry.liveUntilLedger !== null)
      details.push({ name: "live until", text: `ledger ${entry.liveUntilLedger}` });
    if (entry.ttlProvenance !== null)
      details.push({ name: "TTL provenance", text: provenanceInWords(entry.ttlProvenance) });
    const label = `${short(name)} (${state}, ${entry.provenance.kind})`;
    below.push({ label, details: () => details });
  }
  for (const { name, provenance } of snapshot?.settings ?? [])
    below.push(named(name, provenanceInWords(provenance)));
  return { ...sentence(`Inputs of the replay (${below.length})`, "heading"), below };
}

function provenanceInWords({ kind, detail }: Provenance): string {
  return detail === "" ? kind : `${kind}: ${detail}`;
}

function sentence(text: string, tone: Tone = "plain"): Branch {
  return { label: short(text), tone, details: () => [{ name: text, text: "" }] };
}

function named(name: string, text: string): Branch {
  return { label: `${name}  ${short(text)}`, details: () => [{ name, text }] };
}

function short(text: string): string {
  return shortAddresses(cutNeutral(text, LONGEST_LABEL));
}
