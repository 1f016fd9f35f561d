// The values at a moment: the arguments of a call, the values of its code, storage, events,
// authorizations and the budget.

import type { RecordedCall, TravelStack } from "../model/travel.ts";
import { storageName } from "../xdr/contract/key-typed.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import type { PlainValue } from "./expression.ts";
import type { Recording, Standpoint } from "./recording.ts";
import { group, integerShown, type Shown, shownValue, UNKNOWN, type ValueOrigin } from "./shown.ts";
import { sourceVariables } from "./source-variables.ts";
import { isUndone, type StoredValue, storageAt } from "./storage.ts";

export interface Scope {
  readonly name: string;
  readonly values: () => Promise<readonly Shown[]>;
}

type StackFrame = TravelStack[number];
/** A scope shows at most this many values. */
const PAGE = 200;

/** A place on the stack. */
export interface Spot {
  readonly frame: StackFrame;
  /** The function of the frame's code, 0 for the innermost; null for the call itself. */
  readonly level: number | null;
  /** The index among the functions that are inlined there, 0 for the innermost. */
  readonly inlined: number;
}

export function scopesOf({ recording, moment }: Standpoint, spot: Spot): Scope[] {
  const { frame, level, inlined } = spot;
  const traced = recording.trace.frames[frame.frame];
  const scopes: Scope[] = [];
  const code = () => {
    const query = { moment, frame: frame.frame, level };
    return recording.travel("variables", query);
  };
  const hasSource = level !== null && (frame.functions[level]?.sources.length ?? 0) > 0;
  if (hasSource)
    scopes.push({
      name: "Variables",
      values: async () => {
        const query = { moment, frame: frame.frame, level, inlined };
        const { variables } = await recording.travel("source_variables", query);
        const spec = recording.lookup(traced?.contract ?? null)?.spec ?? null;
        return sourceVariables(variables, frame.frame, spec);
      },
    });
  if (traced !== undefined && traced.kind !== "host")
    scopes.push({ name: "Arguments", values: async () => argumentsOf(recording, frame.frame) });
  if (level !== null) {
    scopes.push({
      name: "Locals",
      values: async () => {
        const { locals } = await code();
        return locals.map((local, index) => wasmValue(`local ${index}`, local, frame.frame));
      },
    });
    scopes.push({
      name: "Wasm",
      values: async () => {
        const { globals, operands } = await code();
        const { memoryBytes } = await memoryOf(recording, moment, frame.frame, 0, 0);
        const named = (kind: string, list: typeof globals) =>
          list.map((value, index) => wasmValue(`${kind} ${index}`, value, frame.frame));
        return [
          group("globals", globals.length, named("global", globals)),
          group("operand stack", operands.length, named("operand", operands)),
          {
            name: "memory",
            value: `${memoryBytes} bytes`,
            memory: { frame: frame.frame, address: 0 },
          },
        ];
      },
    });
  }
  const contract = traced?.contract ?? null;
  if (contract !== null)
    scopes.push({
      name: "Storage",
      values: async () =>
        storageAt(recording, contract, moment).slice(0, PAGE).map(storedShown(recording)),
    });
  scopes.push({
    name: "Transaction",
    values: async () => transactionValues(recording, moment, frame),
  });
  return scopes;
}

export function argumentsOf({ trace, lookup }: Recording, frame: number): Shown[] {
  const of = trace.frames[frame];
  const spec = lookup(of?.contract ?? null)?.spec ?? null;
  const inputs = spec?.functions.get(of?.function ?? "")?.inputs ?? [];
  return (of?.argumentsXdr ?? []).map((xdr, index) => {
    const { name = `argument ${index}`, type = null } = inputs[index] ?? {};
    return { ...shownValue(name, xdr, spec, type), origin: passedBy(trace, frame, index) };
  });
}

/** Names the caller that passed the argument: the transaction, or another contract. */
function passedBy(
  { frames, calls }: Recording["trace"],
  frame: number,
  index: number,
): ValueOrigin {
  const { function: name = "", begins = 0, parent = null } = frames[frame] ?? {};
  const text = `argument ${index + 1} of ${name}`;
  const caller = frames[parent ?? -1];
  if (caller === undefined || caller.kind === "host")
    return { text: `${text}, passed by the transaction`, moment: begins };
  const call = calls.findLast((each) => each.frame === parent && each.moment < begins);
  return { text: `${text}, passed by ${caller.function}`, moment: call?.moment ?? begins };
}

export function hostCallValues({ trace, lookup }: Recording, call: RecordedCall): Shown[] {
  const spec = lookup(trace.frames[call.frame]?.contract ?? null)?.spec ?? null;
  const result = shownValue(call.failed ? "error" : "result", call.resultXdr, spec);
  return [
    ...call.argumentsXdr.map((xdr, index) => shownValue(`argument ${index}`, xdr, spec)),
    { ...result, type: "from the record" },
  ];
}

