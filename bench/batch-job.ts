// A child of an array job of release/aws-batch/verify.json, with podman in the place of AWS Batch: the
// container as the definition has it, and whether an attempt is followed by another.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";

export interface ArrayJob {
  readonly size: number;
  readonly parameters: Readonly<Record<string, string>>;
  /** In the place of that of the definition, with the values of its secrets. */
  readonly environment: Readonly<Record<string, string>>;
}

interface Definition {
  readonly parameters: Readonly<Record<string, string>>;
  readonly retryStrategy: {
    readonly attempts: number;
    readonly evaluateOnExit: readonly { readonly onExitCode: string; readonly action: string }[];
  };
  readonly containerProperties: {
    readonly image: string;
    readonly command: readonly string[];
    readonly secrets: readonly { readonly name: string }[];
    readonly resourceRequirements: readonly { readonly type: string; readonly value: string }[];
    readonly readonlyRootFilesystem: boolean;
    readonly user: string;
  };
}

const FILE = resolve(import.meta.dir, "..", "release", "aws-batch", "verify.json");
const DEFINITION = JSON.parse(readFileSync(FILE, "utf8")) as Definition;
/** runc, since crun needs more than every machine allows; the limits for the same reason. */
const ENGINE = ["podman", "--runtime=runc", "run", "--rm", "--network=host"];
const LIMITS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];
const IMAGE = DEFINITION.containerProperties.image.replace("your-registry/", "");

/** svc of the image, with nothing else of the definition. */
export function imageWords(words: readonly string[]): string[] {
  return [...ENGINE, ...LIMITS, IMAGE, ...words];
}

/** The index counts from 0, and the attempts from 1. */
export function containerWords(
  job: ArrayJob,
  index: number,
  attempt: number,
  name: string,
): string[] {
  const { command, secrets, user, ...container } = DEFINITION.containerProperties;
  const missing = secrets.filter((secret) => job.environment[secret.name] === undefined);
  if (missing.length > 0) throw new Error(`no value of the secret ${missing[0]?.name}`);
  const requirement = (type: string) =>
    container.resourceRequirements.find((each) => each.type === type)?.value ?? "";
  const environment = {
    ...job.environment,
    AWS_BATCH_JOB_ARRAY_INDEX: String(index),
    AWS_BATCH_JOB_ARRAY_SIZE: String(job.size),
    AWS_BATCH_JOB_ATTEMPT: String(attempt),
    AWS_BATCH_JOB_ID: `svc-verify:${index}`,
  };
  const parameters: Readonly<Record<string, string>> = {
    ...DEFINITION.parameters,
    ...job.parameters,
  };
  return [
    ...[...ENGINE, ...LIMITS, `--name=${name}`, `--user=${user}`],
    `--read-only=${container.readonlyRootFilesystem}`,
    // AWS Batch makes 1,024 CPU shares of a vCPU.
    `--cpu-shares=${1024 * Number(requirement("VCPU"))}`,
    `--memory=${requirement("MEMORY")}m`,
    ...Object.entries(environment).map(([variable, value]) => `--env=${variable}=${value}`),
    IMAGE,
    ...command.map((word) =>
      word.startsWith("Ref::") ? (parameters[word.slice("Ref::".length)] ?? word) : word,
    ),
  ];
}

/** The first rule that fits; what no rule names is tried again. */
export function isRetried(exitCode: number, attempt: number): boolean {
  const { attempts, evaluateOnExit } = DEFINITION.retryStrategy;
  const rule = evaluateOnExit.find(({ onExitCode }) => onExitCode === String(exitCode));
  return attempt < attempts && rule?.action !== "EXIT";
}
