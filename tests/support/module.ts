// svc-sim as a WebAssembly module, in a worker of Bun and beside the program. For acceptance.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ensureModulesBuilt,
  MODULE,
  RECORDING_MODULE,
  SIMULATOR_BINARY,
} from "../../scripts/ensure-built.ts";
import { openConnected } from "../../src/simulator/connected.ts";
import type { Connect, ConnectedProgram } from "../../src/simulator/connection.ts";
import { connectModule } from "../../src/simulator/module/connection.ts";
import { instanceInWorker } from "../../src/simulator/module/worker.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { SimulatorProcess } from "../../src/simulator/simulator-process.ts";

/** Builds the module if it is outdated. */
export function compileTestModule(): WebAssembly.Module {
  ensureModulesBuilt();
  return new WebAssembly.Module(readFileSync(MODULE));
}

/** Builds both modules if they are outdated. */
export function compileRecordingModule(): WebAssembly.Module {
  ensureModulesBuilt();
  return new WebAssembly.Module(readFileSync(RECORDING_MODULE));
}

/** The module, with each instance in a worker of its own. */
export function connectedModule(module: WebAssembly.Module): ConnectedProgram {
  const script = join(import.meta.dir, "instance-worker.ts");
  const open = () => instanceInWorker(module, new Worker(script));
  return { path: MODULE, connect: connectModule(open) };
}

export const connectedProgram = connectedTo(SIMULATOR_BINARY);

/** svc-sim or svc-sim-recording, with a process for each connection. */
export function connectedTo(path: string): ConnectedProgram {
  return { path, connect: (args, limitBytes) => new SimulatorProcess(path, args, limitBytes) };
}

/** How two answers to one request differ. */
export interface Difference {
  readonly program: string;
  readonly module: string;
}

/** A simulator that asks both, compares the bytes of their answers, and returns the program's. */
export interface ComparingSimulator extends Simulator {
  readonly compared: () => number;
  readonly differences: readonly Difference[];
}

export function openComparing(module: ConnectedProgram): ComparingSimulator {
  const differences: Difference[] = [];
  let compared = 0;
  const simulator = openConnected({
    ...connectedProgram,
    connect: (args) => comparing([connectedProgram.connect, module.connect], args),
  });
  function comparing(
    [program, other]: readonly [Connect, Connect],
    args: readonly string[],
  ): ReturnType<Connect> {
    const [one, two] = [program(args), other(args)];
    return {
      ...one,
      run: one.run,
      async ask(text, read, options) {
        const raw = (connection: typeof one) => connection.ask(text, (_, line) => line, options);
        const [answer, its] = await Promise.all([raw(one), raw(two)]);
        compared += 1;
        const [program, module] = [withoutTimes(answer), withoutTimes(its)];
        if (program !== module) differences.push({ program, module });
        return read(JSON.parse(answer), answer, one.run);
      },
      async [Symbol.asyncDispose]() {
        await one[Symbol.asyncDispose]();
        await two[Symbol.asyncDispose]();
      },
    };
  }
  return { ...simulator, compared: () => compared, differences };
}

/** The only part of an answer that is measured. */
export function withoutTimes(line: string): string {
  return line.replace(/"(host_?[nN]anoseconds)":\d+/g, '"$1":0');
}
