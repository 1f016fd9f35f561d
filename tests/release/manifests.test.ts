// The manifests against the schemas of Kubernetes, the Prometheus operator and the Compose
// specification. Unknown fields are refused: a misspelled field would be silently ignored.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import packageFile from "../../package.json";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { resolveFollowConfig } from "../../src/follow/follow-settings.ts";
import { needs } from "../support/needs.ts";
import { pieceJob } from "../support/piece-job.ts";
import { findTool, runTool } from "../support/tools.ts";

const ROOT = resolve(import.meta.dir, "../..");
const MANIFESTS = join(ROOT, "release", "kubernetes");
const COMPOSE = join(ROOT, "release", "compose", "compose.yaml");
const SCHEMAS = join(ROOT, "tests", "fixtures", "kubernetes");
const KUBERNETES = findTool("kubernetes-validate") ?? "";
const JSON_SCHEMA = findTool("check-jsonschema") ?? "";
const CUSTOM = ["prometheus-rule.yaml", "service-monitor.yaml"];
const LIST = "kustomization.yaml";
const CORE = readdirSync(MANIFESTS).filter(
  (name) => name.endsWith(".yaml") && ![LIST, ...CUSTOM].includes(name),
);
const FOLLOW = ["stateful-set.yaml", "service.yaml", "service-monitor.yaml"] as const;
const PIECES = ["verify", "rehearse"] as const;

// Each test starts a third-party program.
setDefaultTimeout(60_000);

const schemaChecker = needs("check-jsonschema", JSON_SCHEMA !== "");

const kubernetes = needs("kubernetes-validate", KUBERNETES !== "");

describe("release/kubernetes", () => {
  test("the kustomization names every manifest and this version", () => {
    const { resources, images } = read(LIST) as { resources: string[]; images: unknown };
    expect(resources.toSorted()).toEqual([...CORE, ...CUSTOM].toSorted());
    const { version } = packageFile;
    expect(images).toEqual([{ name: "svc", newName: "svc", newTag: version }]);
    const image = `image: svc:${version}\n`;
    expect(readFileSync(join(MANIFESTS, "deployment.yaml"), "utf8")).toContain(image);
    expect(readFileSync(COMPOSE, "utf8")).toContain(image);
  });

  kubernetes.test.each(CORE)("%s is what Kubernetes accepts", (name) => {
    const run = runTool([KUBERNETES, "--strict", join(MANIFESTS, name)]);
    expect(run).toMatchObject({ exitCode: 0, text: expect.stringContaining("passed") });
  });

  schemaChecker.test.each(CUSTOM)("%s is what the operator accepts", (name) => {
    const schema = join(SCHEMAS, name.replace(".yaml", ".schema.json"));
    const run = runTool([JSON_SCHEMA, "--schemafile", schema, join(MANIFESTS, name)]);
    expect(run).toMatchObject({ exitCode: 0 });
  });

  test("the pods run without privileges on a read-only root", () => {
    const { spec } = read("deployment.yaml") as { spec: { template: { spec: unknown } } };
    expect(spec.template.spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    });
  });

  test("a pod gets the time that its daemon takes to end", () => {
    const { spec } = read("deployment.yaml") as {
      spec: {
        template: {
          spec: {
            terminationGracePeriodSeconds: number;
            containers: { args: string[] }[];
          };
        };
      };
    };
    const { terminationGracePeriodSeconds, containers } = spec.template.spec;
    const seconds = (flag: string) =>
      Number(containers[0]?.args.find((word) => word.startsWith(`${flag}=`))?.split("=")[1]);
    const ending = seconds("--shutdown-delay") + seconds("--drain-timeout");
    expect(seconds("--shutdown-delay")).toBeGreaterThanOrEqual(3);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(ending);
  });

  test.each([
    ["deployment.yaml", 1024],
    ["follow/stateful-set.yaml", 1536],
  ])("%s: the memory limit holds what hostile clients can make the daemon use", (name, own) => {
    const { spec } = read(name) as {
      spec: {
        template: {
          spec: {
            containers: {
              env: { name: string; value?: string }[];
              resources: { limits: { cpu: string; memory: string } };
            }[];
          };
        };
      };
    };
    const { env = [], resources } = spec.template.spec.containers[0] ?? {};
    const { cpu = "", memory = "" } = resources?.limits ?? {};
    const settingOf = (variable: string) => env.find((each) => each.name === variable)?.value;
    const workers = Number(settingOf("SVC_DAEMON_WORKERS") ?? cpu);
    const workerMebibytes = Number(settingOf("SVC_DAEMON_WORKER_MEMORY")) + 128;
    const limit = Number(/^(\d+)Gi$/.exec(memory)?.[1]) * 1024;
    expect(4 * workers * workerMebibytes + own).toBeLessThanOrEqual(limit);
  });

  test("what selects the pods is what they are labelled with", () => {
    const label = { "app.kubernetes.io/name": "svc" };
    const matching = { spec: { selector: { matchLabels: label } } };
    expect(read("deployment.yaml")).toMatchObject(matching);
    expect(read("deployment.yaml")).toMatchObject({
      spec: { template: { metadata: { labels: label } } },
    });
    expect(read("service.yaml")).toMatchObject({ spec: { selector: label } });
    expect(read("service.yaml")).toMatchObject({ metadata: { labels: label } });
    expect(read("service-monitor.yaml")).toMatchObject(matching);
    expect(read("pod-disruption-budget.yaml")).toMatchObject(matching);
    const policy = { spec: { podSelector: { matchLabels: label } } };
    expect(read("network-policy.yaml")).toMatchObject(policy);
  });
});