function storedShown(recording: Recording) {
  return (stored: StoredValue): Shown => {
    const spec = recording.lookup(stored.contract)?.spec ?? null;
    const shown = (name: string, xdr: string | null) =>
      xdr === null ? { name, value: "(does not exist)" } : shownValue(name, xdr, spec);
    const now = shown(stored.key, stored.now);
    const children = async () => [
      ...((await now.children?.()) ?? []),
      shown("before the transaction", stored.before),
      stored.changedAt === null
        ? { name: "changed at moment", value: "not changed so far" }
        : integerShown("changed at moment", stored.changedAt),
      { name: "durability", value: stored.durability },
    ];
    const text =
      stored.changedAt === null
        ? `${stored.durability} storage, as it was before the transaction`
        : `${stored.durability} storage, written in this transaction`;
    const origin = { text, moment: stored.changedAt };
    return { ...now, children, origin, watch: storageName(stored) };
  };
}

function transactionValues(recording: Recording, moment: number, frame: StackFrame): Shown[] {
  const { trace, declaredInstructions, authorizations } = recording;
  const events = trace.calls.filter(
    (call) => call.function === "contract_event" && call.moment < moment && !call.failed,
  );
  const shownEvents = events.slice(-PAGE).map((call, index) => {
    const contract = trace.frames[call.frame]?.contract ?? null;
    const spec = recording.lookup(contract)?.spec ?? null;
    const text = call.argumentsXdr.map((xdr) =>
      xdr === null ? UNKNOWN : showTyped(xdr, null, spec),
    );
    const undone = isUndone(call, moment) ? " (rolled back)" : "";
    return { name: `[${index}]`, value: `${text.join(" ")}${undone}`, type: contract ?? "" };
  });
  const traced = trace.frames[frame.frame];
  const isLast = traced?.lastStep === moment;
  // The cost of wasm instructions is only known where the host looks.
  const cpu = BigInt(isLast ? traced.cpuAfter : frame.cpu);
  const when = isLast || frame.hostCall !== null ? "" : "at least ";
  const share = declaredInstructions > 0n ? (cpu * 100n) / declaredInstructions : 0n;
  const outermost = trace.frames.find(({ kind }) => kind !== "host");
  const spec = recording.lookup(outermost?.contract ?? null)?.spec ?? null;
  const result =
    outermost === undefined || outermost.resultXdr === null
      ? []
      : [shownValue(outermost.failed ? "error" : "return value", outermost.resultXdr, spec)];
  const auth = authorizations.map((value, index) => ({ name: `[${index}]`, value }));
  return [
    {
      ...integerShown("moment", moment),
      value: `${moment} of ${trace.moments - 1}`,
      compared: `${moment}`,
    },
    group("ledger", recording.ledger.sequence, [
      integerShown("sequence", recording.ledger.sequence),
      integerShown("timestamp", BigInt(recording.ledger.closeTimeUnixSeconds)),
      integerShown("protocol", recording.ledger.protocolVersion),
    ]),
    // The result of the whole call, at whatever moment the session is.
    ...result,
    group("events so far", events.length, shownEvents),
    group("authorizations", auth.length, auth),
    group("budget", `${when}${cpu} of ${declaredInstructions} instructions (${share} %)`, [
      integerShown(
        `instructions used ${isLast ? "at the end of the call" : "at the last host call"}`,
        cpu,
      ),
      integerShown("instructions declared", declaredInstructions),
      integerShown("memory bytes", BigInt(frame.memory)),
      ...(frame.fuel === null
        ? []
        : [integerShown("wasm fuel of this call so far", BigInt(frame.fuel))]),
    ]),
  ];
}

function wasmValue(
  name: string,
  { type, value, xdr }: { type: string; value: string; xdr: string | null },
  frame: number,
): Shown {
  // Any number may be zero, and few zeros are the value `false`.
  if (xdr !== null && value !== "0") {
    const shown = shownValue(name, xdr, null);
    // The value may still be a plain number.
    const raw = { name: "raw", value, plain: plainOfWasm(value), type };
    const children = async () => [...((await shown.children?.()) ?? []), raw];
    return { ...shown, value: `${value} = ${shown.value}`, compared: shown.value, type, children };
  }
  const address = Number(value) >>> 0;
  const memory = type === "i32" && { memory: { frame, address } };
  return { name, value, plain: plainOfWasm(value), type, ...memory };
}

/** Reads a value of wasm as svc-sim writes it: an integer, or the text of another value. */
function plainOfWasm(text: string): PlainValue {
  return /^-?\d+$/.test(text) ? BigInt(text) : text;
}

export function memoryOf(
  recording: Recording,
  moment: number,
  frame: number,
  offset: number,
  count: number,
) {
  return recording.travel("memory", { moment, frame, offset, count });
}
