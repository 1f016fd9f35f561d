// Opens the inputs of svc verify and svc verify plan: files, or a range with the sources that have
// it.

import { nodeAddress } from "../base/http/node-address.ts";
import type { VerificationNodes } from "../model/verification.ts";
import type { Config } from "../sources/network-settings.ts";
import type { PieceInputs } from "../verify/pieces/verify-piece.ts";
import type { VerifyInputs } from "./arguments/verify-inputs.ts";
import type { Shell } from "./shell.ts";

export async function openVerifyInputs(
  shell: Shell,
  config: Config,
  inputs: VerifyInputs,
): Promise<PieceInputs> {
  if (inputs.kind === "files") return inputs;
  const { openCapture } = await import("../debugger/setup/open-nodes.ts");
  const { progress } = shell.log;
  return { ...inputs, ...openCapture(config, { ledgerFiles: [], progress }) };
}

export function warnOfSkipped({ log }: Shell, inputs: VerifyInputs): void {
  const [first, ...more] = inputs.kind === "files" ? inputs.skipped : [];
  if (first === undefined) return;
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  log.warn(`Skipped ${first}${others}: the name is not *.xdr, *.xdr.gz or *.xdr.zst.`);
}

/** The flags of the commands that reports show. The nodes of a known network need none. */
export function nodesOf(config: Config, inputs: VerifyInputs): VerificationNodes {
  const { origins, rpcUrls, ledgerLakeUrls } = config;
  const set = (origin: string, urls: readonly string[]) =>
    origin === "default" ? [] : urls.map(nodeAddress);
  return {
    networkPassphrase: chosenPassphrase(config, inputs),
    rpcUrls: set(origins.rpcUrl, rpcUrls),
    ledgerLakeUrls: set(origins.ledgerLakeUrl, ledgerLakeUrls),
  };
}

/** Null when the user did not choose a network: then the files determine it. */
export function chosenPassphrase(
  { origins, networkPassphrase }: Config,
  { kind }: VerifyInputs,
): string | null {
  const chosen = origins.network !== "default" || origins.networkPassphrase !== "default";
  return chosen || kind === "range" ? networkPassphrase : null;
}
