// What the transaction changed: ledger entries field by field, tokens that moved, and events.

import { grouped } from "../../base/text/grouped.ts";
import type {
  NamedChange,
  NamedEvent,
  TokenFlow,
  TokenMove,
  TokenNet,
} from "../../model/explanation.ts";
import { type Block, type Item, type Row, type Signature, sentence, treeOf } from "./document.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN = 100;
const SHOWN_TOKENS = 50;
export const ABSENT = "(absent)";

export function changesBlock(changes: readonly NamedChange[]): Block {
  return treeOf(changes.map(changeItem), { most: SHOWN, what: "changes" });
}

/** The changed fields, or the complete values if the fields are unknown. */
function changeItem({ kind, key, before, after, fields }: NamedChange): Item {
  const changed = fields.filter(({ field }) => field !== "");
  const known = changed.length > 0 ? fields : [];
  const values = { before, after };
  return {
    text: key,
    badge: kind,
    rows: [
      ...known.map((each) => ({
        label: each.field,
        values: [each.before ?? ABSENT, each.after ?? ABSENT],
      })),
      ...(["before", "after"] as const).map((label): Row => {
        const value = values[label];
        const row = { label, values: [value ?? ABSENT] };
        return value === null || known.length > 0 ? { ...row, detail: "values" } : row;
      }),
    ],
  };
}

export function eventsBlock(events: readonly NamedEvent[]): Block {
  return treeOf(events.map(eventItem), { most: SHOWN, what: "events" });
}

function eventItem(event: NamedEvent): Item {
  const topics = event.topics.map((topic, i): [string, string] => [`topic ${i + 1}`, topic]);
  const raw: [string, string][] = [...topics, ["data", event.data]];
  return {
    text: eventText(event),
    where: eventPlace(event),
    rows: raw.map(([label, value]) => ({ label, values: [value], detail: "values" })),
  };
}

export function eventText({ name, fields, topics, data }: NamedEvent): string | Signature {
  if (name === null || fields === null) return `[${topics.join(", ")}] ${data}`;
  return { name, values: fields };
}

export function eventPlace({ kind, contract }: Pick<NamedEvent, "kind" | "contract">) {
  return { lead: `${kind} event of`, name: contract ?? "the host" };
}

/** Who sent how much of which token to whom, and the sum for each account. */
export function tokenBlocks({ moves, net, from }: TokenFlow): Block[] {
  const moved: Block = {
    kind: "table",
    layout: "sentences",
    title: "Token movements",
    columns: [
      { heading: "movement" },
      { heading: "amount" },
      { heading: "token" },
      { heading: "sender", lead: "from" },
      { heading: "recipient", lead: "to" },
    ],
    rows: moves.map((move) => [move.kind, amountOf(move), tokenOf(move), move.from, move.to]),
    most: SHOWN_TOKENS,
    what: "movements",
  };
  // The sum of a single movement is the movement itself.
  if (moves.length === 1) return [moved];
  const source = from === "events" ? "the events" : "the balances before and after";
  return [
    moved,
    ...(net.length === 0 ? [] : [sentence(`Net, from ${source}:`, { detail: "page" })]),
    {
      kind: "table",
      layout: "sentences",
      title: "Net amounts",
      columns: [{ heading: "account", lead: "net" }, { heading: "amount" }, { heading: "token" }],
      rows: net.map((each) => [each.account, signedAmount(each), tokenOf(each)]),
      most: SHOWN_TOKENS,
      what: "sums",
    },
  ];
}

function amountOf({ amount, units }: TokenMove | TokenNet): string {
  return amount === null ? `${grouped(units)} units` : groupedAmount(amount);
}

function tokenOf({ symbol, token, asset }: TokenMove | TokenNet): string {
  if (asset !== null) return asset;
  return symbol === null ? `of ${token}` : `${symbol} (${token})`;
}

function signedAmount(net: TokenNet): string {
  return net.units.startsWith("-") ? amountOf(net) : `+${amountOf(net)}`;
}

/** `1234567.89` → `1,234,567.89`. */
function groupedAmount(amount: string): string {
  const [whole = "", fraction] = amount.split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const shown = `${sign}${grouped(whole.slice(sign.length))}`;
  return fraction === undefined ? shown : `${shown}.${fraction}`;
}
