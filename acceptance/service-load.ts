// A steady load on the replicas behind a Kubernetes Service, as a Service with clients that keep
// their connections has it: a connection stays with the replica that it was opened to, and a new
// one goes to any endpoint that is ready. There is no retry: whatever is not the recorded answer is
// a failure.

import { type Connection, openConnection } from "../bench/keep-alive-connection.ts";
import { RECORDED, type Recorded } from "../bench/recorded-requests.ts";

const PORT = 8080;

export interface ServiceLoadOptions {
  /** The addresses that are ready now. */
  readonly endpoints: () => readonly string[];
  readonly requestsPerSecond: number;
  readonly clients: number;
  readonly token: string;
}

export interface LoadReport {
  readonly requests: number;
  readonly perSecond: number;
  /** How often each failure was seen. */
  readonly failures: Readonly<Record<string, number>>;
  /** From the time at which a request was due, so that a wait for the one before counts. */
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
  readonly mostMilliseconds: number;
  /** Requests by replica. */
  readonly replicas: Readonly<Record<string, number>>;
}

export interface ServiceLoad {
  /** Ends the load when all requests have their answers. */
  readonly stop: () => Promise<LoadReport>;
}

export function startLoad(options: ServiceLoadOptions): ServiceLoad {
  const { requestsPerSecond, clients } = options;
  const tally = new Tally();
  const ending = new AbortController();
  const every = (clients / requestsPerSecond) * 1000;
  const begin = performance.now();
  const running = Array.from({ length: clients }, (_, index) =>
    runClient(options, tally, ending.signal, { begin: begin + (index / clients) * every, every }),
  );
  return {
    async stop() {
      ending.abort();
      await Promise.all(running);
      return tally.report();
    },
  };
}

async function runClient(
  { endpoints, token }: ServiceLoadOptions,
  tally: Tally,
  ending: AbortSignal,
  { begin, every }: { readonly begin: number; readonly every: number },
): Promise<void> {
  let connection: Connection | null = null;
  let replica = "";
  for (let turn = 0; !ending.aborted; turn += 1) {
    const due = begin + turn * every;
    await Bun.sleep(Math.max(0, due - performance.now()));
    const { body, isAnswer } = RECORDED[tally.begun % RECORDED.length] as Recorded;
    tally.begun += 1;
    try {
      if (connection === null || connection.closed()) {
        const ready = endpoints();
        replica = ready[Math.floor(Math.random() * ready.length)] ?? "";
        if (replica === "") throw new Error("no endpoint is ready");
        const headers = { authorization: `Bearer ${token}` };
        connection = await openConnection(PORT, { host: replica, headers });
      }
      const got = await connection.send("POST", "/v1/simulate", body);
      if (got.status !== 200) throw new Error(`status ${got.status}`);
      if (!isAnswer(got.text)) throw new Error("another answer");
      tally.answered(replica, performance.now() - due);
    } catch (error) {
      tally.failed(error);
      connection = null;
    }
  }
  await connection?.[Symbol.asyncDispose]();
}

class Tally {
  begun = 0;
  private readonly begin = performance.now();
  private readonly times: number[] = [];
  private readonly failures: Record<string, number> = {};
  private readonly replicas: Record<string, number> = {};

  answered(replica: string, milliseconds: number): void {
    this.times.push(milliseconds);
    this.replicas[replica] = (this.replicas[replica] ?? 0) + 1;
  }

  failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.failures[reason] = (this.failures[reason] ?? 0) + 1;
  }

  report(): LoadReport {
    const sorted = this.times.toSorted((one, other) => one - other);
    const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
    return {
      requests: this.begun,
      perSecond: (this.begun * 1000) / (performance.now() - this.begin),
      failures: this.failures,
      p50Milliseconds: at(0.5),
      p99Milliseconds: at(0.99),
      mostMilliseconds: Math.round(sorted.at(-1) ?? 0),
      replicas: this.replicas,
    };
  }
}
