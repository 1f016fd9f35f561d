// Explains a file of contract code: its size, the claims in it about its build, and its interface.

import { atShell, phrase } from "../base/phrase.ts";
import { grouped } from "../base/text/grouped.ts";
import { cutSentence, quotedText } from "../base/text/neutralise.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { isLaterProtocol, NEWEST_PROTOCOL } from "../model/protocols.ts";
import { readContractMeta } from "../xdr/contract/contract-meta.ts";
import {
  type ContractSpec,
  readContractSpec,
  type SpecFunction,
  showErrorCase,
  showName,
  showSpecType,
  showUnread,
} from "../xdr/contract/contract-spec.ts";
import { valuesIn } from "../xdr/contract/wasm-sections.ts";
import { sha256 } from "../xdr/reader/hash.ts";

/** The characters that are shown of one part of an interface. */
const SHOWN = 2_000;
/** The characters that are shown of a version. */
const SHOWN_VERSION = 60;

/** `wasm` is null if the text was made from code that is not there. */
export function explainWasm(wasm: Uint8Array | null): CodeExplanation {
  const parts = [
    ...(wasm === null ? ["A wasm module, such as the code of a contract."] : contentOf(wasm)),
    "It shows nothing about an error by itself.",
  ];
  return {
    code: "wasm",
    kind: "file of code",
    meaning: parts.join(" "),
    remedy: phrase`Pass it${atShell(" as `--wasm FILE`")} beside an error of the contract, for the contract's own names.`,
  };
}

function contentOf(wasm: Uint8Array): string[] {
  const spec = readContractSpec(wasm);
  const hash = sha256(wasm).toHex();
  return [
    `A wasm module of ${grouped(wasm.length)} bytes with the hash ${hash}.`,
    ...buildOf(wasm),
    ...(spec === null
      ? ["It has no specification of a contract that can be read."]
      : interfaceOf(spec)),
  ];
}

/** The claims of the module about its build. Nothing checks its metadata (SEP-46). */
function buildOf(wasm: Uint8Array): string[] {
  const meta = readContractMeta(wasm);
  const claims = [
    ["the SDK", meta.get("rssdkver")],
    ["the compiler", meta.get("rsver")],
  ].flatMap(([what, version]) =>
    version === undefined ? [] : [`${what} is ${quotedText(version, SHOWN_VERSION)}`],
  );
  const said = claims.length === 0 ? [] : [`By its own words ${claims.join(", and ")}.`];
  const [environment] = valuesIn(wasm, "contractenvmetav0", "ScEnvMetaEntry", 1);
  if (environment === undefined) return said;
  const { protocol } = environment.interfaceVersion;
  const unknown = isLaterProtocol(protocol)
    ? `, later than ${NEWEST_PROTOCOL}, the newest that this svc knows`
    : "";
  return [...said, `It needs a network of protocol ${protocol} or later${unknown}.`];
}

function interfaceOf({ functions, errors, events, types, unread }: ContractSpec): string[] {
  const lists = [
    ["Functions", [...functions.values()].map(signatureOf)],
    ["Errors", errors.map((error) => `${showErrorCase(error)} (${error.value})`)],
    ["Events", events.map(({ name }) => showName(name))],
    ["Types", [...types.values()].map(({ name }) => showName(name))],
  ] as const;
  const shown = lists.flatMap(([what, list]) =>
    list.length === 0 ? [] : [`${what}: ${cutSentence(list.join("; "), SHOWN)}.`],
  );
  return unread === undefined ? shown : [...shown, showUnread(unread)];
}

function signatureOf({ name, inputs, output }: SpecFunction): string {
  const list = inputs.map((input) => `${showName(input.name)}: ${showSpecType(input.type)}`);
  const returned = output === null ? "" : ` -> ${showSpecType(output)}`;
  return `${showName(name)}(${list.join(", ")})${returned}`;
}
