// A chain of any length, made from recorded transactions that change nothing but their source
// account: from two of them, one that reads and succeeds and one that traps, or from many. Each copy
// has a source account of its own, so that it has a hash of its own and changes entries that nothing
// else does; it replays exactly as the recorded one did. The node makes each ledger when it is asked
// for it.

import { LedgerHeader } from "@stellar/stellar-sdk/xdr";
import { decodeAccountKey } from "../../src/base/text/strkey.ts";
import { hashOfEnvelope, readEnvelopeFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import type { LedgerCloseMetaView } from "../../src/xdr/ledger/ledger-close-meta.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import { decodeBytes, encodeBytes, type Value } from "../../src/xdr/reader/value.ts";
import { type LedgerChain, type MadeLake, type MadeNode, serveNetwork } from "./made-network.ts";
import { RecordedNetwork, type RpcEntry } from "./recorded-network.ts";

export interface LongChainOptions {
  /** In each ledger. */
  readonly successes: number;
  readonly failures: number;
  /** Close time of the first ledger, and seconds between ledgers. */
  readonly beginUnixSeconds?: number;
  readonly secondsPerLedger?: number;
  /** Of many recorded transactions, not of two. */
  readonly varied?: boolean;
  /** What becomes of each header, before it has its hash. */
  readonly headerAs?: (header: Value<"LedgerHeader">) => Value<"LedgerHeader">;
}

export interface LongChain extends LedgerChain, AsyncDisposable {
  /** The latest ledger of the node. */
  tip: number;
  /** The node answers every request with status 503. */
  down: boolean;
  /** The ledger whose first transaction says another fee; before it is made. */
  divergent: number | null;
  /** What the node gives in the place of a ledger. */
  spoil: (sequence: number, bytes: Uint8Array) => Uint8Array;
  /** True: the node answers as if the entry of this LedgerKey did not exist. */
  leavesOut: (keyXdr: string) => boolean;
  /** The ledger whose transaction set the validators vote away; before it is made. */
  votedAway: number | null;
  /** Methods of the requests so far, with their number. */
  readonly requests: Map<string, number>;
  readonly url: string;
  /** Serves a lake up to its last ledger, and beside it a node that has the entries and no ledgers. */
  readonly serveLake: (lake: MadeLake) => ServedLake;
}

export interface ServedLake extends AsyncDisposable {
  readonly lakeUrl: string;
  readonly rpcUrl: string;
}

/** The names of the recorded transactions that a varied chain copies, in turn. */
export const SUCCESSES = [
  "same ledger race: get #2",
  "read counter",
  "crypto sha256/keccak",
  "ed25519 verify ok",
  "spin sha256 x200",
  "mem 100 objects",
  "with memo",
  "cross-contract add_with other",
  "try_call catches callee failure",
  "same ledger: mixed 5",
  "same ledger race: get #0",
  "same ledger race: get #3",
  "call after upgrade (new code)",
  "read after restore (p4)",
  "has_temporary of expired",
];
export const FAILURES = [
  "panic -> unreachable trap",
  "entry over the size limit",
  "contract error Err(NotFound)",
  "contract error Err(Teapot)",
  "panic_with_error",
  "integer overflow trap",
  "write then trap (rollback)",
  "divide by zero",
  "err_eek",
  "spoofed system error",
  "get of missing key -> contract error",
  "function does not exist",
  "wrong argument count",
  "wrong argument type",
  "re-entry forbidden",
  "cpu budget too low in resources",
  "array out of bounds trap",
  "forged object reference",
  "footprint lacks the entry",
  "footprint entry read-only but written",
  "write bytes too low",
  "call of a contract that does not exist",
  "ed25519 verify bad signature",
  "cross-contract add_with",
  "refundable fee too low (rent of 16 KiB)",
  "cross-contract add overflow in callee",
  "try_call catches trap with rollback",
  "call propagates callee error",
  "old function after upgrade",
  "read of archived entry, not restored",
  "expired temporary entry is gone",
  "deploy from contract, same salt (exists)",
  "spawn: constructor auth of the deployer contract missing",
];
const FIRST = 1000;
const MADE_LEDGERS = 8;

export function openLongChain(options: LongChainOptions): LongChain {
  const network = new RecordedNetwork();
  const chosen = (names: readonly string[]) => (options.varied ? names : names.slice(0, 1));
  const successes = chosen(SUCCESSES).map((name) => readTemplate(network, name));
  const failures = chosen(FAILURES).map((name) => readTemplate(network, name));
  const [{ view }] = successes as [Template];
  const known = knownEntries(network, [...successes, ...failures]);
  const hashes = new Map<number, string>();
  /** The last ones, so that what asks again does not wait for this. */
  const made = new Map<number, Uint8Array>();
  const requests = new Map<string, number>();
  const { beginUnixSeconds = 1_700_000_000, secondsPerLedger = 5 } = options;
  const bytes = (sequence: number): Uint8Array => {
    const known = made.get(sequence);
    if (known !== undefined) return known;
    if (sequence > FIRST && !hashes.has(sequence - 1)) {
      for (let each = FIRST; each < sequence; each += 1) if (!hashes.has(each)) bytes(each);
    }
    const copiesOf = (templates: readonly Template[], many: number, before: number) =>
      Array.from({ length: many }, (_, i) => {
        const template = templates[(sequence * many + i) % templates.length] as Template;
        const copy = copyOf(template, sequence, before + i);
        return sequence === chain.divergent && before + i === 0 ? withOtherFee(copy) : copy;
      });
    const isVotedAway = sequence === chain.votedAway;
    const proposed = [
      ...copiesOf(failures, options.failures, 0),
      ...copiesOf(successes, options.successes, options.failures),
    ];
    const copies = isVotedAway ? [] : proposed;
    const closeTime = beginUnixSeconds + (sequence - FIRST) * secondsPerLedger;
    const previous = hashes.get(sequence - 1) ?? "0".repeat(64);
    const at = { sequence, closeTime, previous, isVotedAway };
    const { hash, ledger } = ledgerOf(view, copies, at, options.headerAs);
    hashes.set(sequence, hash);
    made.set(sequence, ledger);
    for (const oldest of made.keys()) if (made.size > MADE_LEDGERS) made.delete(oldest);
    return ledger;
  };
  const ledgers: LedgerChain = {
    passphrase: network.passphrase,
    first: FIRST,
    bytes,
    entry: (key) => (chain.leavesOut(key) ? null : (known.get(key) ?? null)),
  };
  const node: MadeNode = {
    tip: () => chain.tip,
    instead(method) {
      const counted = chain.down ? "refused" : method;
      requests.set(counted, (requests.get(counted) ?? 0) + 1);
      return chain.down ? new Response("busy", { status: 503 }) : null;
    },
  };
  const spoilt = { ...ledgers, bytes: (at: number) => chain.spoil(at, bytes(at)) };
  const served = serveNetwork(spoilt, { nodes: () => node });
  const chain: LongChain = {
    ...ledgers,
    tip: FIRST,
    down: false,
    divergent: null,
    spoil: (_sequence, ledger) => ledger,
    leavesOut: () => false,
    votedAway: null,
    requests,
    url: served.rpcUrl(""),
    serveLake(lake) {
      chain.tip = lake.last;
      const beside = serveNetwork(ledgers, {
        lake,
        nodes: () => ({ ...node, hasLedgers: false }),
      });
      return { ...beside, rpcUrl: beside.rpcUrl("") };
    },
    [Symbol.asyncDispose]: () => served[Symbol.asyncDispose](),
  };
  return chain;
}

interface Template {
  readonly view: LedgerCloseMetaView;
  readonly ledger: number;
  readonly envelope: Uint8Array;
  /** Result, fee changes, meta, refund changes: of TransactionResultMetaV1, without the hash. */
  readonly processing: Uint8Array;
  readonly resultLength: number;
  readonly sourceKey: Uint8Array;
  readonly network: Uint8Array;
}

function readTemplate(network: RecordedNetwork, name: string): Template {
  const recorded = network.transactions.find((each) => each.name === name);
  const view = network.view(recorded?.ledger ?? 0);
  const found = view?.transactions.find(({ hash }) => hash === recorded?.hash);
  if (view == null || found === undefined) throw new Error(`${name} is not recorded`);
  const { envelope } = found.placed;
  const { result, feeChanges, meta, refundChanges } = found;
  return {
    view,
    ledger: recorded?.ledger ?? 0,
    envelope,
    resultLength: result.length,
    processing: Buffer.concat([result, feeChanges, meta, refundChanges ?? words(0)]),
    sourceKey: decodeAccountKey(readEnvelopeFacts(envelope).sourceAccount) ?? new Uint8Array(),
    network: networkId(network.passphrase),
  };
}

/** What the transactions read, as it was before each of them, and the settings. */
function knownEntries(
  network: RecordedNetwork,
  templates: readonly Template[],
): Map<string, RpcEntry> {
  const entries = templates.flatMap(({ envelope, ledger }) => {
    const { soroban } = readEnvelopeFacts(envelope);
    const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
    return network.entries([...readOnly, ...readWrite], ledger - 1);
  });
  return new Map([...entries, ...network.settingEntries].map((entry) => [entry.key, entry]));
}

interface Copy {
  readonly envelope: Uint8Array;
  /** TransactionResultPair. */
  readonly result: Uint8Array;
  readonly processing: Uint8Array;
}

function copyOf(template: Template, sequence: number, index: number): Copy {
  const key = new Uint8Array(sha256(Buffer.from(`${sequence} ${index}`)));
  const envelope = replaced(template.envelope, template.sourceKey, key);
  const hash = Buffer.from(hashOfEnvelope(envelope, template.network), "hex");
  const rest = replaced(template.processing, template.sourceKey, key);
  const result = Buffer.concat([hash, rest.subarray(0, template.resultLength)]);
  return { envelope, result, processing: Buffer.concat([words(0), hash, rest]) };
}

/** The last byte of its result's fee is another, in the ledger's results and in their hash. */
function withOtherFee({ envelope, result, processing }: Copy): Copy {
  const changed = (bytes: Uint8Array, feeAt: number) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(copy.readUInt8(feeAt + 7) ^ 1, feeAt + 7);
    return copy;
  };
  // The hash stands before it, and in the processing an extension too.
  return { envelope, result: changed(result, 32), processing: changed(processing, 36) };
}

