// The settings of one piece of work on ledgers: its number, the place for its result, and its
// beginning.

import * as v from "valibot";
import { configInvalid } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import { type Environment, integer, type Settings, type Values } from "../base/settings/setting.ts";

export interface PieceChoice {
  /** The number of the piece, from 1. */
  readonly shard: number;
  readonly shards: number;
  readonly warmUpLedgers: number;
}

const MAXIMUM_SHARDS = 100_000;
const MAXIMUM_LEDGERS = 1_000_000;

export const shardCount = integer(1, MAXIMUM_SHARDS);

export const WARM_UP = {
  warmUp: {
    hint: "N",
    schema: integer(0, MAXIMUM_LEDGERS),
    default: "0",
    help: "Number of ledgers before the first that svc reads for their state and does not count.",
  },
} as const satisfies Settings;

export const SHARD = {
  shard: {
    hint: "I/N",
    schema: v.pipe(
      v.string(),
      v.check(
        (word) => word === "env" || pieceOfWord(word) !== null,
        "must be I/N with I from 1 to N, such as 3/16, or env",
      ),
    ),
    onlyWith: ["result"],
    help:
      "Work only on the I-th of N pieces, from 1. env: the index of a Kubernetes Indexed Job or of a " +
      "Slurm array, with SVC_SHARDS pieces.",
  },
  result: {
    hint: "DIR|URL",
    onlyWith: ["shard"],
    help: "Directory or s3://bucket/prefix for the result.",
  },
  ...WARM_UP,
} as const satisfies Settings;

export interface ChosenPiece extends PieceChoice {
  /** The directory or address as the user typed it. */
  readonly result: string;
}

/** The variables of array jobs. Each counts from 0. */
const INDEX_VARIABLES = ["JOB_COMPLETION_INDEX", "SLURM_ARRAY_TASK_ID"] as const;
const SHARDS_VARIABLE = "SVC_SHARDS";

/** The chosen piece; null without --shard. Throws CONFIG_INVALID for the environment. */
export function chosenPiece(
  { shard, result, warmUp }: Values<typeof SHARD>,
  environment: Environment,
): ChosenPiece | null {
  if (shard === null || result === null) return null;
  return {
    ...(pieceOfWord(shard) ?? pieceOfEnvironment(environment)),
    result,
    warmUpLedgers: warmUp,
  };
}

/** Null if the word is not a piece. */
function pieceOfWord(word: string): Pick<PieceChoice, "shard" | "shards"> | null {
  const match = /^(\d{1,6})\/(\d{1,6})$/.exec(word);
  const [shard, shards] = [Number(match?.[1]), Number(match?.[2])];
  return shard >= 1 && shard <= shards && shards <= MAXIMUM_SHARDS ? { shard, shards } : null;
}

function pieceOfEnvironment(environment: Environment): Pick<PieceChoice, "shard" | "shards"> {
  const present = INDEX_VARIABLES.filter((name) => (environment[name] ?? "") !== "");
  const [name] = present;
  if (name === undefined || present.length > 1)
    throw configInvalid(
      name === undefined
        ? `--shard env needs one of ${INDEX_VARIABLES.join(", ")}.`
        : `--shard env found ${present.join(" and ")}.`,
      phrase`Run svc as a task of an array job, or write ${flag("shard", "I/N")}.`,
    );
  const shards = variable(environment, SHARDS_VARIABLE, shardCount);
  return { shard: variable(environment, name, integer(0, shards - 1)) + 1, shards };
}

function variable(environment: Environment, name: string, schema: typeof shardCount): number {
  const text = environment[name] ?? "";
  const parsed = v.safeParse(schema, text);
  if (parsed.success) return parsed.output;
  throw configInvalid(
    `${name} ${parsed.issues[0].message}, not "${text}".`,
    name === SHARDS_VARIABLE
      ? `Set ${SHARDS_VARIABLE} to the number of tasks.`
      : `Number the tasks from 0 to one less than ${SHARDS_VARIABLE}.`,
  );
}
