// A network's history from its beginning, closed by one fork of its first ledger: a history archive
// has the transactions and results, and no metas. What a fork does not know costs its fee and its
// sequence number here, and the accounts in it are no longer compared.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { ClosedLedger, ForkChain, Placed } from "../../src/fork/ledger/chain.ts";
import { unsupportedOperation } from "../../src/fork/ledger/known-operations.ts";
import { openChain } from "../../src/fork/ledger/open-chain.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { genesisAccount } from "../../src/xdr/ledger/genesis.ts";
import { STATE_SIZE_WINDOW_ID } from "../../src/xdr/ledger/settings.ts";
import { accountKeyOf, ENTRY_TYPE, keyOfEntry } from "../../src/xdr/reader/keys.ts";
import type { TypeName } from "../../src/xdr/reader/schema.ts";
import { decode, decodeBytes, encode, type Value } from "../../src/xdr/reader/value.ts";
import { initialSettings } from "./initial-settings.ts";
import { NEVER_ABORTED } from "./loopback-walk.ts";

export interface ClosedArchive {
  transactions: number;
  equal: number;
  /** Not equal, and of accounts that something unknown was done to before. */
  unknown: number;
  readonly different: { readonly ledger: number; readonly hash: string }[];
  /** Ledgers whose fee pool was not the recorded one. */
  readonly otherFeePools: number[];
  readonly takenOver: Map<string, number>;
  /** Accounts that something was done to which the fork's ledgers do not show. */
  readonly unknownAccounts: Set<string>;
}

const CONTEXT = { signal: NEVER_ABORTED };
/** Of the state size, which rent follows: one of every 64 ledgers, as many as the window has. */
const SAMPLE_PERIOD = 64;
const SAMPLES = 30;

/** `first`: the ledger whose upgrade brought the network to the protocol; nothing was sent before. */
export async function closeArchive(
  root: string,
  { networkPassphrase, first, last }: { networkPassphrase: string; first: number; last: number },
  simulator: Pick<Simulator, "replay">,
  onLedger: (ledger: ClosedLedger) => void,
): Promise<ClosedArchive> {
  const headers = byLedger(root, "ledger", "LedgerHeaderHistoryEntry", (e) => e.header.ledgerSeq);
  const sets = byLedger(root, "transactions", "TransactionHistoryEntry", (e) => e.ledgerSeq);
  const results = byLedger(root, "results", "TransactionHistoryResultEntry", (e) => e.ledgerSeq);
  const chain = openAt(networkPassphrase, headers.get(first), simulator);
  const sizes = new BucketSizes(root);
  const unknown = new Set<string>();
  const count: ClosedArchive = {
    ...{ transactions: 0, equal: 0, unknown: 0, different: [], otherFeePools: [] },
    ...{ takenOver: new Map(), unknownAccounts: unknown },
  };
  let feesTakenOver = 0n;
  for (let sequence = first + 1; sequence <= last; sequence += 1) {
    const header = headers.get(sequence)?.header;
    if (header === undefined) throw new Error(`no header of ledger ${sequence}`);
    const set = sets.get(sequence);
    const at = {
      ...{ ...CONTEXT, sequence, closeTimeUnixSeconds: header.scpValue.closeTime },
      transactionSetHash: header.scpValue.txSetHash.toHex(),
    };
    if (set === undefined) onLedger(await chain.close([], at));
    else {
      const recorded = results.get(sequence)?.txResultSet.results ?? [];
      const envelopes = envelopesOf(set, networkPassphrase);
      const known = recorded.map(({ transactionHash, result }) => {
        const found = envelopes.get(transactionHash.toHex());
        if (found === undefined) throw new Error("a result without its envelope");
        return { ...found, result, unsupported: unsupportedOperation(found.envelope) };
      });
      const ledger = await chain.close(
        known.flatMap(({ placed, unsupported }) => (unsupported === null ? placed : [])),
        at,
      );
      onLedger(ledger);
      const closed = new Map(ledger.transactions.map((each) => [each.hash, each.resultXdr]));
      for (const { envelope, result, unsupported } of known) {
        const accounts = accountsIn(envelope);
        const isUnknown = accounts.some((each) => unknown.has(each));
        if (unsupported !== null) {
          count.takenOver.set(unsupported, (count.takenOver.get(unsupported) ?? 0) + 1);
          await takeOver(chain, envelope, result.feeCharged);
          feesTakenOver += result.feeCharged;
        } else {
          count.transactions += 1;
          const isEqual = closed.get(envelope.hash) === encode("TransactionResult", result);
          if (isEqual) count.equal += 1;
          else if (isUnknown) count.unknown += 1;
          else count.different.push({ ledger: sequence, hash: envelope.hash });
          if (isEqual) continue;
        }
        for (const account of accounts) unknown.add(account);
      }
      const { feePool } = decode("LedgerHeader", ledger.headerXdr);
      if (feePool + feesTakenOver !== header.feePool) count.otherFeePools.push(sequence);
    }
    if (sequence % SAMPLE_PERIOD === 0) chain.put({ entryXdr: sizes.window(sequence) });
    for (const upgrade of header.scpValue.upgrades) await applyUpgrade(chain, upgrade, sequence);
  }
  return count;
}

