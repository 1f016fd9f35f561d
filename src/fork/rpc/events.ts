// getEvents of Stellar RPC 30, which has no `inSuccessfulContractCall`: the events of transactions
// and of their fees, in the order in which they happened, selected by type, contract and topics. An
// event's id is its cursor: the operation's place in the network's history (SEP-35), then the
// event's.

import * as v from "valibot";
import { RecentlyUsed } from "../../base/recently-used.ts";
import { decodeContractId, encodeStrkey } from "../../base/text/strkey.ts";
import { uint32 } from "../../base/wire.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import type { Fork } from "../fork.ts";
import type { ClosedLedger } from "../ledger/chain.ts";
import { isoTime, rangeOf } from "./ledger-range.ts";
import { AnswerPage } from "./page.ts";
import {
  type Format,
  formatOf,
  formatSchema,
  OF_REQUEST,
  readParameters,
  refusal,
} from "./refusal.ts";

const MOST_LEDGERS = 10_000;
const MOST_EVENTS = 10_000;
const USUAL_EVENTS = 100;
const MOST_FILTERS = 5;
const MOST_CONTRACTS = 5;
const MOST_TOPICS = 5;
const MOST_SEGMENTS = 4;
const ANY = "*";
const ANY_MORE = "**";
/** The largest positions in a ledger and in a transaction. */
const LAST_TRANSACTION = 2 ** 20 - 1;
const LAST_OPERATION = 2 ** 12 - 1;
const LAST_EVENT = 2 ** 32 - 1;
/** TransactionEventStage. */
const STAGE = { beforeAll: 0, afterTransaction: 1, afterAll: 2 } as const;
const TYPES = ["system", "contract", "diagnostic"] as const;

const filterSchema = v.object({
  type: v.nullish(v.string(), ""),
  contractIds: v.nullish(v.array(v.string()), []),
  topics: v.nullish(v.array(v.array(v.string())), []),
});
type Filter = v.InferOutput<typeof filterSchema>;
const requestSchema = v.object({
  startLedger: v.nullish(uint32, 0),
  endLedger: v.nullish(uint32, 0),
  filters: v.nullish(v.array(filterSchema), []),
  pagination: v.nullish(v.object({ cursor: v.nullish(v.string()), limit: v.nullish(uint32, 0) })),
  xdrFormat: formatSchema,
});

interface Cursor {
  readonly ledger: number;
  readonly transaction: number;
  readonly operation: number;
  readonly event: number;
}

interface FoundEvent {
  readonly id: string;
  readonly cursor: Cursor;
  readonly transactionHash: string;
  readonly type: (typeof TYPES)[number] | "";
  readonly contract: string | null;
  /** ScVals. */
  readonly topicsXdr: readonly string[];
  readonly valueXdr: string;
}

export async function getEvents(fork: Fork, parameters: unknown) {
  const { startLedger, endLedger, filters, pagination, xdrFormat } = readParameters(
    requestSchema,
    parameters,
  );
  const format = formatOf(xdrFormat);
  const cursor = pagination?.cursor ? readCursor(pagination.cursor) : null;
  if (cursor === null && startLedger === 0) throw refusal("startLedger must be positive");
  if (cursor !== null && (startLedger !== 0 || endLedger !== 0))
    throw refusal("ledger ranges and cursor cannot both be set");
  if ((pagination?.limit ?? 0) > MOST_EVENTS) throw refusal(`limit must not exceed ${MOST_EVENTS}`);
  const matches = matcherOf(filters);
  const range = rangeOf(fork);
  const start = cursor?.ledger ?? startLedger;
  if (start < range.oldestLedger || start > range.latestLedger) {
    const between = `${range.oldestLedger} - ${range.latestLedger}`;
    throw refusal(`startLedger must be within the ledger range: ${between}`, OF_REQUEST);
  }
  const limit = pagination?.limit || USUAL_EVENTS;
  const bounds = [
    start + MOST_LEDGERS,
    range.latestLedger + 1,
    endLedger || Number.POSITIVE_INFINITY,
  ];
  const end = Math.min(...bounds);
  const after = cursor === null ? "" : idOf(cursor);
  const pageEvents: FoundEvent[] = [];
  const page = new AnswerPage(format);
  const isFull = () => pageEvents.length === limit || page.isFull;
  for (const ledger of fork.history.range(start, end - 1)) {
    for (const event of eventsOf(ledger)) {
      if (isFull() || event.id <= after || !matches(event)) continue;
      pageEvents.push(event);
      page.add(charactersOf(event));
    }
    if (isFull()) break;
    await page.portion(metaCharactersOf(ledger));
  }
  const last = { ledger: end - 1, transaction: LAST_TRANSACTION, operation: LAST_OPERATION };
  const next = isFull() ? pageEvents.at(-1)?.id : idOf({ ...last, event: LAST_EVENT });
  return {
    events: pageEvents.map((event) => infoOf(event, fork, format)),
    cursor: next,
    latestLedger: range.latestLedger,
    oldestLedger: range.oldestLedger,
    latestLedgerCloseTime: range.latestCloseTime,
    oldestLedgerCloseTime: range.oldestCloseTime,
  };
}

