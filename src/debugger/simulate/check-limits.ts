// Limits what a client of the daemon may declare for a simulation. On a network, the settings limit
// the declared resources. Here the client sends these settings itself, with the cost of each
// instruction and each byte: with costs of zero, no run would ever reach a limit.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { ofTexts } from "../../base/recently-used.ts";
import { NEWEST_PROTOCOL } from "../../model/protocols.ts";
import type { ReplayRequest } from "../../simulator/wire-schema.ts";
import { findLowCost, type LowCost } from "../../snapshot/settings/cost-parameters.ts";
import { readSorobanFacts } from "../../xdr/envelope/envelope-facts.ts";
import { readTransactionLimits } from "../../xdr/ledger/transaction-limits.ts";

/** The limits of one simulation. */
export interface SimulationLimits {
  readonly instructions: number;
  /** The host's memory budget, `tx_memory_limit`. */
  readonly memoryBytes: number;
}

/**
 * Throws LIMIT_TOO_HIGH. A request that cannot be decoded passes, because svc-sim reports the flaw.
 */
export function checkLimits(request: ReplayRequest, limits: SimulationLimits): void {
  const facts = unlessInvalid(() => readSorobanFacts(Uint8Array.fromBase64(request.envelope_xdr)));
  const { settings = [], protocol_version: protocol = NEWEST_PROTOCOL } = request.ledger ?? {};
  const { memoryBytes, low } = readSettings(settings, protocol);
  refuse("envelope_xdr: instructions", facts?.instructions ?? 0, limits.instructions);
  refuse("ledger.settings: txMemoryLimit", memoryBytes, limits.memoryBytes);
  if (low !== null) throw lowCost(low);
}

interface Charges {
  /** `txMemoryLimit`; 0 if it is missing. */
  readonly memoryBytes: number;
  readonly low: LowCost | null;
}

/**
 * The charges of recent settings. Clients of one network send the same settings with each request,
 * in some ten thousand characters.
 */
const recent = ofTexts<Charges>(1 << 20);

function readSettings(settings: readonly string[], protocol: number): Charges {
  return recent.of(`${protocol} ${settings.join(" ")}`, () => {
    const lows = settings.map((entryXdr) => unlessInvalid(() => findLowCost(entryXdr, protocol)));
    return {
      memoryBytes: Number(unlessInvalid(() => readTransactionLimits(settings))?.memoryBytes ?? 0),
      low: lows.find((low) => low !== null) ?? null,
    };
  });
}

function lowCost(low: LowCost): SvcError {
  const { kind, type, current, initial } = low;
  return new SvcError("LIMIT_TOO_HIGH", {
    message:
      `ledger.settings: the ${kind} cost of cost type ${type} is ${current} n; networks have ` +
      `${initial} n, and this daemon allows no less than half of that.`,
    remedy: "Send the cost parameters of a network.",
    httpRemedy: "Send the cost parameters of a network.",
    details: { ...low },
  });
}

function refuse(subject: string, value: number, limit: number): void {
  if (value <= limit) return;
  throw new SvcError("LIMIT_TOO_HIGH", {
    message: `${subject} is ${value}; this daemon allows at most ${limit} for one simulation.`,
    remedy: phrase`Set ${flag("maxInstructions")} and ${flag("maxTransactionMemory")} for trusted clients.`,
    details: { what: subject, value, limit },
  });
}

function unlessInvalid<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SvcError) return null;
    throw error;
  }
}
