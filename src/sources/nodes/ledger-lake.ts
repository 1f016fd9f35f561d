// A ledger lake over HTTP (SEP-54): LedgerCloseMetaBatches, compressed with zstd, under names that
// follow from the sequence. A lake has ledgers, but cannot find a transaction by its hash.

import * as v from "valibot";
import { askAhead } from "../../base/ask-ahead.ts";
import { concatBytes } from "../../base/bytes.ts";
import { decompress } from "../../base/decompress.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import type { HttpAnswer } from "../../base/http/http-body.ts";
import { parseAnswer } from "../../base/http/http-body.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { isProtocolUnknown, namedLedger } from "../../model/protocols.ts";
import { ledgerSequenceOf } from "../../xdr/ledger/ledger-close-meta.ts";
import { type LedgerBytes, readLedgerStream } from "../files/ledger-stream.ts";
import { checkedLedgers, type FetchContext, type LedgerContext, type Source } from "../source.ts";
import { badNodeAnswer } from "./bad-answer.ts";

export interface LedgerLakeDependencies {
  readonly http: Http;
  /** The URL above the partitions. */
  readonly url: string;
  /** The URL in the settings, if the lake is in a folder of it. */
  readonly nodeUrl?: string;
  readonly networkPassphrase: string;
}

/** The number of ledgers in an object and of objects in a partition. */
export interface LakeLayout {
  readonly ledgersPerBatch: number;
  readonly batchesPerPartition: number;
}

const MAXIMUM_CONFIG_BYTES = 64 * 1024;
const MAXIMUM_BATCH_BYTES = 128 * 1024 * 1024;
/** A larger ledger is left to the reader of streams, which refuses it. */
const MAXIMUM_LEDGER_BYTES = 256 * 1024 * 1024;
/** The first and the last sequence of a batch, and the number of its ledgers. */
const HEAD_BYTES = 12;
const CONFIG_NAME = ".config.json";
/** The layout of the public lakes, and Galexie's default. */
const USUAL_LAYOUT: LakeLayout = { ledgersPerBatch: 1, batchesPerPartition: 64_000 };
/** SEP-54 uses `zst`; older lakes use `zstd`. */
const SUFFIXES = ["xdr.zst", "xdr.zstd"] as const;
const ABSENT = [403, 404];
/** The number of ledgers, or one batch, that are fetched ahead while a ledger is used. */
const LEDGERS_AHEAD = 8;
const LAST_SEQUENCE = 0xffffffff;

const count = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000));
const configSchema = v.object({
  networkPassphrase: v.nullish(v.string()),
  compression: v.nullish(v.picklist(["zstd", "zst"])),
  ledgersPerBatch: count,
  batchesPerPartition: count,
});

export function openLedgerLake(dependencies: LedgerLakeDependencies): Source {
  let layout: Promise<LakeLayout> | null = null;
  const knownLayout = async (context: FetchContext): Promise<LakeLayout> => {
    layout ??= fetchLayout(dependencies, context);
    const shared = layout;
    try {
      return await shared;
    } catch (error) {
      if (layout === shared) layout = null;
      // The caller that started the shared fetch has left.
      if (context.signal.aborted || error instanceof SvcError) throw error;
      return knownLayout(context);
    }
  };
  const fetchBatch = async (sequence: number, context: LedgerContext) =>
    batchOf(dependencies, await knownLayout(context), sequence, context);
  const fetchLedgers = async function* (first: number, last: number, context: LedgerContext) {
    if (first > last) return;
    const layout = await knownLayout(context);
    const ask = (sequence: number, signal: AbortSignal) =>
      batchOf(dependencies, layout, sequence, { ...context, signal });
    const ahead = Math.max(1, Math.floor(LEDGERS_AHEAD / layout.ledgersPerBatch));
    const starts = startsOfBatches(layout, first, last);
    let next = first;
    for await (const batch of askAhead(starts, ahead, ask, context.signal)) {
      const inRange = batch.filter(({ sequence }) => sequence <= last);
      if (inRange[0]?.sequence !== next) return;
      yield* inRange;
      next += inRange.length;
    }
  };
  const fetchOne = async (sequence: number, context: LedgerContext): Promise<Uint8Array | null> => {
    const batch = await fetchBatch(sequence, context);
    return batch.find((ledger) => ledger.sequence === sequence)?.ledgerCloseMeta ?? null;
  };
  return {
    name: `lake ${nodeAddress(dependencies.url)}`,
    fetchLedgerCloseMeta: fetchOne,
    fetchLedgerCloseMetas: fetchLedgers,
  };
}

/** One ledger of each batch. */
function* startsOfBatches(
  { ledgersPerBatch }: LakeLayout,
  first: number,
  last: number,
): Generator<number> {
  let next = first;
  while (next <= last) {
    yield next;
    next += ledgersPerBatch - (next % ledgersPerBatch);
  }
}

/** The name of the object that contains the ledger, without its suffix. */
export function batchName(layout: LakeLayout, sequence: number): string {
  const { ledgersPerBatch, batchesPerPartition } = layout;
  const batch = rangeName(sequence, ledgersPerBatch);
  if (batchesPerPartition === 1) return batch;
  return `${rangeName(sequence, ledgersPerBatch * batchesPerPartition)}/${batch}`;
}

