// The words for an access outside the footprint, and for a stale simulation.

import { sentenceStart } from "../../base/text/sentence.ts";
import type { CauseWords, FootprintFacts, FoundBy, Moved } from "./found-cause.ts";
import { sentences } from "./sentences.ts";

const SIMULATE =
  "Simulate the transaction again and send it with the simulated footprint and resources. The " +
  "footprint must list every entry; entries that are written must be read-write.";
const SIMULATE_LATER = "Simulate the transaction again right before you send it";
const KEY_OF_ARGUMENTS =
  "If this happens often, change the contract so that the key depends on the arguments of the call";
const OF_STATE =
  `${SIMULATE_LATER}: its footprint is for the state at the time of the simulation. ` +
  `${KEY_OF_ARGUMENTS} and not on state that other transactions change.`;
const OF_CLOCK =
  `${SIMULATE_LATER}: its footprint is for the time of the simulation. Or add the entry that it ` +
  `asked for to the footprint, too. ${KEY_OF_ARGUMENTS} and not on the time or the number of the ledger.`;
const OF_CHANCE =
  "Change the contract so that the key depends on the arguments of the call: no simulation can know " +
  "a random number.";

const ACCESSES: Readonly<Record<FootprintFacts["access"], string>> = {
  outside: "which is not in its footprint",
  "outside-or-written": "which is not in its footprint, or is read-only there and was written",
  written: "which is read-only in its footprint",
};

export function footprintWords({ facts }: FoundBy<"footprint">): CauseWords {
  const { neighbor, moved } = facts;
  const accessed = accessedInWords(facts);
  const why = moved === null ? null : movedInWords(moved);
  if (neighbor === null)
    return {
      summary: sentences(accessed, why),
      remedy: moved === null ? SIMULATE : movedRemedy(moved),
    };
  const depends =
    why ?? "The key depends on something that changed since: a ledger's time, or its state.";
  return {
    summary: [accessed, depends],
    remedy: moved === null ? `${SIMULATE_LATER}. ${KEY_OF_ARGUMENTS} alone.` : movedRemedy(moved),
  };
}

function accessedInWords({ entry, access, neighbor, moved }: FootprintFacts): string {
  if (neighbor !== null) {
    const { accessedKey, contract, named } = neighbor;
    const accessed =
      `the transaction accessed data ${accessedKey} of contract ${contract}, but its footprint has ` +
      `${named} instead.`;
    // Nothing is stale if only the arguments make the key.
    const isStale = moved?.by !== "key" || moved.of !== "arguments";
    return isStale ? `The simulation is stale: ${accessed}` : sentenceStart(accessed);
  }
  const name = entry.of === "key" ? entry.name : reportedEntry(entry.entryType, entry.about);
  const did = access === "written" ? "wrote" : "accessed";
  return `The transaction ${did} ${name}, ${ACCESSES[access]}.`;
}

/** An entry that the host reports without its key. */
function reportedEntry(entryType: string | null, about: string): string {
  if (entryType === null) return "a ledger entry";
  const of = about === "" ? "" : ` of ${about}`;
  if (entryType === "account") return about === "" ? "an account" : `account ${about}`;
  if (entryType === "nonce") return `the nonce of an authorization${of}`;
  return `the ${entryType === "account trustline" ? "trustline" : entryType}${of}`;
}

/** The words for what changed, or for what the key depends on. */
function movedInWords(moved: Moved): string {
  switch (moved.by) {
    case "state":
      return "The state moved on between the simulation and the execution.";
    case "time": {
      const ended = moved.succeeds
        ? "the transaction succeeds"
        : "it gets further, and fails for another cause";
      return `The ledger's close time decided: ${moved.seconds} s earlier, ${ended}.`;
    }
    case "number": {
      const earlier = `${moved.ledgers} ledger${moved.ledgers === 1 ? "" : "s"} earlier`;
      return `The ledger's number decided: ${earlier}, the transaction succeeds.`;
    }
    case "key":
      return KEY_DEPENDS[moved.of];
  }
}

const KEY_DEPENDS: Readonly<Record<Extract<Moved, { by: "key" }>["of"], string>> = {
  random: "The key depends on a random number, which differs in each run.",
  time: "The key depends on the time of the ledger.",
  sequence: "The key depends on the number of the ledger.",
  state: "The key depends on the state of the contract, and not on the ledger's time or number.",
  arguments:
    "The key depends on the arguments of the call alone, so the footprint is that of another call.",
};

function movedRemedy(moved: Moved): string {
  if (moved.by === "state") return OF_STATE;
  if (moved.by !== "key") return OF_CLOCK;
  switch (moved.of) {
    case "random":
      return OF_CHANCE;
    case "state":
      return OF_STATE;
    case "arguments":
      return SIMULATE;
    default:
      return OF_CLOCK;
  }
}
