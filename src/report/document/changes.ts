// What the transaction changed: ledger entries field by field, tokens that moved, and events.

import { grouped, groupedDecimal } from "../../base/text/grouped.ts";
import { cutVisibly } from "../../base/text/neutralise.ts";
import type {
  NamedChange,
  NamedEvent,
  TokenFlow,
  TokenMove,
  TokenNet,
} from "../../model/explanation.ts";
import {
  type Block,
  type Content,
  type Item,
  itemsOf,
  type Signature,
  sentence,
} from "./document.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN = 100;
const SHOWN_TOKENS = 50;
const BRIEF = 4;
export const ABSENT = "(absent)";

/**
 * A short report leaves out entries that are written beside others, or with their own value.
 */
export function changesBlock(changes: readonly NamedChange[]): Block {
  const isBeside = ({ kind, role, isUnchanged }: NamedChange) =>
    isUnchanged === true || (kind !== "restored" && role !== "state");
  const hasOthers = !changes.every(isBeside);
  const items = changes.map((change): Item => {
    const detail = hasOthers && isBeside(change) ? { detail: "full" as const } : {};
    return { ...changeItem(change), ...detail };
  });
  return itemsOf("tree", items, { brief: BRIEF, most: SHOWN, noun: ["change", "changes"] });
}

/** The changed fields, or the complete values if the fields are unknown. */
export function changeItem(change: Omit<NamedChange, "role">): Item {
  const { kind, key, before, after, fields, isUnchanged } = change;
  if (isUnchanged === true) {
    const value = { label: "value", values: [after ?? ABSENT], detail: "values" as const };
    const rows = [{ label: "written", values: ["with the value that it had"] }, value];
    return { text: key, badge: kind, rows };
  }
  const known = fields.some(({ field }) => field !== "") ? fields : [];
  const whole = (label: string, value: string | null) => ({
    label,
    values: [value ?? ABSENT],
    detail: value === null || known.length > 0 ? ("values" as const) : undefined,
  });
  const changed = known.map((each) => ({
    label: each.field,
    values: [each.before ?? ABSENT, each.after ?? ABSENT],
  }));
  return {
    text: key,
    badge: kind,
    rows: [...changed, whole("before", before), whole("after", after)],
  };
}

export function eventsBlock(events: readonly NamedEvent[]): Block {
  return itemsOf("tree", events.map(eventItem), { most: SHOWN, noun: ["event", "events"] });
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

/** The names of events have up to 1,024 letters from protocol 30 on. */
const SHOWN_EVENT_NAME = 64;

export function eventText({ name, fields, topics, data }: NamedEvent): string | Signature {
  if (name === null || fields === null) return `[${topics.join(", ")}] ${data}`;
  return { name: cutVisibly(name, SHOWN_EVENT_NAME), values: fields };
}

export function eventPlace({ kind, contract }: Pick<NamedEvent, "kind" | "contract">) {
  return { lead: `${kind} event of`, name: contract ?? "the host" };
}

/** Who sent how much of which token to whom, and the sum for each account. */
export function tokenContent({ moves, net, from }: TokenFlow): Content {
  const source = from === "events" ? "the events" : "the balances before and after";
  return [
    {
      kind: "table",
      title: "Token movements",
      headings: ["movement", "amount", "token", "sender", "recipient"],
      leads: {
        sender: "from",
        recipient: "to",
      },
      rows: moves.map((move) => [move.kind, amountOf(move), tokenOf(move), move.from, move.to]),
      brief: BRIEF,
      most: SHOWN_TOKENS,
      noun: ["movement", "movements"],
    },
    // The sum of a single movement is the movement itself.
    moves.length !== 1 &&
      net.length > 0 && [
        sentence(`Net, from ${source}:`, { detail: "page" }),
        {
          kind: "table",
          title: "Net amounts",
          headings: ["account", "amount", "token"],
          leads: { account: "net" },
          rows: net.map((each) => [each.account, signedAmount(each), tokenOf(each)]),
          brief: BRIEF,
          most: SHOWN_TOKENS,
          noun: ["sum", "sums"],
        },
      ],
  ];
}

function amountOf({ amount, units }: TokenMove | TokenNet): string {
  return amount === null ? `${grouped(units)} units` : groupedDecimal(amount);
}

function tokenOf({ symbol, token, asset }: TokenMove | TokenNet): string {
  if (asset !== null) return asset;
  return symbol === null ? `of ${token}` : `${symbol} (${token})`;
}

function signedAmount(net: TokenNet): string {
  return net.units.startsWith("-") ? amountOf(net) : `+${amountOf(net)}`;
}