function infoOf(event: FoundEvent, fork: Fork, format: Format) {
  const { id, cursor, type, contract, topicsXdr, valueXdr, transactionHash } = event;
  const asJson = (scValXdr: string) => toJson("ScVal", decode("ScVal", scValXdr));
  return {
    type,
    ledger: cursor.ledger,
    ledgerClosedAt: isoTime(fork.history.get(cursor.ledger)?.closeTimeUnixSeconds ?? "0"),
    contractId: contract ?? "",
    id,
    operationIndex: cursor.operation,
    transactionIndex: cursor.transaction,
    txHash: transactionHash,
    ...(format === "json"
      ? { topicJson: topicsXdr.map(asJson), valueJson: asJson(valueXdr) }
      : { topic: topicsXdr, value: valueXdr }),
  };
}

function charactersOf({ topicsXdr, valueXdr }: FoundEvent): number {
  return topicsXdr.reduce((sum, topic) => sum + topic.length, valueXdr.length);
}

function metaCharactersOf({ transactions }: ClosedLedger): number {
  return transactions.reduce((sum, { metaXdr }) => sum + metaXdr.length, 0);
}

/** The events of recently requested ledgers, by the ledger's hash. */
const known = new RecentlyUsed<string, readonly FoundEvent[]>({
  weight: 16 * 1024 * 1024,
  weigh: (events) => events.reduce((sum, event) => sum + charactersOf(event) + FIXED, FIXED),
});
/** The weight of everything else in an event or an empty ledger, in characters. */
const FIXED = 256;

/** The events in the order of their ids. */
function eventsOf(ledger: ClosedLedger): readonly FoundEvent[] {
  const before = known.get(ledger.hash);
  if (before !== undefined) return before;
  const counts = { beforeAll: 0, afterAll: 0 };
  const events = ledger.transactions.flatMap(({ hash, metaXdr, applicationOrder }) => {
    const meta = decode("TransactionMeta", metaXdr);
    const place = { ledger: ledger.sequence, transaction: applicationOrder, operation: 0 };
    const events: FoundEvent[] = [];
    const add = (cursor: Cursor, event: Value<"ContractEvent">) => {
      const contract =
        event.contractId === null ? null : encodeStrkey("contract", event.contractId);
      const topicsXdr = event.body.v0.topics.map((topic) => encode("ScVal", topic));
      events.push({
        id: idOf(cursor),
        cursor,
        transactionHash: hash,
        type: TYPES[event.type] ?? "",
        contract,
        topicsXdr,
        valueXdr: encode("ScVal", event.body.v0.data),
      });
    };
    let afterTransaction = 0;
    for (const { stage, event } of meta.v === 4 ? meta.v4.events : []) {
      if (stage === STAGE.beforeAll)
        add({ ...place, transaction: 0, event: counts.beforeAll++ }, event);
      else if (stage === STAGE.afterAll)
        add({ ...place, transaction: LAST_TRANSACTION, event: counts.afterAll++ }, event);
      else add({ ...place, operation: LAST_OPERATION, event: afterTransaction++ }, event);
    }
    for (const [operation, ofOperation] of operationEvents(meta).entries())
      for (const [event, each] of ofOperation.entries()) add({ ...place, operation, event }, each);
    return events;
  });
  events.sort((left, right) => (left.id < right.id ? -1 : 1));
  known.set(ledger.hash, events);
  return events;
}

