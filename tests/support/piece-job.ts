// The Jobs of release/kubernetes that do pieces of a work, with the arguments that kustomize gives them.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const MANIFESTS = resolve(import.meta.dir, "../../release/kubernetes");

export interface PieceKustomization {
  readonly resources: readonly string[];
  readonly nameSuffix: string;
  readonly labels: unknown;
  readonly patches: readonly { readonly patch?: string; readonly path?: string }[];
  readonly configMapGenerator: readonly {
    readonly name: string;
    readonly literals?: readonly string[];
  }[];
  readonly replacements: unknown;
  readonly images: unknown;
}

interface AddedArgument {
  readonly op: string;
  readonly path: string;
  readonly value: string;
}

const ARGUMENT = /^\/spec\/template\/spec\/containers\/0\/args\/(\d+)$/;

/** Throws if a patch of the kustomization does more than add an argument. */
export function pieceJob(name: "verify" | "rehearse") {
  const list = read(join(name, "kustomization.yaml")) as PieceKustomization;
  const { spec } = read("pieces/job.yaml") as {
    readonly spec: {
      readonly template: { readonly spec: { readonly containers: readonly { args: string[] }[] } };
    };
  };
  const args = [...(spec.template.spec.containers[0]?.args ?? [])];
  const added = list.patches.flatMap(({ patch }) =>
    patch === undefined ? [] : (Bun.YAML.parse(patch) as AddedArgument[]),
  );
  for (const { op, path, value } of added) {
    const [, at] = ARGUMENT.exec(path) ?? [];
    if (op !== "add" || at === undefined) throw new Error(`${op} ${path} is not known here`);
    args.splice(Number(at), 0, value);
  }
  const literals = new Map(
    list.configMapGenerator
      .flatMap((each) => each.literals ?? [])
      .map((literal): [string, string] => {
        const end = literal.indexOf("=");
        return [literal.slice(0, end), literal.slice(end + 1)];
      }),
  );
  return { list, args, literals };
}

function read(name: string): unknown {
  return Bun.YAML.parse(readFileSync(join(MANIFESTS, name), "utf8"));
}
