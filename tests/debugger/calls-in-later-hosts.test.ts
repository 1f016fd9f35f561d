// Recorded calls of protocol 28, run by the hosts of protocols 29 and 30: the same outcome, return
// value, events and changes of the ledger. What differs has one of the reasons below, each of which
// is in docs/internals/conformance.md; metering, and the rent that depends on it, is the host's own.

import { beforeAll, describe, expect, test } from "bun:test";
import type { Execution } from "../../src/model/execution.ts";
import { replayRequest } from "../../src/simulator/requests.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import { toJson } from "../../src/xdr/reader/to-json.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { captureRecorded, type RecordedWalk } from "../support/recorded-walks.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { protocolRequests } from "../verdict/protocol-walk.ts";

const RECORDED = 28;
const simulator = openTestSimulator();

/** From protocol 29 on a host counts other things in uploaded code (parsed_module.rs). */
const UPLOADS = [
  ...["auth", "complex", "constructor", "create_contract", "deployer_with_constructor", "err"],
  ...["hostile", "invoke_contract", "kitchen", "simple account"],
].map((code) => `upload ${code} wasm`);
/** It stores the protocol that it runs under. */
const STORES_PROTOCOL = "complex go (ledger info, events, logs, temp storage)";
/** Numbers that were metered, and the text for code that the host no longer validates twice. */
const OTHER_DIAGNOSTICS = [
  ...["cpu budget too low in resources", "memory budget exceeded"],
  ...["upload invalid wasm", "upload wasm contract_data (short ttl)"],
];

interface Call {
  readonly name: string;
  readonly request: ReplayRequest;
}

let calls: readonly Call[] = [];

beforeAll(async () => {
  const walks = await captureRecorded();
  calls = [...walks.flatMap(requestOf), ...protocolRequests()];
}, 240_000);

function requestOf({ name, record, snapshot }: RecordedWalk): Call[] {
  const options = { trace: false, diagnostics: true, feeTakenStroops: null } as const;
  return snapshot === null ? [] : [{ name, request: replayRequest(record, snapshot, options) }];
}

test("all recorded calls are of that protocol", () => {
  const protocols = calls.map(({ request }) => request.ledger?.protocol_version);
  expect([calls.length, ...new Set(protocols)]).toEqual([178, RECORDED]);
});

describe.each([29, 30])("in the host of protocol %d", (protocol) => {
  test("each call ends alike, and changes the same", async () => {
    const different: Record<"changes" | "diagnostics" | "fees", Set<string>> = {
      ...{ changes: new Set(), diagnostics: new Set(), fees: new Set() },
    };
    for (const call of calls) {
      const [before, after] = [await run(call, RECORDED), await run(call, protocol)];
      expect([call.name, ended(after)]).toEqual([call.name, ended(before)]);
      if (!same(after.changes, before.changes)) {
        different.changes.add(call.name);
        const plain = ({ changes }: Execution) => changes.map(withoutReasons);
        expect([call.name, plain(after)]).toEqual([call.name, plain(before)]);
      }
      if (!same(after.diagnosticsXdr, before.diagnosticsXdr)) different.diagnostics.add(call.name);
      if (!same(after.fees, before.fees)) different.fees.add(call.name);
    }
    expect({
      changes: [...different.changes].sort(),
      diagnostics: [...different.diagnostics].sort(),
      fees: [...different.fees].sort(),
    }).toEqual({
      changes: [STORES_PROTOCOL, ...UPLOADS].sort(),
      diagnostics: OTHER_DIAGNOSTICS,
      fees: UPLOADS,
    });
  }, 240_000);
});

function run({ request }: Call, protocol: number): Promise<Execution> {
  const ledger = { ...request.ledger, protocol_version: protocol };
  const asked = { ...request, ledger } as ReplayRequest;
  return simulator.replay(asked, { signal: NEVER_ABORTED });
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** All that the ledger has of it but the changes and what is paid. */
function ended(execution: Execution) {
  const { transactionHash, operation, outcome, hostError, successHash } = execution;
  const { operationResultXdr, returnValueXdr, eventsXdr, assumed } = execution;
  const kinds = execution.changes.map(({ kind, keyXdr }) => [kind, keyXdr]);
  return {
    ...{ transactionHash, operation, outcome, hostError, successHash },
    ...{ operationResultXdr, returnValueXdr, eventsXdr, assumed, kinds },
  };
}

/** A change without the two reasons: what is counted in code, and the protocol that is stored. */
function withoutReasons({ afterXdr, ...change }: Execution["changes"][number]) {
  if (afterXdr === null) return change;
  const entry = decode("LedgerEntry", afterXdr);
  const { data } = entry;
  const contractCode =
    data.type === ENTRY_TYPE.contractCode ? { ...data.contractCode, ext: { v: 0 as const } } : null;
  const plain = contractCode === null ? data : { ...data, contractCode };
  const text = JSON.stringify(toJson("LedgerEntry", { ...entry, data: plain } as typeof entry));
  return { ...change, after: text.replace(/\{"u32":(29|30)\}/g, `{"u32":${RECORDED}}`) };
}