/** The events of each operation. */
export function operationEvents(
  meta: Value<"TransactionMeta">,
): readonly (readonly Value<"ContractEvent">[])[] {
  if (meta.v === 4) return meta.v4.operations.map(({ events }) => events);
  return meta.v === 3 && meta.v3.sorobanMeta !== null ? [meta.v3.sorobanMeta.events] : [];
}

/** Throws REQUEST_INVALID. */
function matcherOf(filters: readonly Filter[]): (event: FoundEvent) => boolean {
  if (filters.length > MOST_FILTERS) throw refusal(`maximum ${MOST_FILTERS} filters per request`);
  const matchers = filters.map((filter, index) => {
    try {
      return filterMatcher(filter);
    } catch (cause) {
      const problem = cause instanceof InvalidFilter ? cause.message : "it cannot be read";
      throw refusal(`filter ${index + 1} invalid: ${problem}`, { cause });
    }
  });
  return (event) => matchers.length === 0 || matchers.some((matcher) => matcher(event));
}

class InvalidFilter extends Error {}

function filterMatcher({ type, contractIds, topics }: Filter): (event: FoundEvent) => boolean {
  const types = type === "" ? [] : type.split(",");
  if (types.some((each) => each !== "system" && each !== "contract"))
    throw new InvalidFilter(
      "filter type invalid: if set, type must be either 'system' or 'contract'",
    );
  if (contractIds.length > MOST_CONTRACTS)
    throw new InvalidFilter(`maximum ${MOST_CONTRACTS} contract IDs per filter`);
  if (topics.length > MOST_TOPICS)
    throw new InvalidFilter(`maximum ${MOST_TOPICS} topics per filter`);
  for (const [index, id] of contractIds.entries())
    if (decodeContractId(id) === null) throw new InvalidFilter(`contract ID ${index + 1} invalid`);
  for (const [index, topic] of topics.entries()) {
    const problem = topicProblem(topic);
    if (problem !== null) throw new InvalidFilter(`topic ${index + 1} invalid: ${problem}`);
  }
  return ({ type, contract, topicsXdr }) =>
    (types.length === 0 || types.includes(type)) &&
    (contractIds.length === 0 || contractIds.includes(contract ?? "")) &&
    (topics.length === 0 || topics.some((topic) => matchesTopic(topic, topicsXdr)));
}

function topicProblem(topic: readonly string[]): string | null {
  if (topic.length === 0) return "topic must have at least 1 segment";
  const fixed = topic.at(-1) === ANY_MORE ? topic.slice(0, -1) : topic;
  const misplaced = fixed.indexOf(ANY_MORE);
  if (misplaced >= 0)
    return `segment ${misplaced + 1} invalid: wildcard '**' is only allowed as the last segment`;
  if (fixed.length > MOST_SEGMENTS) return `topic cannot have more than ${MOST_SEGMENTS} segments`;
  for (const segment of fixed) if (segment !== ANY) decode("ScVal", segment);
  return null;
}

function matchesTopic(topic: readonly string[], topicsXdr: readonly string[]): boolean {
  const isOpen = topic.at(-1) === ANY_MORE;
  const fixed = isOpen ? topic.slice(0, -1) : topic;
  if (isOpen ? topicsXdr.length < fixed.length : topicsXdr.length !== fixed.length) return false;
  return fixed.every((segment, index) => segment === ANY || segment === topicsXdr[index]);
}

function idOf({ ledger, transaction, operation, event }: Cursor): string {
  const place = (BigInt(ledger) << 32n) | (BigInt(transaction) << 12n) | BigInt(operation);
  return `${String(place).padStart(19, "0")}-${String(event).padStart(10, "0")}`;
}

/** Throws REQUEST_INVALID. */
function readCursor(written: string): Cursor {
  const [, place, event] = /^(\d{1,19})-(\d{1,10})$/.exec(written) ?? [];
  if (place === undefined) throw refusal(`invalid event id ${written.slice(0, 60)}`);
  const id = BigInt(place);
  return {
    ledger: Number(id >> 32n),
    transaction: Number((id >> 12n) & BigInt(LAST_TRANSACTION)),
    operation: Number(id & BigInt(LAST_OPERATION)),
    event: Number(event),
  };
}
