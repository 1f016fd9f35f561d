// Asks a node once to which network it belongs, together with the first question, so that it takes
// no additional time. Entries and ledgers of another network look like any others, and the absence
// of an entry there proves nothing.

import { SvcError } from "../../base/errors/errors.ts";
import { beginningOf } from "../../base/own-text.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { cutVisibly, neutralise, quotedText } from "../../base/text/neutralise.ts";
import { networkInWords } from "../../model/networks.ts";
import { isLaterProtocol, protocolUnknown } from "../../model/protocols.ts";
import { isUnknownXdr } from "../../xdr/reader/shape.ts";
import { around } from "../around.ts";
import type { NoteProtocols } from "../protocol-notes.ts";
import type { FetchContext, Source } from "../source.ts";

/** Facts of a node's network. Each is null if the node does not report it. */
export interface NetworkOfNode {
  readonly passphrase: string | null;
  /** The protocol of its latest ledger. */
  readonly protocolVersion: number | null;
  /**
   * The latest protocol that its stellar-core supports: before an upgrade, that is the next one.
   */
  readonly supportedProtocol?: number | null;
}

export type AskNetwork = (context: FetchContext) => Promise<NetworkOfNode>;

/** The longest passphrase to show. Those of public networks have about 50 characters. */
const LONGEST_SHOWN = 200;
const SAYS_NOTHING: NetworkOfNode = { passphrase: null, protocolVersion: null };

/**
 * Wraps a node. Each question throws NODE_LIED if the node belongs to another network than
 * `networkPassphrase`, and PROTOCOL_UNKNOWN if its answer contains something that svc does not know
 * and the network has a later protocol.
 */
export function ofNetwork(
  source: Source,
  networkPassphrase: string,
  askNetwork: AskNetwork,
  noteProtocols: NoteProtocols = () => {},
): Source {
  /** Null after the caller that asked for all has left. */
  let pendingAnswer: Promise<NetworkOfNode | null> | null = null;
  let protocolVersion: number | null = null;
  const begin = (context: FetchContext): Promise<NetworkOfNode> => {
    const answer = askNetwork(context);
    pendingAnswer = answer.catch((error) => {
      // A node without the method never reports it. After any other failure it is asked again.
      if (!isRefused(error)) pendingAnswer = null;
      return context.signal.aborted ? null : SAYS_NOTHING;
    });
    return answer;
  };
  const greet = async (anew: boolean, context: FetchContext): Promise<void> => {
    try {
      await (anew ? begin(context) : (pendingAnswer ?? begin(context)));
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
  };
  const networkOf = async (context: FetchContext): Promise<NetworkOfNode> => {
    if (pendingAnswer === null) void begin(context).catch(() => {});
    const said = await pendingAnswer;
    if (said !== null && said !== undefined) return said;
    return context.signal.aborted ? SAYS_NOTHING : networkOf(context);
  };
  const check = async (network: Promise<NetworkOfNode>): Promise<void> => {
    const { passphrase, ...said } = await network;
    protocolVersion = said.protocolVersion;
    noteProtocols(source.name, said);
    if (passphrase === null || passphrase === networkPassphrase) return;
    throw otherNetwork(source.name, passphrase, networkPassphrase);
  };
  const isLater = () => protocolVersion !== null && isLaterProtocol(protocolVersion);
  const laterThanKnown = (cause: unknown) =>
    protocolUnknown({
      protocolVersion: protocolVersion ?? 0,
      ledger: null,
      node: source.name,
      cause,
    });
  const guarded = around(source, (context) => {
    const network = networkOf(context);
    return async (ask) => {
      try {
        const answer = await ask();
        await check(network);
        return answer;
      } catch (error) {
        if (!isUnknownXdr(error)) throw error;
        await check(network);
        // The network may have been upgraded since.
        if (!isLater()) await check(askNetwork(context).catch(() => network));
        throw isLater() ? laterThanKnown(error) : error;
      }
    };
  });
  return { ...guarded, greet, protocolVersion: () => protocolVersion };
}

function isRefused(error: unknown): boolean {
  return error instanceof SvcError && error.details.refused === true;
}

function otherNetwork(node: string, said: string, expected: string): SvcError {
  const passphrase = cutVisibly(neutralise(beginningOf(said, LONGEST_SHOWN)), LONGEST_SHOWN);
  const name = networkInWords(said);
  const other = name === said ? phrase`another ${flag("network")}` : flag("network", name);
  return new SvcError("NODE_LIED", {
    message: `${node} is a node of the network ${quotedText(said, LONGEST_SHOWN)}, not of "${expected}".`,
    remedy: phrase`Set a node of this network, or pass ${other}.`,
    details: { node, passphrase },
  });
}
