// What was tried, in words and values: the Mend that renderers draw.

import type { Mend, MendChange, MendHeadroom, MendProof } from "../model/mend.ts";
import { withoutSignatures } from "../xdr/patch-envelope.ts";
import { readSendingFacts } from "../xdr/sending-facts.ts";
import { changesOf, kindsOf, wordsOf } from "./changes.ts";
import type { Headroom } from "./headroom.ts";
import type { Paid } from "./least-paid.ts";
import { declaredBy, entryOf, type FoundCause, type Trial, type Workbench } from "./workbench.ts";

export interface Succeeded extends Paid {
  readonly least: readonly string[];
  /** The transaction to be sent first. */
  readonly prelude: Trial | null;
  readonly headroom: Headroom | null;
}

export const NOTHING: Mend = {
  kinds: [],
  summary: "",
  changes: [],
  proof: null,
  prelude: null,
  headroom: null,
  resending: [],
  ...signersOf([], []),
  envelopeXdr: null,
  leastEnvelopeXdr: null,
};

export function describeSuccess(workbench: Workbench, succeeded: Succeeded): Mend {
  const { trial, execution, prelude, headroom } = succeeded;
  const { metrics, fees } = execution;
  const changes = changesOf(workbench, trial);
  const metric = (name: string) => metrics[name] ?? "0";
  const proof: MendProof = {
    outcome: "succeeds",
    cost: {
      instructions: metric("cpu_insn"),
      memoryBytes: metric("mem_byte"),
      diskReadBytes: metric("ledger_read_byte"),
      writeBytes: metric("ledger_write_byte"),
      nonRefundableStroops: fees.nonRefundableStroops,
      refundableStroops: fees.refundableConsumedStroops,
      rentStroops: fees.rentStroops,
    },
    least: succeeded.least,
    assumed: assumedOf(workbench, trial),
  };
  return {
    kinds: kindsOf(changes, trial),
    summary: `With ${wordsOf(workbench, trial)} it succeeds.`,
    changes,
    proof,
    prelude: prelude === null ? null : preludeOf(workbench, prelude),
    headroom: headroom === null ? null : valuesOf(headroom),
    resending: resendingOf(workbench, trial),
    ...signersOf([], readSendingFacts(trial.envelopeXdr).signers),
    envelopeXdr: withoutSignatures((headroom?.trial ?? trial).envelopeXdr),
    leastEnvelopeXdr: withoutSignatures(trial.envelopeXdr),
  };
}

function valuesOf({ trial: _, ...values }: Headroom): MendHeadroom {
  return values;
}

/** What had failed does not fail any more, `cause` does. */
export function describeFailsNext(
  workbench: Workbench,
  trial: Trial,
  { cause, remedy }: FoundCause,
): Mend {
  const changes = changesOf(workbench, trial);
  if (changes.length === 0 && trial.restoredFirst.length === 0) return describeNone(null);
  const words = wordsOf(workbench, trial);
  return {
    ...NOTHING,
    kinds: kindsOf(changes, trial),
    summary: `With ${words} it gets further, and fails with another cause. ${cause.summary}`,
    changes,
    proof: { outcome: "fails-next", cause, remedy },
  };
}

/** `trial`: as far as it is known what is missing. */
export function describeUnproven(workbench: Workbench, reason: string, trial: Trial): Mend {
  // A key that could not be tried was added read-only: whether it is written is not known.
  const changes = changesOf(workbench, trial).map((change) => ({
    ...change,
    to: change.to?.replace(/^read-only: /, "read-only or read-write: ") ?? null,
  }));
  const words =
    changes.length === 0 ? "" : `It needs at least ${wordsOf(workbench, trial)}, unproven. `;
  return {
    ...NOTHING,
    kinds: kindsOf(changes, trial),
    summary: `${words}${reason}`,
    changes,
    proof: { outcome: "unproven", reason },
  };
}

/** `why`: a limit in the way; null when it fails for something it cannot declare. */
export function describeNone(why: string | null): Mend {
  const nothing = "Nothing that the transaction declares would mend it.";
  const same = "With all the resources that the network allows one transaction it fails just so.";
  return { ...NOTHING, summary: `${nothing} ${why ?? same}` };
}

function preludeOf(workbench: Workbench, { envelopeXdr }: Trial) {
  const facts = declaredBy({ envelopeXdr, entries: new Map(), restoredFirst: [] });
  const value = (what: string, to: string | number): MendChange => ({
    what,
    from: null,
    to: String(to),
  });
  return {
    summary: "Send this transaction first: it restores what is archived.",
    changes: [
      ...facts.footprint.readWrite.map((key) => value("restored", workbench.nameKey(key))),
      value("disk read bytes", facts.diskReadBytes),
      value("write bytes", facts.writeBytes),
      value("resource fee", facts.resourceFeeStroops),
      value("sequence number", readSendingFacts(envelopeXdr).sequenceNumber),
    ],
    envelopeXdr: withoutSignatures(envelopeXdr),
  };
}

export function signersOf(
  ofAuthorizations: readonly string[],
  ofTransaction: readonly string[],
): Pick<Mend, "signers" | "authorizationSigners" | "transactionSigners"> {
  return {
    signers: [...new Set([...ofAuthorizations, ...ofTransaction])],
    authorizationSigners: [...new Set(ofAuthorizations)],
    transactionSigners: [...new Set(ofTransaction)],
  };
}

/** State that nothing proves, in words. */
function assumedOf(workbench: Workbench, trial: Trial): string[] {
  const { footprint } = declaredBy(trial);
  return [...footprint.readOnly, ...footprint.readWrite].flatMap((key) => {
    const provenance = entryOf(workbench, trial, key)?.provenance;
    if (provenance?.kind !== "assumed") return [];
    return [`${workbench.nameKey(key)}: ${provenance.detail}`];
  });
}

export function resendingOf({ failed }: Workbench, { envelopeXdr }: Trial): MendChange[] {
  const before = readSendingFacts(failed.envelopeXdr);
  const after = readSendingFacts(envelopeXdr);
  const rows: readonly MendChange[] = [
    { what: "sequence number", from: before.sequenceNumber, to: after.sequenceNumber },
    {
      what: "valid until",
      from: timeOf(before.latestCloseTimeUnixSeconds),
      to: timeOf(after.latestCloseTimeUnixSeconds),
    },
    {
      what: "valid before ledger",
      from: textOf(before.expiresAtLedger),
      to: textOf(after.expiresAtLedger),
    },
  ];
  return rows.filter(({ from, to }) => from !== to);
}

/** ISO 8601 where a Date goes so far, seconds otherwise. */
function timeOf(unixSeconds: string | null): string | null {
  if (unixSeconds === null || Number(unixSeconds) >= 8.64e12) return unixSeconds;
  return new Date(Number(unixSeconds) * 1000).toISOString().replace(".000Z", "Z");
}

function textOf(value: number | null): string | null {
  return value === null ? null : String(value);
}
