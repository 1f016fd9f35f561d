// What a client of the daemon may declare for a simulation. On a network, the network's settings
// limit the declared resources; here the client brings these settings itself, and with them what
// each instruction and byte costs: with costs of zero, no limit would ever be reached.

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

/** Throws LIMIT_TOO_HIGH. What cannot be decoded is left to svc-sim, which says what is wrong. */
export function checkLimits(request: ReplayRequest, limits: SimulationLimits): void {
  const facts = unlessInvalid(() => readSorobanFacts(Uint8Array.fromBase64(request.envelope_xdr)));
  const { settings = [], protocol_version: protocol = NEWEST_PROTOCOL } = request.ledger ?? {};
  const { memoryBytes, low } = readSettings(settings, protocol);
  refuse("envelope_xdr: instructions", facts?.instructions ?? 0, limits.instructions);
  refuse("ledger.settings: txMemoryLimit", memoryBytes, limits.memoryBytes);
  if (low !== null) throw lowCost(low);
}

interface Charges {
  /** `txMemoryLimit`; 0 where it is missing. */
  readonly memoryBytes: number;
  readonly low: LowCost | null;
}

/**
 * What was read of recent settings: clients of one network send the same with each request, some
 * ten thousand characters.
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
