// The words for exceeded limits, for fees that do not suffice, and for archived entries.

import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import type { CauseKind } from "../../model/cause-kinds.ts";
import { type DECLARED_LIMITS, type ENTRY_SIZES, LIMITS } from "../../xdr/outcome/host-messages.ts";
import { DECLARE_OR_DO_LESS } from "../host-messages/host-errors.ts";
import { DECLARE_OR_NETWORK } from "../naming/operation-codes.ts";
import type { CauseWords, SaidBy } from "./found-cause.ts";
import type { ArchivedEntry } from "./found-evidence.ts";
import { sentences } from "./sentences.ts";

const LIMIT_NAMES: Readonly<Record<keyof typeof LIMITS, string>> = {
  instructions: "CPU limit",
  memory: "Memory limit",
  write: "Write limit",
  read: "Disk read limit",
  events: "Event size limit",
  result: "Event and result size limit",
};

export function limitWords({ facts }: SaidBy<"limit">): CauseWords {
  const { id, used, allowed, isDeclared, call } = facts;
  const isCpu = id === "instructions";
  const amount = `${grouped(used)} ${isCpu ? "instructions" : "bytes"}`;
  const limits = isDeclared ? "declared" : "allowed by the network";
  const where = isCpu && call !== null ? `The instructions ran out in ${call}.` : null;
  const stopped = isCpu ? "The host stopped there; the transaction may need more." : null;
  const exceeded = `${LIMIT_NAMES[id]} exceeded: ${amount} used, ${grouped(allowed)} ${limits}.`;
  return {
    summary: sentences(exceeded, where, stopped),
    remedy: isDeclared
      ? declareRemedy(id, amount)
      : networkRemedyOf(LIMITS[id].kind, excessOf(used, allowed, isCpu ? "instructions" : "bytes")),
  };
}

function declareRemedy(id: keyof typeof LIMITS, used: string): string {
  if (id === "instructions") return DECLARE_OR_DO_LESS;
  const resource =
    id === "read" ? "more disk read bytes" : id === "write" ? "more write bytes" : "more";
  return `Declare ${resource}: at least ${used}, or the number that a new simulation reports.`;
}

const LESS: Readonly<Partial<Record<CauseKind, string>>> = {
  "memory-exceeded": "Use less memory: fewer or smaller values",
  "events-size-exceeded": "Emit fewer or smaller events, or return less",
};

/**
 * The words that replace the advice to declare more, if runs have shown that no declaration is
 * enough.
 */
export const DECLARING_DOES_NOT_HELP =
  "Do less in one transaction: it fails with more declared resources, too.";

/** A node's simulation checks CPU and memory alone (soroban-simulation). */
const UNCHECKED = "A node's simulation does not check it.";
const CHECKED: ReadonlySet<CauseKind> = new Set(["cpu-exceeded", "memory-exceeded"]);

/**
 * The remedy for a limit of the network. `kind` is that of the limit's cause; absent if the limit
 * is unknown. `excess` is the amount above the limit, as far as the run went.
 */
export function networkRemedyOf(kind?: CauseKind, excess: string | null = null): string {
  const less = (kind && LESS[kind]) ?? "Do less in one transaction";
  const by = excess === null ? "" : `, at least ${excess} less`;
  const unchecked = kind === undefined || CHECKED.has(kind) ? "" : ` ${UNCHECKED}`;
  return `${less}${by}. The network sets this limit; the transaction cannot raise it.${unchecked}`;
}

/** The excess, such as `1,024 bytes`; null if there is none. */
function excessOf(used: bigint, allowed: bigint, unit: string): string | null {
  const excess = used - allowed;
  return excess > 0n ? `${grouped(excess)} ${unit}` : null;
}

export function networkLimitWords({ kind, facts }: SaidBy<"network-limit">): CauseWords {
  const { id, used, allowed, call } = facts;
  const unit = id === "instructions" ? "instructions" : "bytes";
  const where = call === null ? "" : ` in ${call}`;
  return {
    summary: `${LIMIT_NAMES[id]} exceeded${where}: ${grouped(used)} ${unit} used, ${grouped(allowed)} allowed by the network.`,
    remedy: networkRemedyOf(kind, excessOf(used, allowed, unit)),
  };
}

interface DeclaredLimit {
  /** The unit of the number. */
  readonly unit: string;
  readonly less: string;
  /** True if a simulation checks it too. */
  readonly isChecked?: true;
}

const DECLARED: Readonly<Record<keyof typeof DECLARED_LIMITS, DeclaredLimit>> = {
  instructions: { unit: "CPU instructions", less: "do less in one transaction", isChecked: true },
  read: { unit: "bytes to read from disk", less: "read fewer or smaller entries" },
  write: { unit: "bytes to write", less: "write fewer or smaller entries" },
  footprint: { unit: "footprint entries", less: "touch fewer entries in one transaction" },
  "disk-entries": {
    unit: "entries to read from disk",
    less: "touch fewer accounts, trustlines and archived entries in one transaction",
  },
  "written-entries": {
    unit: "entries to write",
    less: "write fewer entries in one transaction",
  },
  key: { unit: "bytes in a key of the footprint", less: "use shorter keys for the entry" },
  size: {
    unit: "bytes of the transaction",
    less: "pass smaller arguments or code, and touch fewer entries",
  },
};