function* frames(path: string): Generator<Uint8Array> {
  const bytes = Bun.gunzipSync(readFileSync(path));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + (view.getUint32(at) & 0x7fffffff);
    yield bytes.subarray(at + 4, end);
    at = end;
  }
}

function byLedger<Name extends TypeName>(
  root: string,
  directory: string,
  type: Name,
  sequenceOf: (entry: Value<Name>) => number,
): ReadonlyMap<number, Value<Name>> {
  const entries = new Map<number, Value<Name>>();
  for (const path of new Bun.Glob(`${directory}/**/*.xdr.gz`).scanSync(root))
    for (const frame of frames(join(root, path))) {
      const entry = decodeBytes(type, frame);
      entries.set(sequenceOf(entry), entry);
    }
  return entries;
}

function openAt(
  networkPassphrase: string,
  entry: Value<"LedgerHeaderHistoryEntry"> | undefined,
  simulator: Pick<Simulator, "replay">,
): ForkChain {
  if (entry === undefined) throw new Error("no header of the first ledger");
  const entryXdr = genesisAccount(networkPassphrase).toBase64();
  const root = keyOfEntry(entryXdr);
  const genesis = { entryXdr, liveUntilLedger: null, archived: false, provenance: null };
  const settings = [...initialSettings(entry.header.ledgerVersion).values()];
  return openChain(
    {
      ...{ networkPassphrase, headerXdr: encode("LedgerHeader", entry.header) },
      ...{ ledgerHash: entry.hash.toHex(), rentFeePer1KbStroops: null },
      settingsXdr: [...settings, windowOf(Array(SAMPLES).fill(0n), 1)],
      entries: async (keys) => new Map(keys.map((key) => [key, key === root ? genesis : null])),
    },
    simulator,
  );
}

function windowOf(liveSorobanStateSizeWindow: readonly bigint[], ledger: number): string {
  const configSetting = {
    configSettingID: STATE_SIZE_WINDOW_ID,
    liveSorobanStateSizeWindow,
  } as const;
  const data = { type: ENTRY_TYPE.configSetting, configSetting } as const;
  return encode("LedgerEntry", { lastModifiedLedgerSeq: ledger, data, ext: { v: 0 } });
}

/** Before protocol 23, the size of the whole bucket list, as its files have it. */
class BucketSizes {
  private samples: bigint[] = Array(SAMPLES).fill(0n);
  private readonly known = new Map<string, bigint>();
  private readonly buckets: ReadonlyMap<string, string>;
  private readonly states: ReadonlyMap<number, string>;

  constructor(root: string) {
    const named = (pattern: string) =>
      [...new Bun.Glob(pattern).scanSync(root)].map((path) => {
        return [/-([0-9a-f]+)\./.exec(path)?.[1] ?? "", join(root, path)] as const;
      });
    this.buckets = new Map(named("bucket/**/*.xdr.gz"));
    this.states = new Map(
      named("history/**/*.json").map(([name, path]) => [Number.parseInt(name, 16), path]),
    );
  }

