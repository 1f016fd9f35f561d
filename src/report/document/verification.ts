// A verification as a document: the number of each verdict, by protocol and by cause, and the
// transactions that are not exact.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import { shellWord } from "../../base/text/sentence.ts";
import { durationInWords } from "../../base/text/time.ts";
import { NETWORKS } from "../../model/networks.ts";
import { protocolUnknown } from "../../model/protocols.ts";
import type {
  NodeAddresses,
  NotExact,
  Rehearsal,
  StateMismatch,
  UnknownProtocol,
  VerdictCounts,
  Verification,
  VerificationNodes,
} from "../../model/verification.ts";
import { VERDICT_KINDS } from "./counts.ts";
import {
  type Block,
  type Content,
  type Copyable,
  type Item,
  itemsOf,
  type ReportDocument,
  rowsOf,
  section,
  sentence,
  type Table,
  type Tone,
} from "./document.ts";

/** More are in the JSON document. */
const SHOWN_COUNTS = 20;

/** `nodes`: for the commands that are shown. */
export function verificationDocument(
  verification: Verification,
  nodes: VerificationNodes | null,
): ReportDocument {
  const { notExact, notExactOmitted, mismatches, stateMismatches, firstOfEach } = verification;
  const unknown = itemsOf("tree", verification.unknownProtocols.map(unknownItem));
  const corrupted = itemsOf("tree", mismatches.map(mismatchItem), {
    omitted: stateMismatches - mismatches.length,
  });
  const { rehearsal } = verification;
  const others = itemsOf("tree", notExact.map(notExactItem), { omitted: notExactOmitted });
  const commands = firstOfEach.map((transaction) => firstCommand(transaction, nodes));
  const contracts = countRows(verification.byContract);
  return {
    head: {
      headline: headlineOf(verification),
      tone: toneOf(verification),
      body: [
        sentence(readLine(verification), { tone: "faint" }),
        ...archiveLines(verification).map((line) => sentence(line)),
      ],
    },
    sections: [
      section("verdicts", "Verdicts", countTable(verification)),
      section("unknown", "Ledgers of a later protocol, not verified", unknown),
      section("state", "Corrupted state", corrupted),
      section("rehearsal", "Rehearsal of another protocol", rehearsal && rehearsed(rehearsal)),
      section("causes", "Causes", countRows(verification.byCause)),
      section("contracts", "Contracts with transactions that are not exact", contracts),
      section("first", "First of each kind", commands),
      section("transactions", "Transactions that are not exact", others, { level: "evidence" }),
    ],
  };
}

function toneOf({
  verdicts,
  stateMismatches,
  unknownProtocolLedgers,
  transactions,
}: Verification): Tone {
  if (verdicts.diverged > 0 || stateMismatches > 0) return "bad";
  if (unknownProtocolLedgers > 0) return "caution";
  return verdicts.exact === transactions ? "good" : "caution";
}

export function headlineOf(verification: Verification): string {
  const { transactions, verdicts, stateMismatches: corrupted } = verification;
  const { unknownProtocolLedgers: unknown } = verification;
  const { exactUnconfirmed: many } = verification;
  const others = VERDICT_KINDS.filter((kind) => kind !== "exact" && verdicts[kind] > 0);
  const otherCounts = others.map((kind) => `, ${grouped(verdicts[kind])} ${kind}`).join("");
  const exact = grouped(verdicts.exact);
  return [
    `${counted(transactions, "Soroban transaction")} replayed: ${exact} exact${otherCounts}.`,
    ...(many === 0 ? [] : [`For ${grouped(many)} of the exact ones, ${word(verification)}.`]),
    ...(corrupted === 0 ? [] : [`${counted(corrupted, "corrupted entry", "corrupted entries")}.`]),
    ...(unknown === 0
      ? []
      : [
          `${counted(unknown, "ledger was", "ledgers were")} not verified: this svc does not know the protocol of the network there.`,
        ]),
  ].join(" ");
}

function word({ archive }: Verification): string {
  return archive === undefined
    ? "some state was reported only by a node"
    : "too few known validators signed the state, so only the archive says it";
}

function readLine(verification: Verification): string {
  const { ledgers, classicTransactions, refusedTransactions, elapsedMilliseconds } = verification;
  const notReplayed = [
    ...(classicTransactions > 0 ? [`${grouped(classicTransactions)} classic`] : []),
    ...(refusedTransactions > 0
      ? [`${grouped(refusedTransactions)} refused before the contract host ran`]
      : []),
  ];
  const others = notReplayed.length === 0 ? "" : ` Not replayed: ${notReplayed.join(", ")}.`;
  return `${counted(ledgers, "ledger")} read in ${durationInWords(elapsedMilliseconds)}.${others}`;
}

/** What an archive shows, what it does not, and what confirms it. */
function archiveLines({
  archive,
  confirmedEntries,
  exactChained,
  exactUnconfirmed,
}: Verification): string[] {
  if (archive === undefined) return [];
  const after = counted(
    confirmedEntries,
    "entry or TTL that replays wrote is",
    "entries and TTLs that replays wrote are",
  );
  const signed = exactUnconfirmed === 0 ? "validators signed" : "the archive has";
  return [
    `svc compared the replays with the results that ${signed}. A result has the fee, and a hash of the return value and the events. An archive has no metas, so svc compared neither metering nor single events.`,
    `${after} as the next checkpoint has them.`,
    ...(exactChained === 0
      ? []
      : [`${grouped(exactChained)} of the exact ones ran on the state that earlier replays left.`]),
  ];
}

