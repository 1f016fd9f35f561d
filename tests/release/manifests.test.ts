// The manifests against the schemas of Kubernetes, the Prometheus operator and the Compose
// specification. Unknown fields are refused: a misspelled field would be silently ignored.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import packageFile from "../../package.json";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { resolveFollowConfig } from "../../src/follow/follow-settings.ts";
import { needs } from "../support/needs.ts";
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
const VERIFY = "verify";

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

describe("release/kubernetes/verify", () => {
  const job = read(join(VERIFY, "job.yaml")) as {
    readonly spec: {
      readonly podFailurePolicy: unknown;
      readonly template: { readonly spec: { readonly containers: readonly { args: string[] }[] } };
    };
  };
  const list = read(join(VERIFY, LIST)) as {
    readonly configMapGenerator: readonly { readonly literals: readonly string[] }[];
    readonly images: unknown;
  };

  kubernetes.test("is what Kubernetes accepts", () => {
    const run = runTool([KUBERNETES, "--strict", join(MANIFESTS, VERIFY, "job.yaml")]);
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
          onExitCodes: { containerName: "verify", operator: "In", values: [2, 3] },
        },
      ],
    });
  });

  test("has this version, and every variable that its command line uses", () => {
    expect(list.images).toEqual([{ name: "svc", newName: "svc", newTag: packageFile.version }]);
    const names = list.configMapGenerator.flatMap(({ literals }) =>
      literals.map((literal) => literal.split("=")[0] ?? ""),
    );
    const args = job.spec.template.spec.containers[0]?.args.join(" ") ?? "";
    for (const [, name = ""] of args.matchAll(/\$\((\w+)\)/g)) expect(names).toContain(name);
    expect(names).toContain("SVC_SHARDS");
  });
});

test("the patch for files is one of the Job, and lets its user write results", () => {
  const [job, patch] = ["job", "files"].map((name) => read(`verify/${name}.yaml`)) as {
    metadata: { name: string };
    spec: {
      template: {
        spec: {
          securityContext: Record<string, unknown>;
          containers: { name: string; volumeMounts: { name: string }[] }[];
          volumes: { name: string }[];
        };
      };
    };
  }[];
  const [of, files] = [job?.spec.template.spec, patch?.spec.template.spec];
  expect(patch?.metadata.name).toBe(job?.metadata.name ?? "");
  expect(files?.containers[0]?.name).toBe(of?.containers[0]?.name ?? "");
  expect(files?.securityContext.fsGroup).toBe(of?.securityContext.runAsGroup);
  expect(files?.containers[0]?.volumeMounts.map(({ name }) => name)).toEqual(
    files?.volumes.map(({ name }) => name) ?? [],
  );
});

test("the Slurm script ends the array for exit codes that no other attempt changes", () => {
  const script = readFileSync(join(ROOT, "release", "slurm", "verify.sh"), "utf8");
  expect(script).toContain("2 | 3) scancel");
  for (const flag of ["--shard", "--result", "--warm-up", "--jobs"])
    expect([flag, script.includes(flag)]).toEqual([flag, true]);
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
