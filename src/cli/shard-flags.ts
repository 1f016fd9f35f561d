// The flags of one piece of svc verify: which piece, where its result goes, and how it begins.

import type { ArgsDef } from "citty";
import { SvcError } from "../base/errors/errors.ts";
import type { PieceChoice } from "../debugger/shard/verify-piece.ts";
import { type ParsedFlags, textFlag } from "./arguments/common-flags.ts";

export const WARM_UP_FLAG = {
  "warm-up": {
    type: "string",
    valueHint: "N",
    description: "Ledgers before the first that are read for their state and not counted.",
  },
} as const satisfies ArgsDef;

export const SHARD_FLAGS = {
  shard: {
    type: "string",
    valueHint: "I/N",
    description:
      "Verify only the I-th of N pieces, from 1. env: the index of a Kubernetes Indexed Job, a Slurm " +
      "array, an AWS Batch array job or Cloud Run tasks, with SVC_SHARDS pieces.",
  },
  result: {
    type: "string",
    valueHint: "DIR|URL",
    description: "With --shard: directory or s3://bucket/prefix for the result.",
  },
  ...WARM_UP_FLAG,
} as const satisfies ArgsDef;

export interface ChosenPiece extends PieceChoice {
  /** As typed. */
  readonly result: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Each counts from 0. */
const INDEX_VARIABLES = [
  "JOB_COMPLETION_INDEX",
  "SLURM_ARRAY_TASK_ID",
  "AWS_BATCH_JOB_ARRAY_INDEX",
  "CLOUD_RUN_TASK_INDEX",
] as const;
const SHARDS_VARIABLE = "SVC_SHARDS";
const MAXIMUM_SHARDS = 100_000;
const MAXIMUM_LEDGERS = 1_000_000;

/** Null without --shard. Throws USAGE, and CONFIG_INVALID for the environment. */
export function chosenPiece(args: ParsedFlags, environment: Environment): ChosenPiece | null {
  const shard = textFlag(args, "shard");
  const result = textFlag(args, "result");
  if (shard === undefined) {
    if (result !== undefined)
      throw new SvcError("USAGE", {
        message: "--result needs --shard.",
        remedy: "Add `--shard I/N`, or omit `--result`.",
      });
    return null;
  }
  if (result === undefined)
    throw new SvcError("USAGE", {
      message: "--shard needs --result.",
      remedy: "Add `--result` with a directory or s3://bucket/prefix.",
    });
  return {
    ...(shard === "env" ? pieceOfEnvironment(environment) : pieceOfWord(shard)),
    result,
    warmUpLedgers: warmUpLedgers(args),
  };
}

export function warmUpLedgers(args: ParsedFlags): number {
  const text = textFlag(args, "warm-up") ?? "0";
  const value = Number(text);
  if (/^\d{1,7}$/.test(text) && value <= MAXIMUM_LEDGERS) return value;
  throw new SvcError("USAGE", {
    message: `--warm-up must be a number of ledgers from 0 to ${MAXIMUM_LEDGERS}, not "${text}".`,
    remedy: "Omit `--warm-up` to use 0.",
  });
}

/** The number of pieces. */
export function parseShards(text: string, name: string): number {
  const shards = Number(text);
  if (/^\d{1,6}$/.test(text) && shards >= 1 && shards <= MAXIMUM_SHARDS) return shards;
  throw new SvcError("USAGE", {
    message: `${name} must be a number from 1 to ${MAXIMUM_SHARDS}, not "${text}".`,
    remedy: "Give the number of pieces.",
  });
}

function pieceOfWord(word: string): Pick<PieceChoice, "shard" | "shards"> {
  const found = /^(\d{1,6})\/(\d{1,6})$/.exec(word);
  const [shard, shards] = [Number(found?.[1]), Number(found?.[2])];
  if (found !== null && shard >= 1 && shard <= shards && shards <= MAXIMUM_SHARDS) {
    return { shard, shards };
  }
  throw new SvcError("USAGE", {
    message: `--shard must be I/N with I from 1 to N, or env, not "${word}".`,
    remedy: "Write the third of 16 pieces as `--shard 3/16`.",
  });
}

function pieceOfEnvironment(environment: Environment): Pick<PieceChoice, "shard" | "shards"> {
  const present = INDEX_VARIABLES.filter((name) => (environment[name] ?? "") !== "");
  const [name] = present;
  if (name === undefined || present.length > 1)
    throw new SvcError("CONFIG_INVALID", {
      message:
        name === undefined
          ? `--shard env needs one of ${INDEX_VARIABLES.join(", ")}.`
          : `--shard env found ${present.join(" and ")}.`,
      remedy: "Run svc as a task of an array job, or write `--shard I/N`.",
    });
  const shards = variable(environment, SHARDS_VARIABLE, 1, MAXIMUM_SHARDS);
  return { shard: variable(environment, name, 0, shards - 1) + 1, shards };
}

function variable(environment: Environment, name: string, least: number, most: number): number {
  const text = environment[name] ?? "";
  const value = Number(text);
  if (/^\d{1,6}$/.test(text) && value >= least && value <= most) return value;
  throw new SvcError("CONFIG_INVALID", {
    message: `${name} must be a number from ${least} to ${most}, not "${text}".`,
    remedy:
      name === SHARDS_VARIABLE
        ? `Set ${SHARDS_VARIABLE} to the number of tasks.`
        : `Number the tasks from 0, as many as ${SHARDS_VARIABLE} says.`,
  });
}
