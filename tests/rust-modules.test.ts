// The modules of src/svc-sim depend on one another in one direction.

import { expect, test } from "bun:test";
import { join, resolve } from "node:path";

const SOURCES = resolve(import.meta.dir, "../src/svc-sim/src");

test("no module of svc-sim uses one that uses it", async () => {
  const graph = new Map<string, Set<string>>();
  for await (const path of new Bun.Glob("**/*.rs").scan(SOURCES)) {
    const module = path.split(/[/\\]/)[0]?.replace(/\.rs$/, "") ?? "";
    const used = modulesUsedIn(await Bun.file(join(SOURCES, path)).text());
    graph.set(module, (graph.get(module) ?? new Set()).union(used));
  }
  expect([...(graph.get("replay") ?? [])]).toContain("apply");
  expect([...graph.keys()].flatMap((module) => circleFrom(module, graph))).toEqual([]);
});

test("every way to name a module is seen", () => {
  const code = `
    use crate::error::Error; // crate::comment
    use crate::{
        hosts::{interface::HostInput, trace::Trace},
        xdr_codec::{self, xdr::{LedgerKey}}, wire,
    };
    pub(crate) fn f() { $crate::table::row!(crate::state::read()) }`;
  const seen = ["error", "hosts", "state", "table", "wire", "xdr_codec"];
  expect([...modulesUsedIn(code)].sort()).toEqual(seen);
});

/** The top-level modules after `crate::`. */
function modulesUsedIn(code: string): Set<string> {
  const used = new Set<string>();
  const bare = code.replace(/\/\/.*/g, "");
  for (const found of bare.matchAll(/\bcrate::(\w+|\{)/g)) {
    const named = found[1] === "{" ? listed(bare, found.index + found[0].length) : [found[1] ?? ""];
    for (const name of named) used.add(name);
  }
  return used;
}

/** What begins each item of the braces that are open at `start`. */
function listed(code: string, start: number): string[] {
  let [depth, outer] = [1, ""];
  for (let at = start; depth > 0 && at < code.length; at++) {
    const character = code[at] ?? "";
    if (character === "{") depth++;
    else if (character === "}") depth--;
    else if (depth === 1) outer += character;
  }
  return outer.split(",").flatMap((item) => item.trim().match(/^\w+/)?.[0] ?? []);
}

function circleFrom(start: string, graph: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const visit = (module: string, trail: readonly string[]): string[] => {
    for (const next of graph.get(module) ?? []) {
      if (next === module) continue;
      if (next === start) return [[...trail, module, start].join(" -> ")];
      if (trail.includes(next)) continue;
      const circle = visit(next, [...trail, module]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  return visit(start, []);
}