  /** With the size that the ledger before left: a checkpoint. */
  window(sequence: number): string {
    const state = JSON.parse(readFileSync(this.states.get(sequence - 1) ?? "", "utf8")) as {
      currentBuckets: { curr: string; snap: string }[];
    };
    const sizes = state.currentBuckets.flatMap(({ curr, snap }) => [curr, snap]);
    const size = sizes.reduce((sum, hash) => sum + this.sizeOf(hash), 0n);
    this.samples = [...this.samples.slice(1), size];
    return windowOf(this.samples, sequence);
  }

  private sizeOf(hash: string): bigint {
    if (/^0+$/.test(hash)) return 0n;
    let size = this.known.get(hash);
    size ??= BigInt(Bun.gunzipSync(readFileSync(this.buckets.get(hash) ?? "")).length);
    this.known.set(hash, size);
    return size;
  }
}

interface Sent {
  readonly envelope: Envelope;
  readonly placed: Placed;
}

function envelopesOf(
  { txSet, ext }: Value<"TransactionHistoryEntry">,
  networkPassphrase: string,
): ReadonlyMap<string, Sent> {
  const phases = ext.v === 1 ? ext.generalizedTxSet.v1TxSet.phases : [];
  const components = phases.flatMap((phase) => (phase.v === 0 ? phase.v0Components : []));
  const sets = [
    ...(ext.v === 1 ? [] : [{ txs: txSet.txs }]),
    ...components.map((component) => component.txsMaybeDiscountedFee),
  ];
  const sent = new Map<string, Sent>();
  for (const { txs, ...set } of sets) {
    for (const tx of txs) {
      const envelopeXdr = encode("TransactionEnvelope", tx);
      const envelope = openEnvelope(envelopeXdr, networkPassphrase);
      const fee = "baseFee" in set ? { baseFeeStroops: set.baseFee } : {};
      sent.set(envelope.hash, { envelope, placed: { envelopeXdr, ...fee } });
    }
  }
  return sent;
}

/** Every account that is named in the envelope. */
function accountsIn({ decoded }: Envelope): string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [name, part] of Object.entries(value)) {
      if (name === "ed25519" && part instanceof Uint8Array)
        found.add(encodeStrkey("account", part));
      else if (!(part instanceof Uint8Array)) walk(part);
    }
  };
  walk(decoded);
  return [...found];
}

async function takeOver(chain: ForkChain, { terms }: Envelope, fee: bigint): Promise<void> {
  const change = async (address: string, by: (account: Value<"AccountEntry">) => object) => {
    const key = accountKeyOf(address);
    const held = (await chain.read([key], CONTEXT)).get(key);
    const entry = decode("LedgerEntry", held?.entryXdr ?? "");
    if (entry.data.type !== ENTRY_TYPE.account) throw new Error("no account");
    const account = { ...entry.data.account, ...by(entry.data.account) };
    chain.put({ entryXdr: encode("LedgerEntry", { ...entry, data: { ...entry.data, account } }) });
  };
  await change(terms.payer, ({ balance }) => ({ balance: balance - fee }));
  await change(terms.source, () => ({ seqNum: terms.sequence }));
}

/** Settings that validators agreed on, which a contract's data has. */
async function applyUpgrade(chain: ForkChain, upgrade: Uint8Array, sequence: number) {
  const read = decodeBytes("LedgerUpgrade", upgrade);
  if (read.type !== 6) return;
  const { contractId, contentHash } = read.newConfig;
  const contract = { type: 1, contractId } as const;
  const hash = { type: 13, bytes: contentHash } as const;
  const contractData = { contract, key: hash, durability: 0 };
  const key = encode("LedgerKey", { type: ENTRY_TYPE.contractData, contractData });
  const held = (await chain.read([key], CONTEXT)).get(key);
  const { data } = decode("LedgerEntry", held?.entryXdr ?? "");
  if (data.type !== ENTRY_TYPE.contractData || data.contractData.val.type !== 13)
    throw new Error("no settings to upgrade to");
  const { updatedEntry } = decodeBytes("ConfigUpgradeSet", data.contractData.val.bytes);
  for (const configSetting of updatedEntry) {
    const entry = { lastModifiedLedgerSeq: sequence, data: { type: 8, configSetting } } as const;
    chain.put({ entryXdr: encode("LedgerEntry", { ...entry, ext: { v: 0 } }) });
  }
}