/** The limits on numbers that the transaction chooses, unlike those on its content. */
const CHOSEN: ReadonlySet<keyof typeof DECLARED_LIMITS> = new Set([
  "instructions",
  "read",
  "write",
]);

/** The remedy for a limit of the network that a transaction exceeds before it runs. */
export function declaredLimitRemedy(id: keyof typeof DECLARED_LIMITS): string {
  const { less, isChecked } = DECLARED[id];
  const toDo = CHOSEN.has(id)
    ? `Declare what the simulation reports, without a margin. If that is too much as well, ${less}`
    : sentenceStart(less);
  return `${toDo}. The network sets this limit; the transaction cannot raise it.${isChecked ? "" : ` ${UNCHECKED}`}`;
}

export function declaredLimitWords({ facts }: SaidBy<"declared-limit">): CauseWords {
  const { id, declared, allowed, code } = facts;
  const { unit } = DECLARED[id];
  const begin = code === null ? "" : `${code}: `;
  const excess = excessOf(declared, allowed, "too many");
  const limit = `${grouped(allowed)} per ${id === "key" ? "key" : "transaction"}`;
  return {
    summary:
      `${begin}Network limit exceeded: ${grouped(declared)} ${unit}; the network allows ` +
      `${limit}${excess === null ? "" : ` (${excess})`}.`,
    remedy: declaredLimitRemedy(id),
  };
}

export function networkLimitsWords({ facts }: SaidBy<"network-limits">): CauseWords {
  return {
    summary: `Network limit exceeded: the transaction needs ${facts.over}.`,
    remedy: `${networkRemedyOf()} ${UNCHECKED}`,
  };
}

export function emptyCodeWords(): CauseWords {
  return {
    summary: [
      "The code to upload has 0 bytes.",
      "The network refuses it, although a simulation accepts it.",
    ],
    remedy: "Upload the contract's wasm file.",
  };
}

export function unknownLimitWords(): CauseWords {
  return {
    summary:
      "The transaction needed more of a resource than it declared, or than the network allows.",
    remedy: DECLARE_OR_NETWORK,
  };
}

export function budgetWords({ facts }: SaidBy<"budget">): CauseWords {
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
  const limit = ranOut === "instructions" ? "CPU limit" : "CPU or memory limit";
  return {
    summary: `${limit} exceeded${where}${numbers}${stopped}.`,
    remedy: simulated ? networkRemedyOf() : DECLARE_OR_DO_LESS,
  };
}

export function refundableFeeWords({ facts }: SaidBy<"refundable-fee">): CauseWords {
  const { part, amounts } = facts;
  if (amounts === null || part === "unknown")
    return {
      summary: "The refundable fee does not cover the rent and the events.",
      remedy: "Raise the resource fee. The unused part is refunded.",
    };
  const { needed, available } = amounts;
  const charge = part === "rent" ? "the rent" : "the fee for events after the rent";
  const shown =
    available < 0n
      ? `none available, since the declared resources cost ${stroopsInWords(-available)} more than the ` +
        "resource fee"
      : `${grouped(available)} available`;
  // The charge for events comes after that for rent, and the chain does not report it.
  const events = part === "rent" ? ", and by the fee for events" : "";
  const raise = `Raise the resource fee by at least ${stroopsInWords(needed - available)}`;
  return {
    summary: `The refundable fee does not cover ${charge}: ${stroopsInWords(needed)} needed, ${shown}.`,
    remedy: `${raise}${events}. The unused part is refunded.`,
  };
}

const SIZES: Readonly<Record<keyof typeof ENTRY_SIZES, { subject: string; remedy: string }>> = {
  data: {
    subject: "one entry of contract data",
    remedy: "Store a smaller value, or split it over several entries",
  },
  code: {
    subject: "the code of one contract",
    remedy: "Make the wasm smaller, or split it into several contracts",
  },
};

export function entrySizeWords({ facts }: SaidBy<"entry-size">): CauseWords {
  const { type, entry, size, allowed } = facts;
  const { subject, remedy } = SIZES[type];
  return {
    summary:
      `Entry size limit exceeded: ${entry ?? "an entry"} has ${grouped(size)} bytes; the network ` +
      `allows ${grouped(allowed)} for ${subject}.`,
    remedy:
      `${remedy}: the entry has ${excessOf(size, allowed, "bytes") ?? "bytes"} too many. The network sets this ` +
      `limit; the transaction cannot raise it. ${UNCHECKED}`,
  };
}

export function archivedWords({ facts: { entry } }: SaidBy<"archived">): CauseWords {
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
