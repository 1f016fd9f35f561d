// The failed transactions that svc carries. `demo:NAME` is the capsule of one, wherever a command
// takes the file of a capsule. examples/ has the same capsules as files.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { usageError } from "../base/errors/errors.ts";
import { phrase, svc } from "../base/phrase.ts";

const PREFIX = "demo:";

export interface Demo {
  readonly name: string;
  /** One sentence: the failure that the transaction shows. */
  readonly summary: string;
  /** The capsule, as JSON. */
  readonly load: () => Promise<{ readonly default: object }>;
}

/** In the order of the list. The failures that people meet most often come first. */
export const DEMOS: readonly Demo[] = [
  {
    name: "contract-error",
    summary: "A vault returns its error 2. Which value was too small?",
    load: () => import("../../examples/contract-error.capsule.json"),
  },
  {
    name: "wrong-signer",
    summary: "An authorization is signed by the wrong key.",
    load: () => import("../../examples/wrong-signer.capsule.json"),
  },
  {
    name: "missing-trustline",
    summary: "A token is sent to an account without a trustline for it.",
    load: () => import("../../examples/missing-trustline.capsule.json"),
  },
  {
    name: "stale-footprint",
    summary: "The footprint lacks an entry that the call needs.",
    load: () => import("../../examples/stale-footprint.capsule.json"),
  },
  {
    name: "overflow-in-callee",
    summary: "A contract calls another one, where a sum is too large.",
    load: () => import("../../examples/overflow-in-callee.capsule.json"),
  },
  {
    name: "cpu-limit-too-low",
    summary: "The call needs more instructions than were declared.",
    load: () => import("../../examples/cpu-limit-too-low.capsule.json"),
  },
  {
    name: "write-bytes-too-low",
    summary: "The call writes more bytes than were declared.",
    load: () => import("../../examples/write-bytes-too-low.capsule.json"),
  },
  {
    name: "archived-entry",
    summary: "The call reads an entry that the network has archived.",
    load: () => import("../../examples/archived-entry.capsule.json"),
  },
];

/** Says whether a word stands for the capsule of a demo. */
export function isDemoWord(word: string): boolean {
  return word.startsWith(PREFIX);
}

/** The word for the capsule of a demo. */
export function demoWord(name: string): string {
  return `${PREFIX}${name}`;
}

/** Reads the capsule of a demo. Throws USAGE for an unknown name. */
export async function readDemo(word: string): Promise<Uint8Array<ArrayBuffer>> {
  const { load } = demoNamed(word.slice(PREFIX.length));
  return new TextEncoder().encode(`${JSON.stringify((await load()).default)}\n`);
}

/** Throws USAGE for an unknown name, with the one that was probably meant. */
export function demoNamed(name: string): Demo {
  const match = DEMOS.find((demo) => demo.name === name);
  if (match !== undefined) return match;
  const names = DEMOS.map((demo) => demo.name);
  const near = nearestWord(name, names);
  throw usageError(
    `There is no demo "${name.slice(0, 100)}".`,
    near === null ? phrase`${svc("demo")} lists all demos.` : `Did you mean ${near}?`,
  );
}
