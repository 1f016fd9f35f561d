// An entry of the state as a document: its value, and what proves it, from the entry up to the
// validators.

import { grouped } from "../../base/text/grouped.ts";
import { isSigned, type StateFact, type StateProof, type StateReport } from "../../model/state.ts";
import { type ReportDocument, rowsOf, section, sentence } from "./document.ts";

const STEPS: Readonly<Record<StateProof["step"], (proof: StateProof, ledger: number) => string>> = {
  checkpoint: ({ checkpoint }) => `the state of ledger ${grouped(checkpoint)} itself`,
  "unchanged-until": ({ checkpoint }, ledger) =>
    `the state of ledger ${grouped(checkpoint)}, last modified no later than ledger ${grouped(ledger)}`,
  "untouched-since": ({ checkpoint }, ledger) =>
    `the state of ledger ${grouped(checkpoint)}; no successful transaction to ledger ` +
    `${grouped(ledger)} could write it`,
};

export function stateDocument(report: StateReport): ReportDocument {
  const { entry, liveUntil, ledger, network, key, keyXdr } = report;
  const value = entry.kind === "known" ? entry.value : null;
  const place = `after ledger ${grouped(ledger)} of ${network}`;
  const proof = entry.kind === "unknown" ? null : entry.proof;
  const headline = {
    known: `${key}, ${place}`,
    absent: `${key} did not exist ${place}`,
    unknown: `${key}, ${place}: not known`,
  }[entry.kind];
  const facts = rowsOf([
    ["value", value?.text],
    ["last modified", value && `ledger ${grouped(value.lastModifiedLedger)}`],
    ["live until", entry.kind === "absent" ? null : liveUntilText(liveUntil)],
    ["archived", value?.archived ? "yes (evicted)" : null],
  ]);
  const why =
    entry.kind === "unknown" && sentence(`The archive does not show it: ${entry.reason}.`);
  return {
    head: { headline, tone: "plain", body: [] },
    sections: [
      section("value", null, [why, facts]),
      section("proof", "Proof", proof === null ? [] : proofContent(proof, report)),
      section("key", null, rowsOf([["key", keyXdr]]), { detail: "verbose" }),
    ],
  };
}

function liveUntilText(fact: StateFact<number> | null): string | null {
  if (fact === null) return null;
  if (fact.kind === "unknown") return `not known: ${fact.reason}`;
  const text = fact.kind === "known" ? `ledger ${grouped(fact.value)}` : "no TTL";
  // Its checkpoint may be another one than the entry's.
  return isSigned(fact.proof.signatures) ? text : `${text} (not proven)`;
}

function proofContent(proof: StateProof, { ledger, agreement }: StateReport) {
  const { bucketHash, bucketListHash, headerHash, checkpoint, signatures } = proof;
  const signed = isSigned(signatures);
  const count = signatures === null ? 0 : signatures.signers.length;
  const by =
    signatures && `${signatures.organisations} of ${signatures.needed} needed organisations`;
  const trusted = signatures?.trustedLedger;
  const verdict =
    trusted !== undefined
      ? `Proven: the header is in the chain before that of ledger ${grouped(trusted)}, whose hash is trusted.`
      : signed
        ? `Proven: ${count} validators (${by}) signed the ledger's header.`
        : count === 0
          ? "Not proven: the archive shows no signature of a known validator for the ledger's header."
          : `Not proven: only ${count} validators (${by}) signed the ledger's header.`;
  return [
    sentence(verdict, { tone: signed ? "good" : "caution" }),
    agreement && `${agreement.archives} of ${agreement.asked} archives have this header.`,
    rowsOf([
      ["entry", STEPS[proof.step](proof, ledger)],
      ["bucket", bucketHash ?? "none of the list mentions the key"],
      ["bucket list", bucketListHash],
      [`header ${grouped(checkpoint)}`, headerHash],
    ]),
  ];
}