function replaced(bytes: Uint8Array, from: Uint8Array, to: Uint8Array): Uint8Array {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(from); at !== -1; at = copy.indexOf(from, at + 32)) copy.set(to, at);
  return copy;
}

/** LedgerCloseMetaV2 with all transactions in one cluster of the parallel phase. */
function ledgerOf(
  { facts, nextRentFeePer1KbStroops, averageStateSizeBytes }: LedgerCloseMetaView,
  copies: readonly Copy[],
  at: {
    readonly sequence: number;
    readonly closeTime: number;
    readonly previous: string;
    readonly isVotedAway: boolean;
  },
  headerAs: LongChainOptions["headerAs"] = (header) => header,
) {
  const { sequence, closeTime, previous: previousHash, isVotedAway } = at;
  const json = LedgerHeader.fromXdr(facts.header).toJson() as Record<string, never> & {
    scp_value: Record<string, unknown>;
  };
  const envelopes = copies.map(({ envelope }) => envelope);
  const transactionSet = Buffer.concat([
    // Generalized: the classic phase is empty; the parallel one has one stage of one cluster.
    ...[words(1), Buffer.from(previousHash, "hex"), words(2, 0, 0, 1, 0)],
    ...(copies.length === 0 ? [words(0)] : [words(1, 1, copies.length), ...envelopes]),
  ]);
  const made = LedgerHeader.fromJson({
    ...json,
    ledger_seq: sequence,
    previous_ledger_hash: previousHash,
    tx_set_result_hash: sha256(words(copies.length), ...copies.map(({ result }) => result)).toHex(),
    scp_value: {
      ...json.scp_value,
      close_time: String(closeTime),
      tx_set_hash: sha256(transactionSet).toHex(),
      ...(isVotedAway && votedAway(json, previousHash)),
    },
  } as never).toXdr();
  const header = encodeBytes("LedgerHeader", headerAs(decodeBytes("LedgerHeader", made)));
  const hash = sha256(header);
  const rentFee = Buffer.alloc(8);
  rentFee.writeBigInt64BE(BigInt(nextRentFeePer1KbStroops ?? "0"));
  const stateSize = Buffer.alloc(8);
  stateSize.writeBigUInt64BE(BigInt(averageStateSizeBytes ?? "0"));
  const ledger = Buffer.concat([
    ...[words(2, 1, 0), rentFee, hash, header, words(0)],
    transactionSet,
    words(copies.length),
    ...copies.map(({ processing }) => processing),
    ...[words(0, 0), stateSize, words(0)],
  ]);
  return { hash: hash.toHex(), ledger };
}

/** What the validators agreed on in place of a set that was proposed (CAP-83). */
function votedAway(
  json: { readonly scp_value: Record<string, unknown> } & Record<string, unknown>,
  previousHash: string,
) {
  const { signed } = json.scp_value.ext as { readonly signed: unknown };
  const proposed = {
    tx_set_hash: json.scp_value.tx_set_hash,
    previous_ledger_hash: previousHash,
    previous_ledger_version: json.ledger_version,
    lc_value_signature: signed,
  };
  return { tx_set_hash: "0".repeat(64), ext: { empty_tx_set: proposed } };
}

function words(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeInt32BE(value, 4 * i);
  return bytes;
}
