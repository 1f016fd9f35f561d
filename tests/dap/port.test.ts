import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { frameMessage, type Incoming, MessageReader } from "../../src/dap/framing.ts";
import { svcBinary } from "../cli/run-svc.ts";

const CAPSULE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");

/** All messages until the first `stopped` event. */
function session(port: number): Promise<Incoming[]> {
  return new Promise((done, failed) => {
    const reader = new MessageReader();
    const seen: Incoming[] = [];
    const socket = connect(port, "127.0.0.1");
    const send = (seq: number, command: string, given: object) =>
      socket.write(frameMessage({ seq, type: "request", command, arguments: given }));
    socket.on("error", failed);
    socket.on("connect", () => {
      send(1, "initialize", { adapterID: "svc" });
      send(2, "launch", { capsule: CAPSULE });
      send(3, "configurationDone", {});
    });
    socket.on("data", (chunk: Buffer) => {
      seen.push(...reader.push(chunk));
      if (!seen.some((message) => "event" in message && message.event === "stopped")) return;
      socket.end();
      done(seen);
    });
  });
}

test("one port serves two sessions at once, and ends with its process", async () => {
  const server = spawn(svcBinary(), ["dap", "--port", "0"], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH, HOME: tmpdir() },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  const port = await new Promise<number>((known) => {
    server.stderr?.on("data", (chunk) => {
      log += chunk;
      const found = /127\.0\.0\.1:(\d+)/.exec(log);
      if (found) known(Number(found[1]));
    });
  });
  for (const seen of await Promise.all([session(port), session(port)]))
    expect(JSON.stringify(seen)).toContain("Where the transaction failed");
  const ended = new Promise((resolve) => server.once("exit", resolve));
  server.kill("SIGTERM");
  await ended;
});
