// A worker that has one instance of svc-sim, and the side that asks it. A worker can be ended at
// any moment, whatever the instance does, and its memory goes with it.

import { type InstancePlace, type ModuleFunction, ModuleInstance } from "./instance.ts";

/** What is sent to the worker. The first message has the module. */
type InstanceMessage =
  | { readonly module: WebAssembly.Module }
  | { readonly name: ModuleFunction; readonly input: Uint8Array };

/** What the worker answers with, in the order of the calls. */
interface InstanceAnswer {
  readonly output?: Uint8Array<ArrayBuffer>;
  /** The reason why there is no output. */
  readonly failure?: string;
  readonly log: string;
}

/** The global scope of a worker, as far as it is needed here. */
export interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}

/** Answers calls. The worker's own script calls this once. */
export function serveInstance(scope: WorkerScope): void {
  let instance: ModuleInstance | null = null;
  const answer = (sent: InstanceMessage): InstanceAnswer => {
    try {
      if ("module" in sent) {
        instance = ModuleInstance.start(sent.module);
        return { log: "" };
      }
      if (instance === null) return { failure: "has no module", log: "" };
      const output = instance.call(sent.name, sent.input);
      return { output, log: instance.log };
    } catch (error) {
      return { failure: `ended with ${error}`, log: instance?.log ?? "" };
    }
  };
  scope.onmessage = ({ data }) => {
    const answered = answer(data as InstanceMessage);
    if (!("module" in (data as object)) || answered.failure !== undefined)
      scope.postMessage(answered);
  };
}

/** Starts an instance in a worker of its own. */
export function instanceInWorker(module: WebAssembly.Module, worker: Worker): InstancePlace {
  const calls: PromiseWithResolvers<Uint8Array<ArrayBuffer>>[] = [];
  let log = "";
  let failure: Error | null = null;
  const end = (reason: string) => {
    failure ??= new Error(reason);
    worker.terminate();
    for (const { reject } of calls.splice(0)) reject(failure);
  };
  worker.onmessage = ({ data }) => {
    const answer = data as InstanceAnswer;
    log = answer.log;
    if (answer.output === undefined) end(answer.failure ?? "ended");
    else calls.shift()?.resolve(answer.output);
  };
  worker.onerror = ({ message = "an error" }) => end(`ended with ${message}`);
  worker.postMessage({ module } satisfies InstanceMessage);
  return {
    get log() {
      return log;
    },
    async call(name, input) {
      if (failure !== null) throw failure;
      const answered = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
      calls.push(answered);
      worker.postMessage({ name, input } satisfies InstanceMessage);
      return answered.promise;
    },
    end: () => end("was ended"),
  };
}
