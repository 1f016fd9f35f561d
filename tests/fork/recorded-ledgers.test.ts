// Ledgers of a recorded network and of public ones, each closed again by a fork of the ledger
// before it: the state before is what nodes answered, and what the ledger's own metas show.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { ForkEntry } from "../../src/fork/ledger/chain.ts";
import { isSoroban, unsupportedOperation } from "../../src/fork/ledger/known-operations.ts";
import { NETWORKS } from "../../src/model/networks.ts";
import { readLedgerFile } from "../../src/sources/files/ledger-file.ts";
import type { Envelope } from "../../src/xdr/envelope/envelope.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readTransactionResult } from "../../src/xdr/outcome/result.ts";
import { accountKeyOf, ENTRY_TYPE, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { compareLedger, firstStates, nothingClosed } from "../support/closed-stream.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { accountEntry } from "../support/made-fork.ts";
import { needs } from "../support/needs.ts";
import { RecordedNetwork, type RpcEntry } from "../support/recorded-network.ts";
import { openTestSimulator } from "../support/simulator.ts";

const simulator = openTestSimulator();

const headerOf = ({ facts }: LedgerCloseMetaView) => Buffer.from(facts.header).toString("base64");

function entryOf({ xdr, lastModifiedLedgerSeq, extXdr }: RpcEntry): string {
  const modified = Buffer.alloc(4);
  modified.writeUInt32BE(lastModifiedLedgerSeq);
  return Buffer.concat([
    modified,
    ...[xdr, extXdr].map((each) => Buffer.from(each, "base64")),
  ]).toString("base64");
}

function classic(entryXdr: string | null): ForkEntry | null {
  if (entryXdr === null) return null;
  return { entryXdr, liveUntilLedger: null, archived: false, provenance: null };
}

/** Until then the network had settings that no recorded ledger shows. */
const SETTINGS_SINCE = 116;
/** Restored in place or from the hot archive: no node says which it was, and metas differ. */
const UNKNOWN_ARCHIVE = [430, 439];

test("the recorded network's transactions end as it recorded them", async () => {
  const network = new RecordedNetwork();
  const count = nothingClosed();
  for (const sequence of network.sequences) {
    const view = network.view(sequence);
    const previous = network.view(sequence - 1);
    if (view === null || previous === null || sequence < SETTINGS_SINCE) continue;
    const states = firstStates(view);
    const entry = (keyXdr: string): ForkEntry | null => {
      const known = states.get(keyXdr);
      if (typeOfKey(keyXdr) <= ENTRY_TYPE.trustline && known !== undefined) return classic(known);
      const [found] = network.entries([keyXdr], sequence - 1);
      if (found === undefined) return null;
      const liveUntilLedger = found.liveUntilLedgerSeq || null;
      const archived = found.liveUntilLedgerSeq === 0;
      return { entryXdr: entryOf(found), liveUntilLedger, archived, provenance: null };
    };
    const before = {
      ...{ networkPassphrase: network.passphrase, headerXdr: headerOf(previous) },
      ...{ hash: previous.facts.hash ?? "", settingsXdr: network.settingEntries.map(entryOf) },
      rentFeePer1KbStroops: previous.nextRentFeePer1KbStroops,
      ...{ entry, takesOver: unsupportedOperation },
    };
    await compareLedger(before, view, [simulator], count);
  }
  const unexpected = count.differences.filter(({ ledger }) => !UNKNOWN_ARCHIVE.includes(ledger));
  expect(unexpected).toEqual([]);
  expect(count.differences.map(({ ledger, what }) => [ledger, what])).toEqual(
    UNKNOWN_ARCHIVE.map((ledger) => [ledger, "operations"]),
  );
  expect([count.closed, count.equal]).toEqual([165, 163]);
}, 120_000);

const files = hasCorpus("mainnet-ledgers") ? readdirSync(corpusPath("mainnet-ledgers")) : [];

needs("../shared/corpus", files.length > 0).test(
  "classic transactions of public ledgers end as they did there",
  async () => {
    const count = nothingClosed();
    for (const file of files) {
      const { passphrase } = file.startsWith("testnet") ? NETWORKS.testnet : NETWORKS.mainnet;
      const path = corpusPath("mainnet-ledgers", file);
      for await (const { ledgerCloseMeta } of readLedgerFile(path, { signal: NEVER_ABORTED })) {
        const view = readLedgerCloseMeta(ledgerCloseMeta, passphrase);
        await compareLedger(ofPublicLedger(view, passphrase), view, [NEVER_RUN], count);
      }
    }
    expect(count.differences).toEqual([]);
    expect(count.closed).toBe(40);
  },
);

const NEVER_RUN = { replay: () => Promise.reject(new Error("classic transactions alone")) };

/** Accounts that are only looked at are in no meta: that they exist is what there is to know. */
function ofPublicLedger(view: LedgerCloseMetaView, networkPassphrase: string) {
  const states = firstStates(view);
  const failed = new Set(
    view.transactions.flatMap(({ hash, resultXdr }) =>
      readTransactionResult(resultXdr).success ? [] : hash,
    ),
  );
  const isUnknown = ({ hash, terms }: Envelope) =>
    failed.has(hash) || terms.signers.some((each) => !states.has(accountKeyOf(each)));
  const entry = (keyXdr: string) => {
    const known = states.get(keyXdr);
    const key = decode("LedgerKey", keyXdr);
    if (known !== undefined || key.type !== ENTRY_TYPE.account) return classic(known ?? null);
    const address = encodeStrkey("account", key.account.accountId.ed25519);
    return classic(accountEntry(address, 10n ** 9n));
  };
  return {
    ...{ networkPassphrase, headerXdr: headerOf(view), hash: view.facts.hash ?? "", entry },
    ...{ settingsXdr: [], rentFeePer1KbStroops: null },
    takesOver: (envelope: Envelope) =>
      isSoroban(envelope) || isUnknown(envelope)
        ? "not shown by the ledger"
        : unsupportedOperation(envelope),
  };
}
