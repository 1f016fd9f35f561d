// The error for a hash that nobody knows. It says where svc looked, and, where that can be asked
// cheaply, which other network has the transaction.

import { SvcError } from "../../base/errors/errors.ts";
import { askInTurn, type FetchContext, type Source } from "../source.ts";

/** A network that was not named, and a node of it. */
export interface Elsewhere {
  readonly network: string;
  readonly source: Source;
}

const MAXIMUM_MILLISECONDS = 4000;
const REMEDY =
  "Check all 64 hexadecimal characters and --network; when it was sent just now, try again in 10 to 30 seconds.";

/** Never rejects but for an interruption. */
export async function transactionNotFound(
  hash: string,
  asked: readonly Source[],
  elsewhere: readonly Elsewhere[],
  context: FetchContext,
): Promise<SvcError> {
  const networks = await findElsewhere(hash, elsewhere, context);
  const sources = asked.map(describe);
  const found = networks[0];
  const checked = elsewhere.map(({ network }) => network).join(" and ");
  const other =
    elsewhere.length === 0 || found !== undefined ? "" : ` Neither does ${checked} have it.`;
  return new SvcError("TRANSACTION_NOT_FOUND", {
    message:
      found === undefined
        ? `The transaction ${hash} is not known to ${sources.join(", ")}.${other}`
        : `The transaction ${hash} is not on the network you named, but on ${networks.join(", ")}.`,
    remedy: found === undefined ? REMEDY : `Run the command again with --network ${found}.`,
    details: { hash, sources, networks },
  });
}

async function findElsewhere(
  hash: string,
  elsewhere: readonly Elsewhere[],
  context: FetchContext,
): Promise<string[]> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(MAXIMUM_MILLISECONDS)]);
  const known = await Promise.all(
    elsewhere.map(async ({ source }) => {
      try {
        const found = await askInTurn([source], { signal }, (each) =>
          each.fetchTransaction?.(hash, { signal }),
        );
        return found.answer !== null;
      } catch {
        context.signal.throwIfAborted();
        return false;
      }
    }),
  );
  return elsewhere.filter((_, index) => known[index]).map(({ network }) => network);
}

function describe(source: Source): string {
  const range = source.range?.() ?? null;
  return range === null ? source.name : `${source.name} (ledgers ${range.first} to ${range.last})`;
}
