// What a program passes, checked before the work begins. Types do not check it in JavaScript.

import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { NETWORK_NAMES, type NetworkName } from "../model/networks.ts";

/** The hash in lower case. Throws HASH_INVALID. */
export function givenHash(hash: unknown): string {
  const [, digits] = typeof hash === "string" ? (/^(?:0x)?([0-9a-f]{64})$/i.exec(hash) ?? []) : [];
  if (digits !== undefined) return digits.toLowerCase();
  throw new SvcError("HASH_INVALID", {
    message: `"${neutralise(String(hash))}" is not a transaction hash.`,
    remedy: "Pass the 64 hexadecimal characters of the hash.",
  });
}

/** Throws FILE_INVALID for a value that is not a text. */
export function givenText(text: unknown, name: string): string {
  if (typeof text === "string") return text;
  throw new SvcError("FILE_INVALID", {
    message: `${name} is not a text.`,
    remedy: "Pass it as a string.",
  });
}

/** Throws CONFIG_INVALID. */
export function givenNetwork(name: unknown): NetworkName {
  const known = NETWORK_NAMES.find((each) => each === name);
  if (known !== undefined) return known;
  throw new SvcError("CONFIG_INVALID", {
    message: `"${neutralise(String(name))}" is not a network that svc knows.`,
    remedy: `Pass ${NETWORK_NAMES.join(", ")}, or the nodes of a network with its passphrase.`,
  });
}

/** Throws REQUEST_INVALID for what is not svc-sim as a compiled module. */
export function givenModule(module: unknown, file: string): WebAssembly.Module {
  // A module of another realm is not an instance of this one's class.
  const isModule = Object.prototype.toString.call(module) === "[object WebAssembly.Module]";
  if (isModule && hasFunction(module as WebAssembly.Module)) return module as WebAssembly.Module;
  throw new SvcError("REQUEST_INVALID", {
    message: `The module is not a compiled ${file}.`,
    remedy: `Pass what WebAssembly.compile returns for ${file} of the package.`,
  });
}

function hasFunction(module: WebAssembly.Module): boolean {
  return WebAssembly.Module.exports(module).some(({ name }) => name === "svc_serve");
}

/** Runs the work. If it was interrupted, throws INTERRUPTED. */
export async function unlessInterrupted<Result>(
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof SvcError || signal?.aborted !== true) throw cause;
    throw new SvcError("INTERRUPTED", {
      message: "The work was interrupted.",
      remedy: "Run it again.",
      cause,
    });
  }
}
