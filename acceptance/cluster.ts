// kubectl in one namespace of the cluster of $KUBECONFIG, whose one node is this machine.

import { readdirSync, readFileSync } from "node:fs";

export interface Cluster {
  /** Returns stdout. Throws with stderr. */
  readonly kubectl: (words: readonly string[], input?: string) => Promise<string>;
  /** Follows the ready endpoints of the Service, as kube-proxy does. */
  readonly watchEndpoints: (service: string) => Promise<Endpoints>;
}

export interface Endpoints extends AsyncDisposable {
  readonly ready: () => readonly string[];
}

interface EndpointSlice {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: { readonly ready?: boolean };
  }[];
}

export function openCluster(namespace: string): Cluster {
  const command = (words: readonly string[]) => ["kubectl", "--namespace", namespace, ...words];
  return {
    async kubectl(words, input = "") {
      const child = Bun.spawn(command(words), {
        stdin: Buffer.from(input),
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout, stderr] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ]);
      if ((await child.exited) === 0) return stdout;
      throw new Error(`kubectl ${words.join(" ")}: ${stderr.trim()}`);
    },
    async watchEndpoints(service) {
      const label = `kubernetes.io/service-name=${service}`;
      const words = ["get", "endpointslices", "--selector", label, "--watch", "--output", "json"];
      const child = Bun.spawn(command(words), { stdin: "ignore", stdout: "pipe" });
      let ready: readonly string[] = [];
      const first = Promise.withResolvers<void>();
      const ended = (async () => {
        for await (const slice of documents(child.stdout)) {
          ready = (slice.endpoints ?? [])
            .filter(({ conditions }) => conditions.ready !== false)
            .flatMap(({ addresses }) => addresses);
          first.resolve();
        }
        first.reject(new Error("kubectl does not watch endpoints"));
      })();
      await first.promise;
      return {
        ready: () => ready,
        async [Symbol.asyncDispose]() {
          child.kill();
          await ended;
        },
      };
    },
  };
}

/** Those of a command of svc. */
export function processesOf(pod: { readonly metadata: { readonly uid: string } }, command: string) {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((id) => {
      try {
        return (
          readFileSync(`/proc/${id}/cgroup`, "utf8").includes(pod.metadata.uid) &&
          readFileSync(`/proc/${id}/cmdline`, "utf8").includes(`/usr/bin/svc\0${command}`)
        );
      } catch {
        // It has ended.
        return false;
      }
    })
    .map(Number);
}

/** kubectl writes one indented document after the other. */
async function* documents(stream: ReadableStream<Uint8Array>): AsyncGenerator<EndpointSlice> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf("\n}\n"); end !== -1; end = text.indexOf("\n}\n")) {
      yield JSON.parse(text.slice(0, end + 2));
      text = text.slice(end + 3);
    }
  }
}