function countTable({ byProtocol, verdicts }: Verification): Table {
  const row = (name: string, counts: VerdictCounts) => [
    name,
    ...VERDICT_KINDS.map((kind) => grouped(counts[kind])),
  ];
  const protocols = Object.entries(byProtocol).sort(([a], [b]) => Number(a) - Number(b));
  const rows = protocols.map(([protocol, counts]) => row(`protocol ${protocol}`, counts));
  return {
    kind: "table",
    title: "Verdicts",
    headings: ["", ...VERDICT_KINDS],
    rows: rows.length === 0 ? [] : [...rows, row("all", verdicts)],
  };
}

function countRows(counts: Readonly<Record<string, number>>): Block {
  const byCount = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const rows = byCount.map(([name, many]) => [grouped(many), name] as const);
  return rowsOf(rows, { most: SHOWN_COUNTS });
}

/** Debugs the first transaction of its kind. */
function firstCommand(transaction: NotExact, nodes: VerificationNodes | null): Copyable {
  return {
    kind: "copyable",
    id: `command-${transaction.hash}-${transaction.verdict}`,
    title: `${transaction.verdict}: ${transaction.cause}`,
    text: debugCommand(transaction, nodes),
  };
}

function notExactItem(transaction: NotExact): Item {
  const place = `ledger ${transaction.ledger}, transaction ${transaction.applicationOrder}`;
  return {
    text: `${transaction.hash} ${transaction.verdict}`,
    notes: [
      {
        text: `${place}, protocol ${transaction.protocolVersion}, ${transaction.source}`,
        tone: "faint",
      },
      { text: transaction.detail },
    ],
  };
}

/** No difference is bad: the later protocol is not the chain's. */
function rehearsed(rehearsal: Rehearsal): Content {
  const { protocolVersion, transactions, different, differences } = rehearsal;
  const ran = `${counted(transactions, "reproduced transaction")} ran under protocol ${protocolVersion} too`;
  const differ = different === 0 ? "none differs" : counted(different, "differs", "differ");
  const items = differences.map(({ hash, ledger, contract, function: name, detail }) => {
    const called = name === null ? "" : `, ${name} of ${contract}`;
    return { text: `${hash} ledger ${ledger}${called}`, notes: [{ text: detail }] };
  });
  const omitted = different - differences.length;
  return [`${ran}: ${differ}.`, itemsOf("tree", items, { omitted })];
}

function unknownItem({ ledger, protocolVersion, ledgers, source }: UnknownProtocol): Item {
  // Of an archive, ledgers before it may be among them: their checkpoint is of that protocol.
  const all = ledgers === 1 ? "" : ` (${grouped(ledgers)} ledgers not verified)`;
  const { message, remedy, code } = protocolUnknown({ protocolVersion, ledger });
  return {
    text: `ledger ${ledger}: ${code}${all}`,
    notes: [{ text: message }, { text: remedy }, { text: source, tone: "faint" }],
  };
}

/** An entry that the chain has with another value than its own ledgers gave it. */
function mismatchItem({ kind, ledger, key, onChain, folded, source }: StateMismatch): Item {
  return {
    text: `ledger ${ledger} ${kind === "restored" ? "restores" : "loads"} ${key}`,
    notes: [
      { text: `on chain: ${onChain ?? "absent"}` },
      { text: `by the ledgers before: ${folded ?? "absent"}` },
      { text: source, tone: "faint" },
    ],
  };
}

/**
 * The command that debugs a transaction of a verification, with the network and the nodes of the
 * run. For a node whose URL may have a secret, the variable of the environment is named.
 */
export function debugCommand(
  { hash, source, ledger }: NotExact,
  nodes: VerificationNodes | null,
): string {
  if (nodes?.historyArchives !== undefined)
    return [
      `svc debug ${hash} --prove --ledger ${ledger}`,
      ...networkFlags(nodes.networkPassphrase),
      ...urlFlag("--history-archive", nodes.historyArchives, "SVC_HISTORY_ARCHIVE"),
    ].join(" ");
  const isFile = nodes?.areFiles ?? false;
  return [
    `svc debug ${hash}`,
    ...networkFlags(nodes?.networkPassphrase ?? null),
    ...(isFile ? [`--ledger-file ${shellWord(source)}`] : []),
    ...(isFile || nodes === null
      ? []
      : [
          ...urlFlag("--rpc-url", nodes.rpcUrls, "SVC_RPC_URL"),
          ...urlFlag("--ledger-lake-url", nodes.ledgerLakeUrls, "SVC_LEDGER_LAKE_URL"),
        ]),
  ].join(" ");
}

function networkFlags(passphrase: string | null): string[] {
  if (passphrase === null) return [];
  const known = Object.entries(NETWORKS).find(([, each]) => each.passphrase === passphrase);
  if (known !== undefined) return [`--network ${known[0]}`];
  return [`--network-passphrase ${shellWord(passphrase)}`];
}

function urlFlag(flag: string, urls: NodeAddresses, variable: string): string[] {
  if (urls === "hidden") return [`${flag} "$${variable}"`];
  if (urls.length === 0) return [];
  return [`${flag} ${shellWord(urls.join(","))}`];
}
