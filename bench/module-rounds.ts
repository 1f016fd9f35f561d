// The part of bench/module.ts that a runtime of JavaScript runs: for each line on stdin a round of
// all requests with svc-sim as WebAssembly, and then a line with the milliseconds of CPU time.
// Arguments: the module, and a file with the requests as JSON.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { ModuleInstance } from "../src/simulator/module/instance.ts";

const [modulePath = "", requestsPath = ""] = process.argv.slice(2);
const requests: readonly string[] = JSON.parse(readFileSync(requestsPath, "utf8"));
const inputs = requests.map((request) => new TextEncoder().encode(request));
const compileBegun = process.cpuUsage();
const module = new WebAssembly.Module(readFileSync(modulePath));
const instance = ModuleInstance.start(module);
console.log(millisecondsSince(compileBegun));
for await (const _ of createInterface({ input: process.stdin })) {
  const begun = process.cpuUsage();
  for (const input of inputs) instance.call("svc_serve", input);
  console.log(millisecondsSince(begun));
}

function millisecondsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1000;
}
