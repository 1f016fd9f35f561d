// The log of the contract host below an error, as rs-soroban-env prints it (events/mod.rs), made of
// events.

import { readDiagnosticEvent } from "../../src/xdr/outcome/diagnostics.ts";
import { toJson } from "../../src/xdr/reader/to-json.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { contractOfId } from "../../src/xdr/values/value-parts.ts";

type Json = Readonly<Record<string, unknown>>;

/** As rs-soroban-env prints a value (events/mod.rs). */
function printed(scValXdr: string): string {
  return show(toJson("ScVal", decode("ScVal", scValXdr)));
}

function show(value: unknown): string {
  if (value === "void") return "Void";
  if (value === "ledger_key_contract_instance") return "LedgerKeyContractInstance";
  const [[kind, inner] = ["", null]] = Object.entries(value as Json);
  switch (kind) {
    case "vec":
      return `[${((inner as unknown[]) ?? []).map(show).join(", ")}]`;
    case "map":
      return `{${(inner as { key: unknown; val: unknown }[]).map(({ key, val }) => `${show(key)}: ${show(val)}`).join(", ")}}`;
    case "string":
      return `"${inner}"`;
    case "bytes":
      return `Bytes(${inner})`;
    case "error": {
      const [[type, code] = ["", ""]] = Object.entries(inner as Json);
      const name = (words: string) =>
        words.replaceAll(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
      return `Error(${name(type)}, ${type === "contract" ? `#${code}` : name(String(code))})`;
    }
    default:
      return String(inner);
  }
}

/** The newest first, as the host prints them. */
export function logOf(eventsXdr: readonly string[]): string {
  const lines = eventsXdr.map((xdr) => {
    const { contract, topicsXdr, dataXdr, kind } = readDiagnosticEvent(xdr);
    const topics = topicsXdr.map((topic, i) =>
      i === 1 && printed(topicsXdr[0] ?? "") === "fn_call" ? contractOfId(topic) : printed(topic),
    );
    const by = contract === null ? "" : `contract:${contract}, `;
    const name = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    return `[${name} Event] ${by}topics:[${topics.join(", ")}], data:${printed(dataXdr)}`;
  });
  return `Event log (newest first):\n${lines
    .reverse()
    .map((line, i) => `   ${i}: ${line}\n`)
    .join("")}`;
}
