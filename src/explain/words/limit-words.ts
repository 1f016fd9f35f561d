// What is said of exceeded limits, of fees that do not suffice, and of archived entries.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import type { CauseKind } from "../../model/cause-kinds.ts";
import { type ENTRY_SIZES, LIMITS } from "../../xdr/outcome/host-messages.ts";
import { DECLARE_OR_DO_LESS } from "../host-messages/host-errors.ts";
import type { ArchivedEntry, CauseWords, FoundBy } from "./found-cause.ts";

const LIMIT_NAMES: Readonly<Record<keyof typeof LIMITS, string>> = {
  instructions: "CPU limit",
  memory: "Memory limit",
  write: "Write limit",
  read: "Disk read limit",
  events: "Event size limit",
  result: "Event and result size limit",
};

export function limitWords({ facts }: FoundBy<"limit">): CauseWords {
  const { id, used, allowed, isDeclared, call } = facts;
  const isCpu = id === "instructions";
  const amount = `${grouped(used)} ${isCpu ? "instructions" : "bytes"}`;
  const limits = isDeclared ? "declared" : "allowed by the network";
  const where = isCpu && call !== null ? ` The instructions ran out in ${call}.` : "";
  const stopped = isCpu ? " The host stopped there; the transaction may need more." : "";
  const exceeded = `${LIMIT_NAMES[id]} exceeded: ${amount} used, ${grouped(allowed)} ${limits}.`;
  return {
    summary: `${exceeded}${where}${stopped}`,
    remedy: isDeclared ? declareRemedy(id, amount) : networkRemedyOf(LIMITS[id].kind),
  };
}

function declareRemedy(id: keyof typeof LIMITS, used: string): string {
  if (id === "instructions") return DECLARE_OR_DO_LESS;
  const what =
    id === "read" ? "more disk read bytes" : id === "write" ? "more write bytes" : "more";
  return `Declare ${what}: at least ${used}, or the number that a new simulation reports.`;
}

const LESS: Readonly<Partial<Record<CauseKind, string>>> = {
  "memory-exceeded": "Use less memory: fewer or smaller values",
  "events-size-exceeded": "Emit fewer or smaller events, or return less",
};

/** Instead of declaring more, if runs have shown that no declaration is enough. */
export const DECLARING_DOES_NOT_HELP =
  "Do less in one transaction: it fails with more declared resources, too.";

/** `kind`: of the limit's cause; absent: it is not known which limit it is. */
export function networkRemedyOf(kind?: CauseKind): string {
  const less = (kind && LESS[kind]) ?? "Do less in one transaction";
  return `${less}. The network sets this limit; the transaction cannot raise it.`;
}

export function networkLimitWords({ kind, facts }: FoundBy<"network-limit">): CauseWords {
  const { id, used, allowed, call } = facts;
  const unit = id === "instructions" ? "instructions" : "bytes";
  const where = call === null ? "" : ` in ${call}`;
  return {
    summary: `${LIMIT_NAMES[id]} exceeded${where}: ${grouped(used)} ${unit} used, ${grouped(allowed)} allowed by the network.`,
    remedy: networkRemedyOf(kind),
  };
}

export function networkLimitsWords({ facts }: FoundBy<"network-limits">): CauseWords {
  return {
    summary: `Network limit exceeded: the transaction needs ${facts.over}.`,
    remedy: networkRemedyOf(),
  };
}

export function emptyCodeWords(): CauseWords {
  return {
    summary:
      "The code to upload has 0 bytes. The network refuses it, although a simulation accepts it.",
    remedy: "Upload the contract's wasm file.",
  };
}

export function unknownLimitWords(): CauseWords {
  return {
    summary:
      "The transaction needed more of a resource than it declared, or than the network allows.",
    remedy: "Simulate again and declare the resources that the simulation reports.",
  };
}

export function budgetWords({ facts }: FoundBy<"budget">): CauseWords {
  const { ranOut, call, declared, stoppedAt, simulated } = facts;
  const where = call === null ? "" : ` in ${call}`;
  if (ranOut === "stack")
    return {
      summary: `The wasm stack overflowed${where}: calls within the contract are nested too deeply.`,
      remedy: "Make the contract recurse less. The transaction cannot raise this limit.",
    };
  if (ranOut === "memory")
    return {
      summary: `Linear memory limit exceeded${where}.`,
      remedy:
        "Make the contract keep less in memory at a time. The transaction cannot raise this limit.",
    };
  const numbers = declared === null ? "" : `: ${grouped(declared)} instructions declared`;
  const stopped = stoppedAt === null ? "" : `; the run was stopped at ${grouped(stoppedAt)}`;
  const what = ranOut === "instructions" ? "CPU limit" : "CPU or memory limit";
  return {
    summary: `${what} exceeded${where}${numbers}${stopped}.`,
    remedy: simulated ? networkRemedyOf() : DECLARE_OR_DO_LESS,
  };
}

export function refundableFeeWords({ facts }: FoundBy<"refundable-fee">): CauseWords {
  const { part, amounts } = facts;
  if (amounts === null || part === "unknown")
    return {
      summary: "The refundable fee does not cover the rent and the events.",
      remedy: "Raise the resource fee. The unused part is refunded.",
    };
  const { needed, available } = amounts;
  const what = part === "rent" ? "the rent" : "the fee for events after the rent";
  const shown =
    available < 0n
      ? `none available, since the declared resources cost ${stroopsInWords(-available)} more than the ` +
        "resource fee"
      : `${grouped(available)} available`;
  // The charge for events comes after that for rent, and the chain has not named it.
  const events = part === "rent" ? ", and by the fee for events" : "";
  const raise = `Raise the resource fee by at least ${stroopsInWords(needed - available)}`;
  return {
    summary: `The refundable fee does not cover ${what}: ${stroopsInWords(needed)} needed, ${shown}.`,
    remedy: `${raise}${events}. The unused part is refunded.`,
  };
}

const SIZES: Readonly<Record<keyof typeof ENTRY_SIZES, { what: string; remedy: string }>> = {
  data: {
    what: "one entry of contract data",
    remedy:
      "Store a smaller value, or split it over several entries. The network sets this limit; the " +
      "transaction cannot raise it.",
  },
  code: {
    what: "the code of one contract",
    remedy:
      "Make the wasm smaller, or split it into several contracts. The network sets this limit; " +
      "the transaction cannot raise it.",
  },
};

export function entrySizeWords({ facts }: FoundBy<"entry-size">): CauseWords {
  const { type, entry, size, allowed } = facts;
  const { what, remedy } = SIZES[type];
  return {
    summary:
      `Entry size limit exceeded: ${entry ?? "an entry"} has ${grouped(size)} bytes; the network ` +
      `allows ${grouped(allowed)} for ${what}.`,
    remedy,
  };
}

export function archivedWords({ facts: { entry } }: FoundBy<"archived">): CauseWords {
  return {
    summary:
      entry === null
        ? "A footprint entry is archived: its TTL had expired."
        : `A footprint entry is archived, and the transaction does not restore it: ${archivedInWords(entry)}.`,
    remedy:
      "Restore the entry with a RestoreFootprint operation, or simulate again so that the " +
      "transaction restores it itself.",
  };
}

export function archivedInWords({ name, liveUntil }: ArchivedEntry): string {
  return liveUntil === null ? name : `${name} (lived until ledger ${liveUntil})`;
}
