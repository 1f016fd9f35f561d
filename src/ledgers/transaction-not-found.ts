// Makes the error for a hash that no source has. It lists the sources, and the other network that
// has the transaction if a cheap request can find it.

import { SvcError } from "../base/errors/errors.ts";
import {
  AGAIN,
  atClient,
  flag,
  joined,
  phrase,
  phraseFor,
  SHELL,
  type Wording,
} from "../base/phrase.ts";
import { askInTurn } from "../sources/ask-in-turn.ts";
import type { Elsewhere } from "../sources/open-source.ts";
import type { FetchContext, Source } from "../sources/source.ts";

const MAXIMUM_MILLISECONDS = 4000;
const JUST_SENT = "If the transaction was sent just now, try again in 10 to 30 seconds.";

/** Rejects only if it is interrupted. */
export async function transactionNotFound(
  hash: string,
  nodes: readonly Source[],
  elsewhere: readonly Elsewhere[],
  context: FetchContext,
): Promise<SvcError> {
  const networks = await findElsewhere(hash, elsewhere, context);
  const described = nodes.map(describe);
  const sources = described.map((each) => phraseFor(each, SHELL));
  const otherNetwork = networks[0];
  const checked = elsewhere.map(({ network }) => network).join(" or ");
  const other =
    elsewhere.length === 0 || otherNetwork !== undefined ? "" : ` It is not on ${checked} either.`;
  return new SvcError("TRANSACTION_NOT_FOUND", {
    message:
      otherNetwork === undefined
        ? phrase`Transaction ${hash} was not found on ${joined(described, ", ")}.${other}`
        : `Transaction ${hash} is not on this network, but on ${networks.join(" and ")}.`,
    remedy:
      otherNetwork === undefined
        ? phrase`Check all 64 hexadecimal characters and ${flag("network")}. ${JUST_SENT}`
        : phrase`${AGAIN} with ${flag("network", `${otherNetwork}`)}.`,
    httpRemedy:
      otherNetwork === undefined
        ? `Check all 64 hexadecimal characters and the network of the daemon. ${JUST_SENT}`
        : phrase`${atClient("Send the request to", "Use")} a daemon of ${otherNetwork}.`,
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
        const reply = await askInTurn([source], { signal }, (each, asking) =>
          each.fetchTransaction?.(hash, asking),
        );
        return reply.answer !== null;
      } catch {
        context.signal.throwIfAborted();
        return false;
      }
    }),
  );
  return elsewhere.filter((_, index) => known[index]).map(({ network }) => network);
}

function describe(source: Source): Wording {
  if (source.lack !== undefined) return phrase`${source.name} (${source.lack})`;
  const range = source.range?.() ?? null;
  return range === null
    ? phrase`${source.name}`
    : phrase`${source.name} (ledgers ${range.first} to ${range.last})`;
}
