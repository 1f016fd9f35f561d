// Pages of real investigations, and what a reader of their markup needs.

import type { NamedCall, NamedHostCall } from "../../../src/model/explanation.ts";
import type { Investigation } from "../../../src/model/investigation.ts";
import { renderPage } from "../../../src/report/html/page.ts";
import { encodeCapsule } from "../../../src/sources/files/capsule.ts";
import { findingsOf, found } from "../findings-of.ts";
import { inOrder, investigate } from "../investigations.ts";

export const capsuleOf = ({ record, snapshot }: Investigation) => encodeCapsule(record, snapshot);

export function pageOf(...investigations: readonly Investigation[]): string {
  const list = investigations.map((investigation) => found(investigation));
  return renderPage(findingsOf(list, list.length === 1), { capsuleOf });
}

/** A call tree with so many calls below its root, in groups of ten, the last with a host call. */
export function withCalls(count: number): Investigation {
  const base = investigate("try-call-catches-callee-failure");
  const root = base.explanation.calls as NamedCall;
  const { hostCalls: _none, ...like } = root.calls[0] as NamedCall;
  const calls: { -readonly [Field in keyof NamedCall]: NamedCall[Field] }[] = [];
  for (let made = 1; made <= count; made += 1) {
    const call = { ...like, function: `call_${made}`, failed: false, result: "void", calls: [] };
    const group = calls.at(-1);
    if (made % 10 === 1 || group === undefined) calls.push(call);
    else group.calls = [...group.calls, { ...call, ...(made % 10 === 0 && { hostCalls: HOST }) }];
  }
  return { ...base, explanation: { ...base.explanation, calls: inOrder({ ...root, calls }) } };
}

const HOST: readonly NamedHostCall[] = [
  {
    function: "get_contract_data",
    arguments: ["Balance"],
    result: "12",
    failed: false,
    storage: { action: "read", durability: "persistent", key: "Balance", value: "12" },
    authorization: null,
    depth: 0,
    afterCalls: 0,
    cpuInstructions: "123",
    memoryBytes: "0",
  },
];

export interface Element {
  readonly name: string;
  readonly attributes: readonly (readonly [string, string])[];
}

/** Elements as a parser of HTML finds them. */
export function elementsOf(page: string): Element[] {
  const elements: Element[] = [];
  const rewriter = new HTMLRewriter().on("*", {
    element: ({ tagName, attributes }) => {
      elements.push({
        name: tagName,
        attributes: [...attributes].map(([n = "", v = ""]) => [n, v]),
      });
    },
  });
  rewriter.transform(page);
  return elements;
}

/** Contents of the scripts or styles. */
export function contentsOf(page: string, name: "script" | "style"): string[] {
  return [...page.matchAll(new RegExp(`<${name}[^>]*>([\\s\\S]*?)</${name}`, "gi"))].map(
    ([, text = ""]) => text,
  );
}

/** The parsed JSON of a script element. */
export function dataOf(page: string, id: string): unknown {
  const [, text = ""] = new RegExp(`<script [^>]*id="${id}"[^>]*>([^<]*)<`).exec(page) ?? [];
  return JSON.parse(text);
}