describe("release/kubernetes/follow", () => {
  const readFollow = (name: string) => read(join("follow", name));

  test("the kustomization names every manifest, the settings and this version", () => {
    expect(readFollow(LIST)).toMatchObject({
      resources: [...FOLLOW],
      configMapGenerator: [{ name: "svc-follow", files: ["svc.json"] }],
      images: [{ name: "svc", newName: "svc", newTag: packageFile.version }],
    });
    expect(readdirSync(join(MANIFESTS, "follow")).toSorted()).toEqual(
      [...FOLLOW, LIST, "svc.json"].toSorted(),
    );
  });

  test("the settings are settings of svc, and one replica has a volume for its state", () => {
    const path = join(MANIFESTS, "follow", "svc.json");
    const settings = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    const file = { path, settings };
    const inputs = { file, state: "/var/lib/svc", environment: {}, workingDirectory: "/" };
    expect(resolveFollowConfig(inputs)).toMatchObject({ state: "/var/lib/svc" });
    const set = readFollow("stateful-set.yaml") as {
      spec: { template: { spec: { containers: { args: string[]; volumeMounts: unknown[] }[] } } };
    };
    expect(set).toMatchObject({
      spec: {
        replicas: 1,
        selector: { matchLabels: { "app.kubernetes.io/name": "svc-follow" } },
        template: {
          metadata: { labels: { "app.kubernetes.io/name": "svc-follow" } },
          spec: { securityContext: { runAsNonRoot: true } },
        },
        volumeClaimTemplates: [{ metadata: { name: "state" } }],
      },
    });
    const [container] = set.spec.template.spec.containers;
    expect(container?.args).toContain("--follow");
    expect(container?.volumeMounts).toContainEqual({ name: "state", mountPath: "/var/lib/svc" });
    expect(container?.args.filter((word) => !isFlagOfDaemon(word))).toEqual(["daemon"]);
  });

  kubernetes.test.each(FOLLOW.filter((name) => !CUSTOM.includes(name)))(
    "%s is what Kubernetes accepts",
    (name) => {
      const run = runTool([KUBERNETES, "--strict", join(MANIFESTS, "follow", name)]);
      expect(run).toMatchObject({ exitCode: 0, text: expect.stringContaining("passed") });
    },
  );
});

function isFlagOfDaemon(word: string): boolean {
  const files = ["http-server/server-settings.ts", "daemon/commands/daemon.ts"];
  const source = files.map((file) => readFileSync(join(ROOT, "src", file), "utf8")).join("\n");
  const name = /^--([a-z-]+)/
    .exec(word)?.[1]
    ?.replaceAll(/-[a-z]/g, (at) => at.slice(1).toUpperCase());
  return name === "config" || new RegExp(`^ +${name}: \\{`, "m").test(source);
}

interface PieceJob {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly podFailurePolicy: unknown;
    readonly template: {
      readonly spec: {
        readonly securityContext?: Readonly<Record<string, unknown>>;
        readonly containers: readonly {
          readonly name: string;
          readonly args?: readonly string[];
          readonly volumeMounts?: readonly { readonly name: string }[];
        }[];
        readonly volumes?: readonly { readonly name: string }[];
      };
    };
  };
}

