// getLedgers and getLatestLedger of Stellar RPC, and what nodes report about their ledgers.

import { toJson } from "../../xdr/reader/to-json.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import type { Fork } from "../fork.ts";
import type { ClosedLedger, ForkTip } from "../ledger/chain.ts";
import { rangeOf } from "./ledger-range.ts";
import { AnswerPage } from "./page.ts";
import { type Format, formatOf, readParameters, refusal } from "./refusal.ts";
import { checkPage, pagedSchema } from "./transactions.ts";

const MOST_LEDGERS = 200;
const USUAL_LEDGERS = 50;

export async function getLedgers(fork: Fork, parameters: unknown) {
  const { startLedger, pagination, xdrFormat } = readParameters(pagedSchema, parameters);
  const range = rangeOf(fork);
  checkPage({ startLedger, pagination }, MOST_LEDGERS, range);
  const format = formatOf(xdrFormat);
  const { oldestLedger, latestLedger } = range;
  const written = pagination?.cursor ?? "";
  const start = written === "" ? startLedger : Number(written) + 1;
  if (!/^\d{0,10}$/.test(written) || start < oldestLedger || start > latestLedger)
    throw refusal(
      `cursor ('${written.slice(0, 60)}') must be between the oldest ledger: ${oldestLedger} and ` +
        `the latest ledger: ${latestLedger} for this rpc instance`,
    );
  const limit = pagination?.limit || USUAL_LEDGERS;
  const page = new AnswerPage(format);
  const ledgers: ReturnType<typeof infoOf>[] = [];
  for (const ledger of fork.history.range(start, latestLedger).slice(0, limit)) {
    // It is made when it is read.
    const { ledgerCloseMetaXdr } = ledger;
    ledgers.push(infoOf(ledger, ledgerCloseMetaXdr, format));
    page.add(ledgerCloseMetaXdr.length);
    if (page.isFull) break;
    await page.portion(ledgerCloseMetaXdr.length);
  }
  return {
    ledgers,
    latestLedger,
    latestLedgerCloseTime: Number(range.latestCloseTime),
    oldestLedger,
    oldestLedgerCloseTime: Number(range.oldestCloseTime),
    cursor: String(ledgers.at(-1)?.sequence ?? (written === "" ? start - 1 : written)),
  };
}

export function getLatestLedger(fork: Fork) {
  const { latest } = fork.chain;
  const ledger = fork.history.get(latest.sequence);
  return {
    id: latest.hash,
    protocolVersion: latest.protocolVersion,
    sequence: latest.sequence,
    closeTime: latest.closeTimeUnixSeconds,
    headerXdr: latest.headerXdr,
    metadataXdr: ledger?.ledgerCloseMetaXdr ?? fork.baseMetaXdr ?? withoutTransactions(latest),
  };
}

function infoOf(ledger: ClosedLedger, ledgerCloseMetaXdr: string, format: Format) {
  const header = historyEntry(ledger);
  return {
    hash: ledger.hash,
    sequence: ledger.sequence,
    ledgerCloseTime: ledger.closeTimeUnixSeconds,
    ...(format === "json"
      ? {
          headerXdr: "",
          headerJson: toJson("LedgerHeaderHistoryEntry", header),
          metadataXdr: "",
          metadataJson: toJson("LedgerCloseMeta", decode("LedgerCloseMeta", ledgerCloseMetaXdr)),
        }
      : {
          headerXdr: encode("LedgerHeaderHistoryEntry", header),
          metadataXdr: ledgerCloseMetaXdr,
        }),
  };
}

function historyEntry({ hash, headerXdr }: ForkTip): Value<"LedgerHeaderHistoryEntry"> {
  const header = decode("LedgerHeader", headerXdr);
  return { hash: Buffer.from(hash, "hex"), header, ext: { v: 0 } };
}

/** The forked ledger, if no source has its transactions, because clients need a meta. */
function withoutTransactions(tip: ForkTip): string {
  const previousLedgerHash = decode("LedgerHeader", tip.headerXdr).previousLedgerHash;
  return encode("LedgerCloseMeta", {
    v: 1,
    v1: {
      ext: { v: 0 },
      ledgerHeader: historyEntry(tip),
      txSet: { v: 1, v1TxSet: { previousLedgerHash, phases: [] } },
      txProcessing: [],
      upgradesProcessing: [],
      scpInfo: [],
      evictedKeys: [],
      unused: [],
      totalByteSizeOfLiveSorobanState: 0n,
    },
  });
}
