// The effect of keys, on constructed trees and on real transactions.

import { describe, expect, test } from "bun:test";
import { withShortAddresses } from "../../../src/base/text/found-by-form.ts";
import { explain } from "../../../src/explain/explain.ts";
import type { NamedChange } from "../../../src/model/explanation.ts";
import { detailLines } from "../../../src/report/tui/details.ts";
import { helpPages } from "../../../src/report/tui/help.ts";
import { resized } from "../../../src/report/tui/state.ts";
import { ACTIONS } from "../../../src/report/tui/update.ts";
import { openedAlone } from "../../support/opened.ts";
import { protocolWalks } from "../../verdict/protocol-walk.ts";
import { inOrder, investigate, investigateClassic } from "../investigations.ts";
import {
  bushy,
  call,
  open,
  openAtFailure,
  press,
  screen,
  selectedRow,
  status,
  type,
  withCalls,
} from "./screens.ts";

const TREE = withCalls(
  call("root", [
    call("first", [call("mint"), call("broken", [], true)]),
    call("second", [call("mint"), call("burn")]),
    call("third", [], true),
  ]),
);
const state = open(TREE);
const name = (now: typeof state) => /(\w+)\(/.exec(selectedRow(now))?.[1];

test("without a replay of them the calls are those of the diagnostic events, without costs", () => {
  const real = investigate("fee-bump-failing");
  const explanation = explain(openedAlone(real.record), null, null);
  const shown = screen(open({ ...real, explanation }));
  expect(shown).toContain("trap()");
  expect(shown).toContain("from a node's diagnostic events");
  expect(shown).not.toMatch(/nothing ran|instructions/);
});

describe("the first screen", () => {
  test("is the summary, at the cause; every tab opens at its failure", () => {
    const shown = openAtFailure(TREE);
    expect(screen(shown)).toContain("[1 Summary]");
    expect(selectedRow(shown)).toMatch(/^(▾ )?✗ Cause: /);
    expect(name(press(shown, "2"))).toBe("broken");
  });

  test("of a success begins with what moved, in words", () => {
    const shown = screen(openAtFailure(investigate("sac-transfer"), { columns: 120, rows: 30 }));
    expect(shown).toMatch(
      /Token flow\n +transfer 0\.0001234 LAB:\S+ from GBH7…L4D4 to GAKP…L4AT\n[\s\S]*Nothing to do/,
    );
  });

  test("a resource that failed after the call is an error in the calls and the resources", () => {
    const shown = openAtFailure(investigate("write-bytes-exceeded"));
    expect(selectedRow(press(shown, "2"))).toStartWith("✗ The call returned; the check of its");
    expect(selectedRow(press(shown, "6"))).toStartWith("✗ write bytes ");
  });
});

describe("moving", () => {
  test("j and k, arrows, g and G, and not beyond the ends", () => {
    expect(name(press(state, "j"))).toBe("first");
    expect(name(press(state, "j", "down", "k"))).toBe("first");
    expect(name(press(state, "up", "k"))).toBe("root");
    expect(name(press(state, "G"))).toBe("third");
    expect(name(press(state, "G", "j", "down"))).toBe("third");
    expect(name(press(state, "G", "g"))).toBe("root");
  });

  test("a page at a time", () => {
    const long = open(
      withCalls(
        call(
          "root",
          Array.from({ length: 100 }, (_, i) => call(`c${i}`)),
        ),
      ),
    );
    expect(name(press(long, "pagedown"))).toBe("c10");
    expect(name(press(long, "pagedown", "pagedown", "pageup"))).toBe("c10");
    expect(status(press(long, "G"))).toContain("101/101");
  });

  test("c and C go from call to call, e from error to error and around", () => {
    expect(name(press(state, "c", "c"))).toBe("mint");
    expect(name(press(state, "c", "c", "C"))).toBe("first");
    expect(status(press(state, "C"))).toContain("No earlier call");
    expect(status(press(state, "G", "c"))).toContain("No further call");
    expect(name(press(state, "e"))).toBe("broken");
    expect(name(press(state, "e", "e"))).toBe("third");
    const around = press(state, "e", "e", "e");
    expect([name(around), status(around)]).toEqual([
      "broken",
      expect.stringContaining("back at the first"),
    ]);
    expect(status(press(open(investigate("sac-transfer")), "e"))).toContain("No line failed");
  });
});

describe("folding", () => {
  test("enter and space fold and unfold", () => {
    const folded = press(state, "j", "enter");
    expect(screen(folded)).not.toContain("broken");
    expect(screen(folded)).toContain("▸ CAU7…ZUBV first");
    expect(screen(press(folded, " "))).toBe(screen(press(state, "j")));
  });

  test("h goes out, l goes in", () => {
    const inside = press(state, "j", "l");
    expect(name(inside)).toBe("mint");
    expect(name(press(inside, "h"))).toBe("first");
    expect(screen(press(inside, "h", "h"))).not.toContain("broken");
    expect(name(press(inside, "left", "left", "left"))).toBe("root");
    expect(screen(press(inside, "h", "h", "l"))).toContain("broken");
  });

  test("z and Z fold and unfold all; the selected node stays visible", () => {
    const folded = press(state, "e", "z");
    expect(name(folded)).toBe("first");
    expect(screen(folded)).not.toContain("mint");
    expect(screen(press(folded, "Z"))).toContain("burn");
  });

  test("e, c and a search find folded nodes and unfold them", () => {
    const folded = press(state, "j", "enter");
    expect(name(press(folded, "e"))).toBe("broken");
    expect(name(press(folded, "c"))).toBe("mint");
    expect(name(type(folded, "/broken"))).toBe("broken");
  });
});

describe("searching", () => {
  test("from letter to letter, then n and N around the end", () => {
    const typed = type(state, "/MINT");
    expect(status(typed)).toStartWith("/MINT_");
    expect(status(typed)).toEndWith("match 1 of 2");
    const found = press(typed, "enter");
    expect(status(press(found, "n"))).toEndWith("match 2 of 2");
    expect(status(press(found, "n", "n"))).toEndWith("match 1 of 2");
    expect(status(press(found, "N"))).toEndWith("match 2 of 2");
    expect(status(press(found, "g"))).toEndWith("2 matches");
    expect(status(press(found, "escape"))).toEndWith("3/8");
  });

  test("in arguments, results and addresses that the line does not show", () => {
    const real = open(investigate("try-call-catches-callee-failure"));
    expect(status(type(real, "/bdzqiaryf"))).toContain("match 1 of 2");
  });

  test("Escape goes back to where it began, Backspace too", () => {
    const begun = press(state, "j", "j", "j");
    for (const typed of [
      press(type(begun, "/burn"), "escape"),
      press(type(begun, "/b"), "backspace", "backspace"),
    ])
      expect(screen(typed)).toBe(screen(begun));
    expect(status(type(begun, "/nowhere"))).toEndWith("no match");
    expect(name(type(begun, "/nowhere"))).toBe(name(begun));
  });

  test("keys are letters while a search is typed, and names of keys are not", () => {
    expect(status(press(type(state, "/q?"), "up", "f"))).toStartWith("/q?f_");
    expect(status(press(state, "n"))).toContain("No search yet. Press / to search");
  });
});

describe("what is shown", () => {
  const rows = (now: typeof state) =>
    screen(now).split("── Details")[0]?.trimEnd().split("\n").slice(3) ?? [];

  test("a filter leaves the matches and what they are in, and says so; f and Escape undo it", () => {
    const typed = press(type(state, "/mint"), "enter");
    expect(rows(typed).map((row) => /(\w+)\(/.exec(row)?.[1])).toEqual([
      "root",
      "first",
      "mint",
      "second",
      "mint",
    ]);
    expect(screen(typed)).toContain('Calls (only lines with "mint")');
    expect(name(press(typed, "n"))).toBe("mint");
    const all = press(typed, "f");
    expect(rows(all).length).toBe(8);
    expect(status(press(all, "n"))).toEndWith("match 2 of 2");
    expect(screen(press(all, "f"))).toBe(screen(typed));
    const ended = press(typed, "escape");
    expect([name(ended), rows(ended).length]).toEqual(["mint", 8]);
    expect(screen(press(typed, "escape", "g"))).toBe(screen(state));
    expect(status(press(state, "f"))).toContain("No filter yet");
  });

  test("the most expensive first, and back, with the same line selected", () => {
    const leaf = (of: string, cost: string) => ({ ...call(of), cpuInstructions: cost });
    const root = { ...call("root", [leaf("a", "5"), leaf("b", "7"), leaf("c", "7")]) };
    const before = press(open(withCalls({ ...root, cpuInstructions: "19" })), "j");
    const after = press(before, "S");
    const names = (now: typeof state) => rows(now).map((row) => /(\w+)\(/.exec(row)?.[1]);
    expect([names(before), names(after), name(after)]).toEqual([
      ["root", "a", "b", "c"],
      ["root", "b", "c", "a"],
      "a",
    ]);
    expect(screen(after)).toContain("Calls (by cost)");
    expect(screen(press(after, "S"))).toBe(screen(before));
    expect(status(press(state, "1", "S"))).toContain("no cost to sort by");
  });

  test("v: calls into the host, those that the host made folded in the one that it made them for", () => {
    const host = (of: string, depth: number) => ({
      ...{ function: of, depth, arguments: [], result: "void", failed: false, afterCalls: 0 },
      ...{ cpuInstructions: "1", memoryBytes: "0", storage: null, authorization: null },
    });
    const hostCalls = [host("outer", 0), host("inner", 1), host("call", 0), host("for_call", 1)];
    const root = { ...call("root", [call("callee")]), hostCalls };
    const opened = open(withCalls(inOrder(root)));
    expect(screen(opened)).toContain("Calls (v shows 3 host lines)");
    expect(rows(opened).length).toBe(2);
    const shown = press(opened, "v");
    expect(rows(shown).map((row) => /\S+(?=\()/.exec(row)?.[0])).toEqual([
      "root",
      "outer",
      // What the host did for the call itself is not below another.
      "for_call",
      "callee",
    ]);
    const inner = press(shown, "j", "l", "l");
    expect(selectedRow(inner)).toStartWith("inner()");
    expect(screen(press(shown, "v"))).toBe(screen(opened));
    expect(selectedRow(type(opened, "/inner"))).toStartWith("inner()");
    expect(status(press(state, "v"))).toContain("No calls into the contract host");
  });

  test("whatever failed, e finds it from any tab", () => {
    for (const { name: walk, record } of protocolWalks()) {
      const investigation = investigate(walk);
      if (investigation.explanation.success) continue;
      for (const key of ["1", "2", "3", "4", "5", "6"]) {
        const found = press(openAtFailure(investigation), key, "g", "e");
        expect(screen(found), `${record.hash} from ${key}`).toMatch(/^▌ *(▾ )?✗ /m);
      }
    }
  });

  test("a failure that the caller caught is not where the calls open, nor where e goes first", () => {
    const caught = call("tries", [call("caught", [], true)]);
    const outer = call("outer", [call("fatal", [], true)], true);
    const opened = press(openAtFailure(withCalls(call("root", [caught, outer], true))), "2");
    expect(name(opened)).toBe("fatal");
    expect(name(press(opened, "g", "j", "e"))).toBe("fatal");
    const after = ["root", "caught", "outer", "fatal"];
    const steps = after.map((_, count) => name(press(opened, ..."e".repeat(count + 1))));
    expect(steps).toEqual(after);
  });

  test("a value that is cut says so, and an address is whole or shortened", () => {
    const address = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
    const value = `${"x".repeat(130)} ${address} ${"y".repeat(100)}`;
    const wide = open(withCalls({ ...call("f"), arguments: [value] }), { columns: 500, rows: 24 });
    expect(selectedRow(wide)).toContain(`${"x".repeat(130)} CAU7…ZUBV ${"y".repeat(18)}…)`);
  });

  test("a wide terminal has the details beside the list", () => {
    const wide = open(TREE, { columns: 140, rows: 24 });
    expect(screen(wide).split("\n")[2]).toMatch(/^ {2}Calls .* share── Details ─+$/);
    expect(screen(wide).split("\n")[3]).toMatch(/^▌▾ .*root\(\).* {2}function +root$/);
  });
});

describe("copying, and the mouse", () => {
  test("y copies the details in full, Y the hash; the message says that a terminal may refuse", () => {
    const value = "abcdefgh".repeat(200);
    const copied = press(open(withCalls({ ...call("f"), arguments: [value] })), "y");
    expect(copied.copied).toStartWith("function: f\n");
    expect(copied.copied).toContain(`argument 1: ${value}\n`);
    expect(status(copied)).toContain("if this terminal allows it");
    expect(press(copied, "j").copied).toBeNull();
    expect(press(state, "Y").copied).toBe(investigate("contract-error").record.hash);
    const huge = open(withCalls({ ...call("f"), arguments: ["x".repeat(80_000)] }));
    expect(press(huge, "y").copied).toBeNull();
    expect(status(press(huge, "y"))).toContain("Not copied");
  });

  test("what is copied has no control characters: it may be pasted into a shell", () => {
    const hostile = "\u001b[201~\nrm -rf ~\u202e";
    const named = { ...call("f"), argumentNames: [hostile], arguments: [hostile] };
    const { copied } = press(open(withCalls(named)), "y");
    expect(copied).toContain("\\u{1b}[201~\\u{a}rm -rf ~\\u{202e}: \\u{1b}[201~");
    expect(copied?.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(copied).not.toContain("\nrm");
  });

  test("a click selects a tab or a line, and folds the one that is selected", () => {
    expect(name(press(state, "click 9 5"))).toBe("mint");
    expect(screen(press(state, "click 30 1"))).toContain("[4 Events]");
    expect(screen(press(state, "click 9 4", "click 9 4"))).not.toContain("broken");
    for (const nowhere of ["click 9 2", "click 9 14", "click 9 20", "click 79 1", "click 9 23"])
      expect(screen(press(state, nowhere)), nowhere).toBe(screen(state));
  });

  test("the wheel scrolls the list or the details, whichever it is over", () => {
    const many = Array.from({ length: 100 }, (_, i) => call(`c${i}`));
    const long = open(withCalls({ ...call("root", many), arguments: ["x".repeat(900)] }));
    const down = press(long, "wheeldown 9 5", "wheeldown 9 5");
    expect([name(down), name(press(down, "wheelup 9 5"))]).toEqual(["c5", "c5"]);
    expect(screen(press(long, "wheeldown 9 20"))).toContain(" lines 4-");
  });

  test("m gives the mouse back to the terminal, which selects text with it", () => {
    expect(press(state, "m").mouse).toBe(false);
    expect(press(state, "m", "m").mouse).toBe(true);
  });
});

describe("tabs", () => {
  test("by digit and by Tab, each in its last state", () => {
    const there = press(state, "j", "j", "6");
    expect(screen(there)).toContain("[6 Resources]");
    expect(name(press(there, "2"))).toBe("mint");
    expect(screen(press(state, "tab", "tab"))).toContain("[4 Events]");
    expect(screen(press(state, "backtab"))).toContain("[1 Summary]");
    expect(screen(press(state, "backtab", "tab", "9"))).toContain("[2 Calls]");
  });

  test("state: before and after", () => {
    const restored = investigate("auto-restore-and-write");
    const { kind, key, before, after } = restored.explanation.changes[0] as NamedChange;
    const shown = screen(press(open(restored), "3"));
    expect(shown).toContain(`▌  ${kind}   ${withShortAddresses(key)}`);
    expect(shown).toMatch(new RegExp(`before +${before}\n +after +${after}`));
  });

  test("events: topics and data", () => {
    const transfer = investigate("sac-transfer");
    const shown = screen(press(open(transfer), "4"));
    expect(shown).toContain("GBH7…L4D4");
    for (const topic of transfer.explanation.events[0]?.topics ?? [])
      expect(shown).toContain(topic.slice(0, 40));
    expect(shown).toMatch(/data +.*1234/);
  });

  test("authorization: who allows what", () => {
    const shown = press(open(investigate("sac-transfer")), "5");
    expect(screen(shown)).toContain("▾ the source account, by its signature");
    expect(screen(press(shown, "c"))).toMatch(/▌ +LAB asset \(CDQW…LLO3\) transfer\(.*GBH7…L4D4/);
    const none = press(open(investigate("contract-error")), "5");
    expect(screen(none)).toContain("The transaction contains no authorizations.");
  });

  test("resources: used, declared, limit, share; fees; cost types", () => {
    const shown = press(open(investigate("sac-transfer")), "6", "j");
    expect(screen(shown)).toMatch(/CPU instructions +181,664 +252,451 +- +71 %/);
    expect(screen(shown)).toMatch(/declared +252,451/);
    expect(screen(type(shown, "/charged"))).toMatch(/Charged +[\d,]+ stroops/);
    expect(screen(press(shown, "G"))).toMatch(/instructions +[\d,]+\n +share .*\n +bytes/);
  });

  test("verdict: outcome, cause, comparisons with both values", () => {
    const spoiled = investigate("sac-transfer", (walk) => ({
      ...walk,
      execution: { ...walk.execution, changes: walk.execution.changes.slice(1) },
    }));
    const shown = press(open(spoiled), "1");
    expect(screen(shown)).toContain("Verdict: diverged.");
    expect(screen(press(shown, "e"))).toMatch(/result +different\n/);
    expect(screen(press(open(TREE), "1"))).toContain("✗ Cause: ");
  });

  test("an inconclusive replay: the source of its values, and its caveats by reason", () => {
    const unproven = investigate("sac-transfer", (walk) => {
      const { snapshot, record, execution } = walk;
      const keys = snapshot.entries.slice(0, 2).map(({ keyXdr }) => keyXdr);
      const unknown = keys.map((keyXdr) => ({ keyXdr, reason: "no node has it" }));
      return {
        record: { ...record, resultMetaXdr: null, diagnosticEventsXdr: [] },
        snapshot: { ...snapshot, unknown },
        execution,
        name: walk.name,
      };
    });
    const shown = open(unproven);
    for (const key of ["2", "3", "4", "6"])
      expect(screen(press(shown, key))).toContain("(replay only)");
    expect(screen(press(shown, "1"))).toContain("no node has it (2)");
  });

  test("a transaction that was not replayed", () => {
    const classic = open(investigateClassic("one-of-several-failed"));
    expect(screen(classic)).toContain("nothing ran in the contract host");
    expect(screen(press(classic, "3"))).toContain("Nothing was replayed");
    expect(screen(press(classic, "1"))).toContain("No verdict: ");
    for (const key of ["j", "G", "enter", "h", "l", "z", "c", "n", "J", "K", "S", "v", "f", "y"])
      expect(screen(press(classic, key))).toContain("nothing ran in the contract host");
  });
});

describe("the rest of the screen", () => {
  test("the self cost and the total cost of each call", () => {
    const shown = screen(press(state, "j"));
    expect(shown).toMatch(/instructions +3 total \(37\.5 %\), 1 self \(12\.5 %\)/);
    const real = investigate("try-call-catches-callee-failure");
    const root = real.explanation.calls;
    const first = root?.calls[0]?.calls[0];
    const self = BigInt(root?.cpuInstructions ?? 0) - BigInt(first?.cpuInstructions ?? 0);
    // The frame between them is not shown: its cost is part of the root's self cost.
    expect(screen(open(real)).replaceAll(",", "")).toContain(` ${self} self (`);
  });

  test("long values are complete in the details, which J and K scroll", () => {
    const value = "abcdefgh".repeat(200);
    const long = open(withCalls({ ...call("f"), arguments: [value] }));
    expect(screen(long)).toContain("argument 1    abcdefgh");
    const lines = (text: string) => /lines (\d+)-\d+ of (\d+) \(J\/K\)/.exec(text)?.slice(1);
    expect(lines(screen(long))).toEqual(["1", "30"]);
    expect(lines(screen(press(long, "J", "J", "K")))).toEqual(["2", "30"]);
    const end = press(long, ...Array.from({ length: 50 }, () => "J"));
    expect(screen(end)).toMatch(/bytes +0 total/);
    const lined = detailLines({ label: "", details: () => [{ name: "x", text: value }] }, 80);
    expect(lined.map(({ text }) => text.trim().replace(/^x +/, "")).join("")).toBe(value);
  });

  test("the indent of deep calls is limited, and they show their depth", () => {
    const deep = Array.from({ length: 60 }).reduce<ReturnType<typeof call>>(
      (below, _, i) => call(`level_${59 - i}`, [below]),
      call("bottom"),
    );
    const shown = press(open(withCalls(deep)), "G");
    expect(selectedRow(shown)).toContain("(60) CAU7…ZUBV bottom()");
  });

  test("hints are whole at every width, and end with help and quit", () => {
    for (const one of [state, press(type(press(state, "/"), "c"), "enter")]) {
      const hintsAt = (columns: number) => {
        const shown = status(resized(one, { columns, rows: 24 }));
        return shown.slice(1, shown.indexOf("q quit") + "q quit".length).split("  ");
      };
      const all = hintsAt(200);
      for (let columns = 40; columns < 90; columns += 1) {
        expect(all).toEqual(expect.arrayContaining(hintsAt(columns)));
        expect(hintsAt(columns).slice(-2)).toEqual(["? help", "q quit"]);
      }
    }
  });

  test("help, closed by any key, and q that quits", () => {
    const help = press(state, "?");
    expect(screen(help)).toContain("n N             next, previous match");
    expect(screen(press(help, "j"))).toBe(screen(state));
    const words = helpPages({ columns: 60, rows: 10 }).flat().join("\n");
    const spelled: Readonly<Record<string, string>> = {
      ...{ pagedown: "PgDn", pageup: "PgUp", halfdown: "Ctrl-D", halfup: "Ctrl-U", " ": "space" },
      ...{ home: "Home", end: "End", escape: "Esc", tab: "Tab", backtab: "Shift-Tab" },
    };
    const keys = words.split("\n").map((line) => ` ${line.slice(2, 17)} `);
    for (const key of Object.keys(ACTIONS))
      expect(
        keys.some((line) => line.includes(` ${spelled[key] ?? key} `)),
        key,
      ).toBe(true);
    const small = press(resized(state, { columns: 40, rows: 10 }), "?");
    expect([screen(small), status(small)]).toEqual([
      expect.stringContaining("next, previous line"),
      " any key: more                      1/8",
    ]);
    expect(press(small, "x", "x", "x", "x", "x", "x").help).toBe(0);
    expect(press(small, "escape").help).toBe(0);
    expect(press(state, "q").ended).toBe("quit");
    expect(type(state, "/q").ended).toBeNull();
  });

  test("a window that is too small shows the required size, and quits", () => {
    const small = resized(state, { columns: 39, rows: 10 });
    expect(screen(small)).toContain("This window is 39x10;\nsvc needs 40x10.");
    expect(press(small, "j")).toBe(small);
    expect(press(small, "q").ended).toBe("quit");
    expect(screen(resized(small, { columns: 80, rows: 24 }))).toBe(screen(state));
  });

  test("ten thousand calls: a thousand keys, each drawn, within the limit of any test", () => {
    const calls = bushy(10, 4);
    let now = open(withCalls(calls));
    expect(status(now)).toEndWith("1/11111");
    const keys = ["j", "pagedown", "G", "k", "enter", "enter", "g", "c", "z", "Z"];
    for (let i = 0; i < 1000; i += 1) {
      now = press(now, keys[i % keys.length] ?? "j");
      screen(now);
    }
    expect(status(type(now, "/f_9_9_9_9"))).toContain("match 1 of 1");
  });
});
