// Draws the call tree as spans below the span of the replay. The contract host does not report
// times of single calls, so each call gets the share of its parent's time that it has of the
// parent's instructions. Children follow each other from the parent's start. `svc.call.time` marks
// the estimate.

import { neutralise } from "../../base/text/neutralise.ts";
import type { NamedCall } from "../../model/explanation.ts";
import { isDrawn } from "../document/calls.ts";

export interface CallSpan {
  readonly name: string;
  readonly beginMilliseconds: number;
  readonly endMilliseconds: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly calls: readonly CallSpan[];
}

/** Collectors limit traces. `--profile` shows more. */
const MOST_CALLS = 2000;

/** Leaves out frames that only contain others, such as the host function itself. */
export function callSpans(
  root: NamedCall,
  time: { readonly beginMilliseconds: number; readonly endMilliseconds: number },
): { readonly spans: readonly CallSpan[]; readonly omitted: number } {
  let drawn = 0;
  let omitted = 0;
  const visit = (call: NamedCall, begin: number, duration: number): CallSpan[] => {
    const draws = isDrawn(call, call.calls);
    if (draws && drawn >= MOST_CALLS) {
      omitted += countOf(call);
      return [];
    }
    if (draws) drawn += 1;
    let at = begin;
    const calls = call.calls.flatMap((child) => {
      const share = duration * shareOf(child.cpuInstructions, call.cpuInstructions);
      const below = visit(child, at, share);
      at += share;
      return below;
    });
    if (!draws) return calls;
    const end = begin + duration;
    return [{ ...describe(call), beginMilliseconds: begin, endMilliseconds: end, calls }];
  };
  const duration = time.endMilliseconds - time.beginMilliseconds;
  return { spans: visit(root, time.beginMilliseconds, duration), omitted };
}

function describe(call: NamedCall): Pick<CallSpan, "name" | "failed" | "attributes"> {
  const below = (field: "cpuInstructions" | "memoryBytes") =>
    call.calls.reduce((sum, child) => sum + BigInt(child[field]), 0n);
  const contract = call.contract === null ? {} : { "stellar.contract.id": call.contract };
  const own = call.function === null ? {} : { "stellar.contract.function": call.function };
  return {
    name: neutralise(call.function ?? call.kind),
    failed: call.failed,
    attributes: {
      "svc.call.kind": call.kind,
      "svc.call.time": "estimated from instructions",
      ...contract,
      ...own,
      "svc.cpu.instructions": amount(BigInt(call.cpuInstructions)),
      "svc.cpu.instructions.self": amount(BigInt(call.cpuInstructions) - below("cpuInstructions")),
      "svc.memory.bytes": amount(BigInt(call.memoryBytes)),
      "svc.memory.bytes.self": amount(BigInt(call.memoryBytes) - below("memoryBytes")),
    },
  };
}

/** Attributes are 64-bit integers in a collector, but doubles on the way to it. */
function amount(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

function shareOf(part: string, whole: string): number {
  const all = Number(whole);
  return all > 0 ? Math.min(1, Math.max(0, Number(part) / all)) : 0;
}

function countOf(call: NamedCall): number {
  return call.calls.reduce((sum, child) => sum + countOf(child), 1);
}
