// The public ledger lake of a network (SEP-54, AWS open data). The user did not name it, so svc
// asks it after all other sources, reports this before it downloads, and leaves it out if it cannot
// be reached.

import { askAhead } from "../../base/ask-ahead.ts";
import { SvcError } from "../../base/errors/errors.ts";
import type { Http } from "../../base/http/http.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { PublicLake } from "../../model/networks.ts";
import { type FetchContext, isFailureOfNode, type Source } from "../source.ts";
import { openLedgerLake } from "./ledger-lake.ts";

export interface PublicLakeDependencies {
  readonly http: Http;
  readonly networkPassphrase: string;
  /** Called before the first download. */
  readonly progress: (text: string) => void;
}

const MAXIMUM_LISTING_BYTES = 1024 * 1024;
/** The number of ledgers that are fetched ahead while one is used. */
const LEDGERS_AHEAD = 8;
/** The time for its first answer. It is short because the user did not name the lake. */
const FIRST_ANSWER_MILLISECONDS = 8_000;

export function openPublicLake(
  { url, folders }: PublicLake,
  { http, networkPassphrase, progress }: PublicLakeDependencies,
): Source {
  const name = `lake ${nodeAddress(url)}`;
  let lakes: Promise<readonly Source[]> | null = null;
  let lapse: string | null = null;
  let answered = false;
  const openLakes = async (context: FetchContext): Promise<readonly Source[]> => {
    progress(`reading ledgers that no node has from the ${name} (about 1 MB each)`);
    const urls = folders ? await listFolders(http, url, context) : [url];
    return urls.map((each) => openLedgerLake({ http, url: each, nodeUrl: url, networkPassphrase }));
  };
  /** Asks the folders in turn. If a network was reset, its latest folder comes first. */
  const ask = async <T>(
    context: FetchContext,
    of: (lake: Source, context: FetchContext) => Promise<T | null> | undefined,
  ): Promise<T | null> => {
    if (lapse !== null) return null;
    const first = AbortSignal.timeout(FIRST_ANSWER_MILLISECONDS);
    const signal = answered ? context.signal : AbortSignal.any([context.signal, first]);
    try {
      lakes ??= openLakes({ signal }).catch((error) => {
        lakes = null;
        throw error;
      });
      for (const lake of await lakes) {
        const answer = await of(lake, { signal });
        answered = true;
        if (answer) return answer;
      }
      return null;
    } catch (error) {
      if (context.signal.aborted || !(signal.aborted || isFailureOfNode(error))) throw error;
      const why = signal.aborted ? "It did not answer in time." : (error as SvcError).message;
      lapse = `Ledgers that no node has were not read from the ${name}. ${why}`;
      return null;
    }
  };
  return {
    name,
    lapse: () => lapse,
    fetchLedgerCloseMeta: (sequence, context) =>
      ask(context, (lake, within) => lake.fetchLedgerCloseMeta?.(sequence, within)),
    async *fetchLedgerCloseMetas(first, last, context) {
      const fetchOne = (sequence: number, signal: AbortSignal) =>
        ask({ signal }, (lake, within) => lake.fetchLedgerCloseMeta?.(sequence, within));
      let sequence = first;
      for await (const ledgerCloseMeta of askAhead(
        sequencesOf(first, last),
        LEDGERS_AHEAD,
        fetchOne,
        context.signal,
      )) {
        if (ledgerCloseMeta === null) return;
        yield { sequence, ledgerCloseMeta };
        sequence += 1;
      }
    },
  };
}

function* sequencesOf(first: number, last: number): Generator<number> {
  for (let sequence = first; sequence <= last; sequence += 1) yield sequence;
}

/** The folders under an S3 prefix, the latest first. Their names have the date of a reset. */
async function listFolders(http: Http, url: string, context: FetchContext): Promise<string[]> {
  const { origin, pathname } = new URL(url);
  const prefix = `${pathname.slice(1)}/`;
  const listing = new URL("/", origin);
  listing.search = new URLSearchParams({ "list-type": "2", delimiter: "/", prefix }).toString();
  const answer = await http.send(
    { url: listing.href, nodeUrl: url, method: "GET", maximumBytes: MAXIMUM_LISTING_BYTES },
    context,
  );
  const text = new TextDecoder().decode(answer.body);
  const folders = [...text.matchAll(/<Prefix>([^<]+)\/<\/Prefix>/g)].flatMap(([, path = ""]) =>
    path.startsWith(prefix) ? path : [],
  );
  if (folders.length > 0)
    return folders
      .sort()
      .reverse()
      .map((path) => `${origin}/${path}`);
  throw new SvcError("NETWORK_BAD_ANSWER", {
    message: `${answer.node} listed no ledgers under ${pathname}.`,
    remedy: phrase`Set ${flag("ledgerLakeUrl")} to a ledger lake, or to \`none\`.`,
    details: { node: answer.node },
  });
}
