// Replaces arguments of the call, each by its name in the contract's specification or its position.

import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import type { SpecFunction } from "../../xdr/contract/contract-spec.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import { withCallArguments } from "../../xdr/envelope/call-arguments.ts";
import { ownCall, withCreated } from "../../xdr/envelope/created-contracts.ts";
import { decode, encode } from "../../xdr/reader/value.ts";
import { type Draft, lookupOf, overrideImpossible } from "./variant-draft.ts";

/** `written` has JSON by name or position. Throws OVERRIDE_IMPOSSIBLE. */
export async function overrideArguments(
  draft: Draft,
  written: ReadonlyMap<string, unknown>,
): Promise<void> {
  if (written.size === 0) return;
  const call = ownCall(draft.envelope);
  if (call === null)
    throw overrideImpossible("arguments", "the transaction calls no contract function");
  const lookup = withCreated(lookupOf(draft), draft.envelope, null);
  const spec = lookup(call.contract)?.spec ?? null;
  const described = spec?.functions.get(call.function) ?? null;
  const argumentsXdr = [...call.argumentsXdr];
  for (const [name, value] of written) {
    const field = `arguments.${name}`;
    const place = placeOf(name, described, argumentsXdr.length);
    if (place === null) throw noSuchArgument(field, name, described, argumentsXdr.length);
    const type = described?.inputs[place]?.type ?? null;
    const before = argumentsXdr[place];
    const after =
      asEncoded(value) ?? (await loadWrittenArgument()).scValOf(value, name, type, spec);
    const show = (xdr: string) => showTyped(xdr, type, spec);
    argumentsXdr[place] = after;
    draft.changed.push({
      kind: "argument",
      what: `argument ${described?.inputs[place]?.name ?? place} of ${neutralise(call.function)}`,
      before: before === undefined ? "none" : show(before),
      after: show(after),
    });
  }
  const { envelope, signedOtherwise } = withCallArguments(draft.envelope, argumentsXdr);
  draft.envelope = envelope;
  if (signedOtherwise > 0)
    draft.remarks.push(
      signedOtherwise === 1
        ? "A signed authorization of the call still has the old arguments. svc cannot sign it again."
        : `${signedOtherwise} signed authorizations of the call still have the old arguments. ` +
            "svc cannot sign them again.",
    );
}

// This is loaded only for values that a user wrote, because it needs the SDK.
const loadWrittenArgument = () => import("./written-argument.ts");

/** The ScVal of `{"xdr": …}` in the one form that svc writes; null for anything else. */
function asEncoded(written: unknown): string | null {
  const [[form, xdr] = [], ...others] = Object.entries(written ?? {});
  if (form !== "xdr" || typeof xdr !== "string" || others.length > 0) return null;
  try {
    return encode("ScVal", decode("ScVal", xdr)) === xdr ? xdr : null;
  } catch {
    return null;
  }
}

/** Null if there is no such argument. One argument more is accepted, for overridden code. */
function placeOf(name: string, described: SpecFunction | null, count: number): number | null {
  const named = described?.inputs.findIndex((input) => input.name === name) ?? -1;
  const place = named === -1 && /^\d{1,4}$/.test(name) ? Number(name) : named;
  const most = Math.max(count, described?.inputs.length ?? 0);
  return place >= 0 && place < most && place <= count ? place : null;
}

function noSuchArgument(
  field: string,
  name: string,
  described: SpecFunction | null,
  count: number,
): SvcError {
  if (described === null)
    return overrideImpossible(
      field,
      "the names of the arguments are unknown",
      `Use a position below ${count}.`,
    );
  const names = described.inputs.map((input) => input.name);
  const near = nearestWord(name, names);
  const list = names.length < 2 ? names : [names.slice(0, -1).join(", "), names.at(-1)];
  const use = list.length === 0 ? "The function takes no arguments." : `Use ${list.join(" or ")}.`;
  return new SvcError("OVERRIDE_IMPOSSIBLE", {
    message: `${described.name} has no argument \`${name}\`.`,
    remedy: near === null ? use : `Did you mean \`${near}\`?`,
    details: { field },
  });
}
