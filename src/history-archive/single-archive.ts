// One history archive: the state of its ledgers, and whether validators signed a recorded
// transaction.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import { type ChainRecord, seedOrder } from "../model/chain-record.ts";
import { hasEnoughSignatures } from "../model/state/proven-state.ts";
import { hashOfEnvelope } from "../xdr/envelope/envelope-facts.ts";
import { headerFacts } from "../xdr/ledger/facts-before-upgrades.ts";
import { readLedgerHeader } from "../xdr/ledger/header.ts";
import { networkId, sha256 } from "../xdr/reader/hash.ts";
import { describeKey } from "../xdr/values/value.ts";
import { checkpointOf } from "./archive-files.ts";
import { readArchivedFacts, readArchivedLedger } from "./archived-ledger.ts";
import type { BucketStore } from "./bucket-store.ts";
import type { ArchivedChain } from "./chain.ts";
import type { Allowance } from "./download-allowance.ts";
import { behind, lacking } from "./errors.ts";
import type { EntryBefore, OpenedArchive } from "./opened-archive.ts";
import { StateReader } from "./state-at.ts";
import type { Validators } from "./validators.ts";

const SHOWN_CHARACTERS = 2_000;

/** The network, whose signatures count, and where buckets are kept. */
export interface SingleArchiveOptions {
  readonly network: string;
  readonly networkPassphrase: string;
  readonly validators: Validators;
  readonly store: BucketStore;
  readonly allowance: Allowance;
}

/** Opens one archive by its chain. */
export function openSingleArchive(
  chain: ArchivedChain,
  { network, networkPassphrase, store, allowance }: SingleArchiveOptions,
): Omit<OpenedArchive, "excerpt"> {
  const { archive } = chain;
  const states = new StateReader({ chain, store, networkPassphrase, ...allowance });
  const latestLedger = archive.latestCheckpoint - archive.ledgersPerCheckpoint;
  return {
    name: archive.name,
    latestLedger,
    ask: (question) => question({ name: archive.name, chain, states }),
    async report(keyXdr, ledger, before = null) {
      const key = Uint8Array.fromBase64(keyXdr);
      const place = { network, archive: archive.name, ledger, keyXdr };
      const named = { ...place, key: describeKey(keyXdr, SHOWN_CHARACTERS) };
      const shown = (state: EntryBefore) => {
        if (state.entry.kind !== "unknown" || !states.hasClassic) return { ...named, ...state };
        const after = checkpointOf(ledger, archive);
        const all = [after - archive.ledgersPerCheckpoint, after];
        const checkpoints = all.filter((each) => each > 0 && each <= latestLedger);
        return { ...named, ...state, checkpoints };
      };
      if (before === null) return shown(await states.at(key, ledger));
      const { transactions } = await readArchivedLedger(chain, ledger, networkPassphrase);
      const transaction = transactions.find(({ record }) =>
        [record.hash, record.innerHash].includes(before),
      );
      if (transaction === undefined) throw lacking(`transaction ${before} in ledger ${ledger}`);
      const { hash } = transaction.record;
      return { ...shown(await states.before(key, ledger, hash)), before: hash };
    },
    before: (keyXdr, ledger, hash) => states.before(Uint8Array.fromBase64(keyXdr), ledger, hash),
    checkRecord: (record) => isRecordSigned(chain, record, latestLedger, networkPassphrase),
  };
}

/**
 * Returns true if validators signed the ledger of the transaction, with the result, the place and
 * the header that the record has.
 */
async function isRecordSigned(
  chain: ArchivedChain,
  record: ChainRecord,
  latestLedger: number,
  networkPassphrase: string,
): Promise<boolean> {
  const { hash, ledger, ledgerHeaderXdr } = record;
  const { sequence } = ledger;
  if (sequence > latestLedger) throw behind("signatures for", sequence, latestLedger);
  const id = networkId(networkPassphrase);
  const envelopes = await chain.envelopes(sequence);
  const isIn = envelopes.some((envelope) => hashOfEnvelope(envelope, id) === hash);
  if (!hasEnoughSignatures(await chain.signatures(sequence))) {
    if (isIn) return false;
    throw lacking(`transaction ${hash} in its ledger ${sequence}`);
  }
  if (!isIn)
    throw contradicted(hash, `Validators signed ledger ${sequence} without transaction ${hash}.`);
  const other = (part: string) =>
    contradicted(
      hash,
      `Validators signed another ${part} of transaction ${hash} than is recorded.`,
    );
  const { bytes, order } = await chain.result(sequence, hash);
  if (bytes.toBase64() !== record.resultXdr) throw other("result");
  // The verdict names the facts that are assumed.
  const isAssumed = record.assumedFacts !== undefined;
  // The random numbers of the transaction follow from its position.
  if (!isAssumed && seedOrder(record) !== order) throw other("place in the ledger");
  if (ledgerHeaderXdr === undefined) return true;
  const own = await chain.header(sequence);
  if (sha256(readLedgerHeader(ledgerHeaderXdr).header).toHex() !== own.hash)
    throw other("ledger header");
  // Upgrades come after the transactions, so the header before has the facts that these ran
  // under.
  const facts = await readArchivedFacts(chain, own);
  if (!isAssumed && JSON.stringify(facts) !== JSON.stringify(headerFacts(ledger)))
    throw other("protocol, base fee or base reserve for the ledger");
  return true;
}

function contradicted(hash: string, message: string): SvcError {
  return new SvcError("NODE_LIED", {
    message,
    remedy: phrase`Debug it by its hash, with another node: set one with ${flag("rpcUrl")}.`,
    details: { hash },
  });
}