describe("release/kubernetes/pieces", () => {
  const job = read("pieces/job.yaml") as PieceJob;

  kubernetes.test("is what Kubernetes accepts", () => {
    const run = runTool([KUBERNETES, "--strict", join(MANIFESTS, "pieces", "job.yaml")]);
    expect(run).toMatchObject({ exitCode: 0, text: expect.stringContaining("passed") });
  });

  test("stops for usage and settings alone, and forgives evictions", () => {
    expect(CATALOGUE.USAGE.exitCode).toBe(2);
    expect(CATALOGUE.CONFIG_INVALID.exitCode).toBe(3);
    expect(job.spec.podFailurePolicy).toEqual({
      rules: [
        { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
        {
          action: "FailJob",
          onExitCodes: { containerName: "piece", operator: "In", values: [2, 3] },
        },
      ],
    });
  });

  test.each(["pieces/files/patch.yaml", "rehearse/builds.yaml"])(
    "%s is a patch of the Job, and mounts each of its volumes",
    (name) => {
      const patch = read(name) as PieceJob;
      const [of, changed] = [job, patch].map(({ spec }) => spec.template.spec);
      expect(patch.metadata.name).toBe(job.metadata.name);
      expect(changed?.containers[0]?.name).toBe(of?.containers[0]?.name ?? "");
      const mounted = changed?.containers[0]?.volumeMounts?.map((each) => each.name);
      expect(mounted).toEqual(changed?.volumes?.map((each) => each.name) ?? []);
    },
  );

  test("the user of the Job can write the results of files", () => {
    const [of, files] = ["job", "files/patch"].map(
      (name) => (read(`pieces/${name}.yaml`) as PieceJob).spec.template.spec.securityContext,
    );
    expect(files?.fsGroup).toBe(of?.runAsGroup);
  });

  test.each(PIECES)("%s has this version, and every variable of its command line", (name) => {
    const { args, literals, list } = pieceJob(name);
    expect(list.images).toEqual([{ name: "svc", newName: "svc", newTag: packageFile.version }]);
    expect(args[0]).toBe(name);
    for (const [, variable = ""] of args.join(" ").matchAll(/\$\((\w+)\)/g))
      expect([...literals.keys()]).toContain(variable);
    expect([...literals.keys()]).toContain("SVC_SHARDS");
    expect(list.resources).toEqual(["../pieces"]);
    expect(list.nameSuffix).toBe(`-${name}`);
    const label = { "app.kubernetes.io/name": `svc-${name}` };
    expect(list.labels).toEqual([{ pairs: label, includeTemplates: true }]);
  });

  test("the Jobs differ in nothing but their arguments, volumes and variables", () => {
    const [verify, rehearse] = PIECES.map((name) => pieceJob(name).list);
    expect(rehearse?.replacements).toEqual(verify?.replacements);
    expect(read("pieces/kustomization.yaml")).toMatchObject({ resources: ["job.yaml"] });
  });
});

describe("release/slurm", () => {
  const script = join(ROOT, "release", "slurm", "pieces.sh");

  /** Runs the script as a task whose svc ends with these codes, one attempt after the other. */
  async function task(codes: readonly number[], words: readonly string[]) {
    const directory = mkdtempSync(join(tmpdir(), "svc-slurm-"));
    const record = (name: string, more: string) => {
      const said = `echo "${name} $*" >> ${directory}/log`;
      const mode = 0o755;
      writeFileSync(join(directory, name), `#!/bin/bash\n${said}\n${more}\n`, { mode });
    };
    const list = codes.join(" ");
    record("srun", `codes=(${list})\nexit "\${codes[$(grep -c ^srun ${directory}/log) - 1]}"`);
    record("scancel", "");
    record("sleep", "");
    const run = Bun.spawnSync(["bash", script, ...words], {
      cwd: directory,
      env: {
        PATH: `${directory}:${process.env.PATH}`,
        SLURM_ARRAY_TASK_COUNT: "48",
        SLURM_ARRAY_JOB_ID: "7",
      },
    });
    const log = await Bun.file(join(directory, "log"))
      .text()
      .catch(() => "");
    rmSync(directory, { recursive: true });
    return { exitCode: run.exitCode, log: log.split("\n").slice(0, -1), directory };
  }

  test.each([
    ["verify 1-9", " --warm-up 320"],
    ["verify /ledgers", " --warm-up 320"],
    ["rehearse C=new.wasm 1-9", " --warm-up 320"],
    // A piece of files reads all that it needs.
    ["rehearse C=new.wasm /ledgers", ""],
  ])("a task is a piece: svc %s", async (line, warmUp) => {
    const words = line.split(" ");
    const { exitCode, log, directory } = await task([0], words);
    const result = `--result ${directory}/${words[0]}`;
    const rest = `--shard env ${result}${warmUp} --jobs 1`;
    expect(log).toEqual([`srun --ntasks=1 svc ${line} ${rest}`]);
    expect(exitCode).toBe(0);
  });

  test("a failure is tried again, and a wrong command line ends the array", async () => {
    const failing = await task([4, 4, 2], ["verify", "1-9"]);
    const did = failing.log.map((line) => line.split(" ")[0]);
    expect(did).toEqual(["srun", "sleep", "srun", "sleep", "srun", "scancel"]);
    expect(failing.log.at(-1)).toBe("scancel 7");
    expect(failing.exitCode).toBe(2);
    expect((await task([], [])).exitCode).not.toBe(0);
  });
});

for (const file of ["compose.yaml", "fork.yaml"])
  schemaChecker.test(`${file} is a compose file`, () => {
    const run = runTool([
      JSON_SCHEMA,
      "--builtin-schema",
      "vendor.compose-spec",
      join(ROOT, "release", "compose", file),
    ]);
    expect(run).toMatchObject({ exitCode: 0 });
  });

function read(name: string): unknown {
  return Bun.YAML.parse(readFileSync(join(MANIFESTS, name), "utf8"));
}
