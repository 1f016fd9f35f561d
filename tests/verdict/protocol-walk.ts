// The fixtures of the wire protocol as walks: the request becomes the ChainRecord and the Snapshot,
// svc-sim's response the Execution. All are real transactions of one local network.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Execution } from "../../src/model/execution.ts";
import type { Provenance } from "../../src/model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import { readResponse } from "../../src/simulator/read-response.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";

export interface Walk {
  readonly name: string;
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
  readonly execution: Execution;
}

const FOLDER = join(import.meta.dir, "..", "fixtures", "protocol");
const KNOWN: Provenance = { kind: "meta", detail: "given by the fixture" };

export function protocolWalks(): Walk[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => walkOf(name.replace(/\.json$/, "")));
}

/** The requests of the fixtures as they are. */
export function protocolRequests(): { readonly name: string; readonly request: ReplayRequest }[] {
  return protocolWalks().map(({ name }) => ({ name, request: fixtureOf(name).request }));
}

function fixtureOf(name: string) {
  const text = readFileSync(join(FOLDER, `${name}.json`), "utf8");
  return JSON.parse(text) as {
    request: ReplayRequest;
    chain: { result_xdr: string };
    response: Record<string, unknown>;
  };
}

export function walkOf(name: string): Walk {
  const { request, chain, response } = fixtureOf(name);
  const document = { host_nanoseconds: 0, ...response };
  const execution = readResponse(document, "", { path: "svc-sim", stderr: "" });
  return {
    name,
    record: recordOf(request, chain.result_xdr, execution.transactionHash),
    snapshot: snapshotOf(request),
    execution,
  };
}

function recordOf(request: ReplayRequest, resultXdr: string, hash: string): ChainRecord {
  const ledger = request.ledger ?? {};
  return {
    requestedHash: hash,
    hash,
    innerHash: openEnvelope(request.envelope_xdr, ledger.network_passphrase ?? "").innerHash,
    networkPassphrase: ledger.network_passphrase ?? "",
    envelopeXdr: request.envelope_xdr,
    resultXdr,
    resultMetaXdr: request.result_meta_xdr === "" ? null : request.result_meta_xdr,
    feeChangesXdr: null,
    refundChangesXdr: null,
    diagnosticEventsXdr: [],
    ledger: {
      sequence: ledger.sequence ?? 0,
      protocolVersion: ledger.protocol_version ?? 0,
      closeTimeUnixSeconds: String(ledger.close_time_unix_seconds ?? "0"),
      baseFeeStroops: 100,
      baseReserveStroops: ledger.base_reserve_stroops ?? 0,
      transactionSetHash: ledger.base_prng_seed ?? "",
    },
    applicationOrder: ledger.application_order ?? 1,
    origins: {},
  };
}

function snapshotOf(request: ReplayRequest): Snapshot {
  const entries = Object.entries(request.ledger_entries).map(([keyXdr, entry]): SnapshotEntry => {
    const given = typeof entry === "string" ? { entry_xdr: entry } : entry;
    return {
      keyXdr,
      entryXdr: given?.entry_xdr ?? null,
      liveUntilLedger:
        given !== null && "live_until_ledger" in given ? given.live_until_ledger : null,
      archived: given !== null && "archived" in given && given.archived === true,
      codeCached: null,
      provenance: KNOWN,
      ttlProvenance: KNOWN,
    } as SnapshotEntry;
  });
  return { entries, settings: [], rentFeePer1KbStroops: null, unknown: [] };
}