/**
 * The name of a range, such as `FFFFFFFF--0-15`. Names descend while sequences ascend, so a listing
 * begins with the latest.
 */
function rangeName(sequence: number, size: number): string {
  const start = sequence - (sequence % size);
  const reversed = (LAST_SEQUENCE - start).toString(16).toUpperCase().padStart(8, "0");
  return size === 1 ? `${reversed}--${start}` : `${reversed}--${start}-${start + size - 1}`;
}

async function fetchLayout(
  { http, url, nodeUrl = url, networkPassphrase }: LedgerLakeDependencies,
  context: FetchContext,
): Promise<LakeLayout> {
  const request = {
    url: under(url, CONFIG_NAME),
    nodeUrl,
    method: "GET",
    maximumBytes: MAXIMUM_CONFIG_BYTES,
    answers: ABSENT,
  } as const;
  return http.ask(request, (answer) => readLayout(answer, networkPassphrase), context);
}

function readLayout(answer: HttpAnswer, networkPassphrase: string): LakeLayout {
  if (answer.status !== 200) return USUAL_LAYOUT;
  const parsed = v.safeParse(configSchema, parseAnswer(answer));
  if (!parsed.success) throw badNodeAnswer(answer.node, "SEP-54", CONFIG_NAME, parsed.issues);
  const passphrase = parsed.output.networkPassphrase;
  if (!passphrase || passphrase === networkPassphrase) return parsed.output;
  throw new SvcError("NODE_LIED", {
    message: `The ledger lake ${answer.node} is not of the network "${networkPassphrase}".`,
    remedy: phrase`Set a ledger lake of this network, or another ${flag("network")}.`,
    details: { node: answer.node },
  });
}

/** The ledgers of a batch, beginning with `sequence`. */
async function batchOf(
  { http, url, nodeUrl = url }: LedgerLakeDependencies,
  layout: LakeLayout,
  sequence: number,
  context: LedgerContext,
): Promise<readonly LedgerBytes[]> {
  for (const suffix of SUFFIXES) {
    const batch = await http.ask(
      {
        url: under(url, `${batchName(layout, sequence)}.${suffix}`),
        nodeUrl,
        method: "GET",
        maximumBytes: MAXIMUM_BATCH_BYTES,
        answers: ABSENT,
      },
      async (answer) => {
        if (answer.status !== 200) return null;
        const only = await onlyLedger(answer, sequence, context);
        if (only !== null) return [only];
        const ledgers = await unpack(answer, sequence);
        const fromSequence = ledgers.filter((ledger) => ledger.sequence >= sequence);
        return checkedLedgers(fromSequence, context);
      },
      context,
    );
    if (batch !== null) return batch;
  }
  return [];
}

/**
 * The ledger of a batch that has only this one, as those of the public lakes have. Its length is
 * known, so that it is walked only by what checks it. Null if the batch has others, or if something
 * is wrong with it: `unpack` has the words.
 */
async function onlyLedger(
  answer: HttpAnswer,
  sequence: number,
  { check }: LedgerContext,
): Promise<LedgerBytes | null> {
  if (check === undefined) return null;
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of unpacked(answer)) {
      pieces.push(piece);
      size += piece.length;
      if (size > MAXIMUM_LEDGER_BYTES) return null;
    }
    const bytes = concatBytes(pieces);
    const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (size < HEAD_BYTES || head.getUint32(0) !== sequence) return null;
    if (head.getUint32(4) !== sequence || head.getUint32(8) !== 1) return null;
    const ledger = { sequence, ledgerCloseMeta: bytes.subarray(HEAD_BYTES) };
    if (ledgerSequenceOf(ledger.ledgerCloseMeta) !== sequence) return null;
    await check(ledger);
    return ledger;
  } catch {
    return null;
  }
}

function unpacked({ body }: HttpAnswer): AsyncIterable<Uint8Array> {
  return decompress(new Blob([new Uint8Array(body)]).stream(), "zstd");
}

async function unpack(answer: HttpAnswer, sequence: number): Promise<LedgerBytes[]> {
  const ledgers: LedgerBytes[] = [];
  try {
    for await (const ledger of readLedgerStream(unpacked(answer), answer.node))
      ledgers.push(ledger);
  } catch (cause) {
    if (isProtocolUnknown(cause)) {
      // The ledgers before it in the batch can be used.
      if (ledgers.some((each) => each.sequence >= sequence)) return ledgers;
      throw namedLedger(cause, (ledgers.at(-1)?.sequence ?? sequence - 1) + 1);
    }
    throw new SvcError("NETWORK_BAD_ANSWER", {
      message: `${answer.node} returned an object for ledger ${sequence} that is not a batch of ledgers.`,
      remedy: "Check that the URL is a SEP-54 ledger lake, or set another.",
      cause,
      details: { node: answer.node, sequence },
    });
  }
  return ledgers;
}

function under(url: string, path: string): string {
  const base = new URL(url);
  base.pathname = `${base.pathname.replace(/\/+$/, "")}/${path}`;
  return base.href;
}
