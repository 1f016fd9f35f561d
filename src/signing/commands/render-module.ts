// The report of svc hsm list. A label on a token can be any text, so every line is neutralized.

import { atWidth, pairs, wrap } from "../../report/text/layout.ts";
import type { ModuleReport, SlotReport, TokenReport } from "../examine-module.ts";
import type { KeyFacts } from "../token-keys.ts";

/** Renders the report. `columns` is the width of the terminal; 0 if there is none. */
export function renderModule(report: ModuleReport, columns: number): string {
  return atWidth(columns, () => drawModule(report));
}

function drawModule(report: ModuleReport): string {
  const { path, manufacturer, description, libraryVersion, cryptokiVersion, slots } = report;
  const lines = [
    ...wrap(`Module ${path}`, ""),
    ...pairs([
      ["library", `${description} ${libraryVersion} by ${manufacturer}`],
      ["PKCS#11", cryptokiVersion],
    ]),
    ...slots.flatMap((slot) => ["", ...slotLines(slot)]),
  ];
  return `${lines.join("\n")}\n`;
}

function slotLines({ id, description, token }: SlotReport): string[] {
  const title = wrap(`Slot ${id} - ${description}`, "");
  if (token === null) return [...title, "  no token"];
  if (!token.initialised) return [...title, "  a blank token, not initialized"];
  return [...title, ...pairs(tokenRows(token)), ...keyLines(token)];
}

function tokenRows(token: TokenReport): [string, string][] {
  const { label, manufacturer, model, serialNumber, mechanisms, signsEd25519 } = token;
  const eddsa = signsEd25519 ? "with CKM_EDDSA" : "without CKM_EDDSA: svc cannot sign with it";
  return [
    ["token", `"${label}"`],
    ["device", `${manufacturer} ${model}, serial number ${serialNumber}`],
    ["user PIN", pinState(token)],
    ["mechanisms", `${mechanisms.length}, ${eddsa}`],
  ];
}

function pinState({ pin }: TokenReport): string {
  if (!pin.initialised) return "not set";
  if (pin.locked) return "LOCKED";
  if (pin.finalTry) return "set; ONE TRY LEFT";
  return pin.countLow ? "set; wrong PINs were entered before" : "set";
}

function keyLines({ privateKeys, publicKeys }: TokenReport): string[] {
  if (privateKeys !== null) return list("private keys", privateKeys, signNote);
  const hint =
    "  private keys: to list them, set the PIN, and select the token if there are several";
  return [...list("public keys", publicKeys, () => ""), hint];
}

function list<Key extends KeyFacts>(
  title: string,
  keys: readonly Key[],
  note: (key: Key) => string,
): string[] {
  if (keys.length === 0) return [`  ${title}: none`];
  return [
    `  ${title}`,
    ...keys.flatMap((key) => [
      ...wrap(
        `"${key.label}" ${key.id === "" ? "without ID" : `ID ${key.id}`}, ${key.type}${note(key)}`,
        "    ",
        6,
      ),
      ...(key.address === null ? [] : wrap(key.address, "      ")),
    ]),
  ];
}

function signNote({ maySign }: { readonly maySign: boolean }): string {
  return maySign ? "" : ", cannot sign";
}
