// The script of a worker with an instance of svc-sim.

import { serveInstance, type WorkerScope } from "../../src/simulator/module/worker.ts";

serveInstance(globalThis as unknown as WorkerScope);
