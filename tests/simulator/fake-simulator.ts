// Small real programs that replace svc-sim and misbehave on purpose. Each is a Bun script behind a
// shell wrapper, since a simulator is one executable path.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import type { ReplayRequest } from "../../src/simulator/wire-schema.ts";

export interface FakeSimulator extends Disposable {
  readonly path: string;
  readonly directory: string;
}

const PRELUDE = `
const serve = process.argv[2] === "serve";
const response = ${JSON.stringify(sampleResponse())};
const out = (text) => { process.stdout.write(text); };
const say = (id, extra = {}) => out(JSON.stringify({ id, ...response, ...extra }) + "\\n");
const fail = (id, error) => out(JSON.stringify({ id, format: 1, error }) + "\\n");
async function* lines() {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of Bun.stdin.stream()) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split("\\n");
    rest = parts.pop();
    for (const part of parts) yield JSON.parse(part);
  }
  if (rest !== "") yield JSON.parse(rest);
}
const tag = (request) => request.ledger?.network_passphrase ?? "";
`;

export interface FakeOptions {
  /** `svc-sim engine` is the real one (default: true). */
  readonly engine?: boolean;
  /** A line of the shell, in the place of the script. */
  readonly shell?: string;
}

/** `body` is the script; it may use what PRELUDE defines. */
export function fakeSimulator(
  body: string,
  { engine = true, shell }: FakeOptions = {},
): FakeSimulator {
  const directory = mkdtempSync(join(tmpdir(), "svc-fake-sim-"));
  const script = join(directory, "fake.ts");
  const path = join(directory, "svc-sim");
  writeFileSync(script, `${PRELUDE}\n${body}\n`);
  const real = `case "$1" in engine*) exec "${SIMULATOR_BINARY}" "$@";; esac`;
  const fake = shell ?? `exec "${process.execPath}" "${script}" "$@"`;
  writeFileSync(path, ["#!/bin/sh", ...(engine ? [real] : []), fake, ""].join("\n"));
  chmodSync(path, 0o755);
  return {
    path,
    directory,
    [Symbol.dispose]() {
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The tag controls how the script handles this request. */
export function sampleRequest(tag = "", deadlineMilliseconds = 20_000): ReplayRequest {
  return {
    envelope_xdr: "AAAA",
    result_meta_xdr: "",
    ledger_entries: {},
    ledger: { network_passphrase: tag },
    options: { deadline_milliseconds: deadlineMilliseconds },
  };
}

export function sampleResponse() {
  return {
    format: 1,
    host: { protocol: 23, crate_version: "23.0.0" },
    transaction_hash: "00".repeat(32),
    operation: "invoke_host_function",
    outcome: { kind: "success" },
    operation_result_xdr: "AAAAAAAAABj////+",
    result_xdr: null,
    success_hash: null,
    return_value_xdr: "AAAAAQ==",
    changes: [{ kind: "created", key_xdr: "AAAA", before_xdr: null, after_xdr: "BBBB" }],
    events_xdr: [],
    diagnostics_xdr: [],
    host_error: { type: "Contract", code: "1", contract_code: 1 },
    fees: {
      resource_fee_stroops: "10",
      non_refundable_stroops: "5",
      rent_stroops: "1",
      refundable_consumed_stroops: "2",
      refund_stroops: "3",
    },
    metrics: { cpu_insn: "9007199254740993" },
    limits: { instructions: "100", memory_bytes: "41943040" },
    costs: [{ type: "WasmInsnExec", iterations: "1", inputs: null, cpu: "4", memory: "0" }],
    call_tree: {
      kind: "host",
      contract: null,
      function: null,
      arguments_xdr: [],
      result_xdr: null,
      failed: false,
      cpu_instructions: "1",
      memory_bytes: "2",
      calls: [],
    },
    assumed: [{ what: "protocol_version", key_xdr: null, value: "23" }],
    host_nanoseconds: 1234,
  };
}
