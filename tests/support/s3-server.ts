// A real S3-compatible object store on loopback: moto's server, a program of PyPI.

import { existsSync } from "node:fs";

export interface S3Server extends AsyncDisposable {
  readonly endpoint: string;
  /** The server does not listen until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Null where it is not installed. A shim of pyenv without the program behind it ends with 127. */
export function motoServer(): string | null {
  const path = Bun.which("moto_server");
  if (path === null || !existsSync(path)) return null;
  return Bun.spawnSync([path, "--version"], { stdio: ["ignore", "ignore", "ignore"] }).exitCode ===
    127
    ? null
    : path;
}

/** What the store had is lost when it stops: moto keeps objects in memory. */
export async function startS3(bucket: string): Promise<S3Server> {
  const program = motoServer();
  if (program === null) throw new Error("moto_server is not installed");
  const port = freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let child: Bun.Subprocess | null = null;
  const start = async () => {
    child = Bun.spawn([program, "--host", "127.0.0.1", "--port", String(port)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    for await (const chunk of child.stderr as ReadableStream<Uint8Array>) {
      if (new TextDecoder().decode(chunk).includes(`127.0.0.1:${port}`)) break;
    }
    await fetch(`${endpoint}/${bucket}`, { method: "PUT" });
  };
  const stop = async () => {
    child?.kill("SIGKILL");
    await child?.exited;
  };
  await start();
  return { endpoint, start, stop, [Symbol.asyncDispose]: stop };
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("") });
  const { port } = server;
  void server.stop(true);
  return Number(port);
}

export const S3_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: "an-access-key",
  AWS_SECRET_ACCESS_KEY: "a-secret-access-key",
  AWS_REGION: "us-east-1",
} as const;
