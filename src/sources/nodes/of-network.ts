// A node is asked once which network it is of, after its first answer: one that gives none is not
// asked. Entries and ledgers of another network look like any others, and what is absent there
// proves nothing.

import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { FetchContext, Source } from "../source.ts";

/** Null: the node does not say it. */
export type AskPassphrase = (context: FetchContext) => Promise<string | null>;

/** Each method throws NODE_LIED where the node is of another network than `networkPassphrase`. */
export function ofNetwork(
  source: Source,
  networkPassphrase: string,
  askPassphrase: AskPassphrase,
): Source {
  let asked: Promise<string | null> | null = null;
  const check = async (context: FetchContext): Promise<void> => {
    asked ??= askPassphrase(context).catch((error) => {
      // One that does not have the method never says it. After any other failure it is asked again.
      if (!(error instanceof SvcError && error.details.refused === true)) asked = null;
      return null;
    });
    const passphrase = await asked;
    if (passphrase === null || passphrase === networkPassphrase) return;
    throw otherNetwork(source.name, passphrase, networkPassphrase);
  };
  const guarded: Record<string, unknown> = { ...source };
  for (const name of ASKING) {
    const ask = source[name] as Asking | undefined;
    if (ask === undefined) continue;
    guarded[name] = async (...words: unknown[]) => {
      const answer = await ask(...words);
      await check(contextIn(words));
      return answer;
    };
  }
  const { fetchLedgerCloseMetas } = source;
  if (fetchLedgerCloseMetas === undefined) return guarded as unknown as Source;
  return {
    ...(guarded as unknown as Source),
    async *fetchLedgerCloseMetas(first, last, context) {
      for await (const ledger of fetchLedgerCloseMetas(first, last, context)) {
        await check(context);
        yield ledger;
      }
      await check(context);
    },
  };
}

type Asking = (...words: unknown[]) => Promise<unknown>;

const ASKING = [
  "fetchTransaction",
  "fetchLedgerFacts",
  "fetchLatestFacts",
  "fetchTip",
  "fetchLedgerCloseMeta",
  "fetchLedgerEntries",
] as const satisfies readonly (keyof Source)[];

function contextIn(words: readonly unknown[]): FetchContext {
  return words.at(-1) as FetchContext;
}

function otherNetwork(node: string, passphrase: string, expected: string): SvcError {
  return new SvcError("NODE_LIED", {
    message: `${node} is a node of the network "${neutralise(passphrase)}", not of "${expected}".`,
    remedy: "Set a node of this network, or another `--network`.",
    details: { node, passphrase: neutralise(passphrase) },
  });
}
