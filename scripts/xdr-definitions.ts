// Reads the XDR definitions of the newest protocol from `xdr-definitions-json/xdr.json` of the
// crate stellar-xdr that the newest contract host uses. The newest host is the last row of
// protocols.rs, so that svc and svc-sim always read the same XDR.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as v from "valibot";
import { CRATE } from "./release/paths.ts";

export type XdrType =
  | { readonly kind: "bool" | "int" | "unsigned_int" | "hyper" | "unsigned_hyper" }
  | { readonly kind: "opaque_fixed"; readonly size: number }
  | { readonly kind: "opaque_var" | "string"; readonly max_size?: number | undefined }
  | { readonly kind: "ref"; readonly name: string }
  | { readonly kind: "optional"; readonly element: XdrType }
  | { readonly kind: "array"; readonly element: XdrType; readonly count: number }
  | {
      readonly kind: "var_array";
      readonly element: XdrType;
      readonly max_count?: number | undefined;
    };

const size = v.pipe(v.number(), v.integer());

const xdrType: v.GenericSchema<XdrType> = v.lazy(() =>
  v.variant("kind", [
    v.object({ kind: v.picklist(["bool", "int", "unsigned_int", "hyper", "unsigned_hyper"]) }),
    v.object({ kind: v.literal("opaque_fixed"), size }),
    v.object({ kind: v.picklist(["opaque_var", "string"]), max_size: v.optional(size) }),
    v.object({ kind: v.literal("ref"), name: v.string() }),
    v.object({ kind: v.literal("optional"), element: xdrType }),
    v.object({ kind: v.literal("array"), element: xdrType, count: size }),
    v.object({ kind: v.literal("var_array"), element: xdrType, max_count: v.optional(size) }),
  ]),
);

const field = v.object({ name: v.string(), type: xdrType });

const definition = v.variant("kind", [
  v.object({ kind: v.literal("const"), name: v.string(), value: v.number() }),
  v.object({ kind: v.literal("typedef"), name: v.string(), type: xdrType }),
  v.object({ kind: v.literal("struct"), name: v.string(), fields: v.array(field) }),
  v.object({
    kind: v.literal("enum"),
    name: v.string(),
    member_prefix: v.optional(v.string(), ""),
    members: v.array(v.object({ name: v.string(), value: v.number() })),
  }),
  v.object({
    kind: v.literal("union"),
    name: v.string(),
    discriminant: field,
    arms: v.array(
      v.object({
        cases: v.array(v.object({ value: v.number() })),
        name: v.nullable(v.string()),
        type: v.optional(xdrType),
      }),
    ),
  }),
]);

const definitionsFile = v.object({
  version: v.literal(1),
  resolved_features: v.tuple([]),
  definitions: v.array(definition),
});

export type XdrDefinition = v.InferOutput<typeof definition>;

const metadata = v.object({
  packages: v.array(
    v.object({ id: v.string(), name: v.string(), version: v.string(), manifest_path: v.string() }),
  ),
  resolve: v.object({
    nodes: v.array(
      v.object({
        id: v.string(),
        deps: v.array(v.object({ name: v.string(), pkg: v.string() })),
      }),
    ),
  }),
});

/** Returns the definitions in the order of the .x files. Throws if cargo cannot find the crate. */
export function readXdrDefinitions(): readonly XdrDefinition[] {
  const path = join(newestXdrCrate(), "xdr-definitions-json", "xdr.json");
  return v.parse(definitionsFile, JSON.parse(readFileSync(path, "utf8"))).definitions;
}

/** Returns the directory of the newest contract host's crate. Throws if cargo cannot find it. */
export function newestHostDirectory(): string {
  return dirname(newestCrates().host.manifest_path);
}

/** Returns the version of the crate stellar-xdr that the newest contract host uses. */
export function newestXdrVersion(): string {
  return newestCrates().xdr.version;
}

/** Returns the directory of the crate stellar-xdr that the newest contract host uses. */
function newestXdrCrate(): string {
  return dirname(newestCrates().xdr.manifest_path);
}

function newestCrates() {
  const command = ["cargo", "metadata", "--locked", "--format-version", "1"];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: CRATE });
  if (exitCode !== 0) throw new Error(`cargo metadata failed: ${stderr}`);
  const { packages, resolve } = v.parse(metadata, JSON.parse(stdout.toString()));
  const dependency = (id: string, name: string) =>
    resolve.nodes.find((node) => node.id === id)?.deps.find((each) => each.name === name)?.pkg;
  const ownId = packages.find(({ name }) => name === "svc-sim")?.id ?? "";
  const hostId = dependency(ownId, newestHostCrate()) ?? "";
  const envCommonId = dependency(hostId, "soroban_env_common") ?? "";
  const xdrId = dependency(hostId, "stellar_xdr") ?? dependency(envCommonId, "stellar_xdr");
  const [host, xdr] = [hostId, xdrId].map((wanted) => packages.find(({ id }) => id === wanted));
  if (host === undefined || xdr === undefined)
    throw new Error(`${newestHostCrate()} has no crate stellar-xdr`);
  return { host, xdr };
}

/** Returns the crate of the last row of protocols.rs, for example `soroban_env_host_p30`. */
function newestHostCrate(): string {
  const table = readFileSync(join(CRATE, "src/protocols.rs"), "utf8");
  const crate = [...table.matchAll(/^\s+p\d+ \[[\d, ]+\] (\w+) /gm)].at(-1)?.[1];
  if (crate === undefined) throw new Error("protocols.rs has no rows of hosts");
  return crate;
}
