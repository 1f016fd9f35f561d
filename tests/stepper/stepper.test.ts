// The stepper on a real transaction: where each key leads, and that every screen fits its terminal.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { SOURCE_FILES } from "../../src/command/source-files.ts";
import { recordTransaction } from "../../src/debugger/travel/record-transaction.ts";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { widthOf } from "../../src/report/tui/columns.ts";
import { detailLines } from "../../src/report/tui/details.ts";
import { glyphsOf } from "../../src/report/tui/glyphs.ts";
import { plainText } from "../../src/report/tui/lines.ts";
import { openTravelSimulator } from "../../src/simulator/open-processes.ts";
import { drawStanding, stepperHelp } from "../../src/stepper/draw.ts";
import { StepSession } from "../../src/stepping/session.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import { exchangeCapsule } from "../support/exchange.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { type Walk, walkOf } from "../verdict/protocol-walk.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const simulator = openTestSimulator();

async function withSession(
  use: (session: StepSession) => Promise<void>,
  given: {
    readonly walk?: Pick<Walk, "record" | "snapshot">;
    readonly text?: string;
    readonly wasm?: readonly Uint8Array[];
    readonly sourceMap?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  const { text = await Bun.file(EXAMPLE).text(), wasm = [], sourceMap = {} } = given;
  const { record, snapshot } = given.walk ?? openCapsule({ name: "example", text }, null);
  const step = (_: string, work: () => unknown) => work();
  const engines = { simulator, progress: () => {}, step } as never;
  await using recording = await recordTransaction(
    engines,
    { ...openRecord(record), snapshot },
    {
      signal: NEVER_ABORTED,
      builds: () => Promise.resolve({ wasm, remarks: [] }),
      openTravel: () => openTravelSimulator({ path: SIMULATOR_BINARY }),
    },
  );
  const session = new StepSession(recording, {
    files: SOURCE_FILES,
    sourceMap,
    remedy: (directory) => `pass \`--source-map ${directory}=DIR\``,
  });
  await session.begin();
  await use(session);
}

test("it begins where the code failed, steps both ways, and shows the branch that decided", () =>
  withSession(async (session) => {
    const failed = await session.standing();
    expect([failed.message.includes("unreachable"), failed.failed]).toEqual([true, true]);
    expect(failed.source?.lines[failed.source.at - 1]?.trim()).toBe("unreachable");
    expect(failed.scopes.find(({ name }) => name === "Arguments")?.values).toMatchObject([
      { name: "a", value: "2147483647" },
      { name: "b", value: "4" },
    ]);
    await session.press("w");
    const decided = await session.standing();
    expect(decided.message).toContain("does not fit an i32");
    expect(decided.source?.lines[decided.source.at - 1]?.trim()).toBe("br_if 1");
    await session.press("i");
    expect((await session.standing()).moment).toBe(failed.moment);
    await session.press("I");
    expect((await session.standing()).moment).toBe(decided.moment);
    await session.press("g");
    const begun = await session.standing();
    expect(begun.moment).toBeLessThan(decided.moment);
    await session.press("c");
    expect((await session.standing()).moment).toBe(failed.moment);
  }));

test("a breakpoint of the line stops both ways, and is cleared by the same key", () =>
  withSession(async (session) => {
    await session.press("w");
    const { moment, source } = await session.standing();
    await session.press("b");
    expect((await session.standing()).source?.breakpoints).toEqual([source?.at ?? 0]);
    await session.press("g");
    await session.press("c");
    expect(await session.standing()).toMatchObject({
      moment,
      message: "Breakpoint.",
      failed: false,
    });
    await session.press("b");
    expect((await session.standing()).source?.breakpoints).toEqual([]);
    await session.press("g");
    await session.press("c");
    expect((await session.standing()).moment).toBeGreaterThan(moment);
  }));

const CONTRACTS = resolve(import.meta.dir, "../contracts");

async function releaseBuild() {
  const text = await exchangeCapsule({ function: "buy", feePercent: 15 });
  return { text, wasm: [readFileSync(resolve(CONTRACTS, "pool-debug.wasm"))] };
}

test("a build from elsewhere: the disassembly, with the file that was looked for; v shows values in full", async () => {
  await withSession(
    async (session) => {
      const failed = await session.standing();
      expect(failed.message).toContain("Error(Contract, #22)");
      // No package of the build is on this machine, and no source of the contract.
      const missing =
        "/exchange/pool/src/lib.rs is not on this machine: " +
        "pass `--source-map /exchange/pool/src=DIR`";
      expect(failed.source?.name).toMatch(/guest\.rs:\d+ in fail_with_error, disassembled$/);
      expect(failed.source?.missing).toBe(missing);
      expect(failed.source?.lines[failed.source.at - 1]).toContain("fail_with_error");
      const own = failed.frames.indexOf("pool::charge");
      session.select(own);
      const charge = await session.standing();
      expect(charge.source).toMatchObject({
        name: "lib.rs:96 in pool::charge, disassembled",
        missing,
      });
      // Values of another function are not changed ones.
      const all = charge.scopes.flatMap(({ values }) => values);
      expect(all.filter(({ changed }) => changed)).toEqual([]);
      const size = { columns: 50, rows: 60 };
      const looks = { size, glyphs: glyphsOf(true), help: 0, top: 0 };
      const drawn = (whole: boolean) =>
        drawStanding(charge, { ...looks, whole })
          .map(plainText)
          .join("");
      const { value = "" } = all.find(({ name }) => name === "buyer") ?? {};
      expect([drawn(false).includes(value), drawn(false).includes("…")]).toEqual([false, true]);
      expect(drawn(true).replaceAll(/\s/g, "")).toContain(`buyer:${value}`);
      await session.press("b");
      const { at = 0, breakpoints } = (await session.standing()).source ?? {};
      expect(breakpoints).toEqual([at]);
      for (const columns of [40, 60, 100]) {
        const looks = { size: { columns, rows: 24 }, glyphs: glyphsOf(true), help: 0, top: 0 };
        const lines = drawStanding(failed, { ...looks, whole: false }).map(plainText);
        expect(lines.join("").replaceAll(/\s/g, "")).toContain(missing.replaceAll(" ", ""));
        expect(lines.filter((line) => line.includes("▌")).length).toBe(2);
      }
    },
    await releaseBuild(),
  );
});

test("with --source-map the lines are those of the files that are here", async () => {
  const sourceMap = { "/exchange": resolve(CONTRACTS, "exchange") };
  await withSession(
    async (session) => {
      // The line of the package's frame is that of the contract's own code around it.
      const { source } = await session.standing();
      expect(source).toMatchObject({ name: "lib.rs in pool::charge", at: 96, missing: null });
      const file = readFileSync(resolve(CONTRACTS, "exchange/pool/src/lib.rs"), "utf8");
      expect(source?.lines).toEqual(file.split("\n"));
    },
    { ...(await releaseBuild()), sourceMap },
  );
});

test("where no code runs the values have its room, and what is out of sight is said", async () => {
  await withSession(
    async (session) => {
      const standing = await session.standing();
      const looks = { glyphs: glyphsOf(true), help: 0, top: 0, whole: false };
      const drawn = (columns: number, rows: number) =>
        drawStanding(standing, { ...looks, size: { columns, rows } }).map(plainText);
      expect(drawn(130, 40)[3]).toStartWith("── values (no code here) ──");
      expect(drawn(60, 14)[3]).toMatch(/^── values \(no code here\), lines 1-\d of \d+ \(J\/K\) ─/);
      const said = "one reason ".repeat(60);
      const cut = drawStanding(
        { ...standing, message: said },
        { ...looks, size: { columns: 60, rows: 24 } },
      );
      expect(plainText(cut.at(-2) ?? { spans: [] })).toEndWith("…");
    },
    { walk: walkOf("sac-transfer") },
  );
});

test("without Unicode every sign is ASCII, in the stepper and in the view's details", () =>
  withSession(async (session) => {
    await session.press("w");
    const standing = await session.standing();
    const looks = { glyphs: glyphsOf(false), help: 0, top: 0, size: { columns: 80, rows: 60 } };
    for (const whole of [false, true]) {
      const drawn = drawStanding(standing, { ...looks, whole })
        .map(plainText)
        .join("\n");
      expect(drawn).toContain("CARM...JDFF:add(");
      expect(drawn).toMatch(/^[\x20-\x7e\n]*$/);
    }
    const details = () => [{ name: "contract", text: "LAB asset (CDQW…LLO3)" }];
    const [line] = detailLines({ label: "", details }, 60, "...");
    expect(line?.text).toBe("  contract  LAB asset (CDQW...LLO3)");
  }));

test("the help names every key, on a small screen on several pages", () => {
  const pages = stepperHelp({ columns: 40, rows: 10 });
  const keys = pages.flat().map((line) => ` ${line.slice(2, 17)} `);
  for (const key of [..."nNsSiIfcCgewudvbmJKq?", "wheel", "click", "Esc"])
    expect(
      keys.some((line) => line.includes(` ${key} `)),
      key,
    ).toBe(true);
  expect(pages.length).toBeGreaterThan(1);
});

test("every screen has one line for each row, none wider than the terminal", () =>
  withSession(async (session) => {
    const standings = [];
    for (const key of ["", "w", "d", "g", "s", "b", "n"]) {
      await session.press(key);
      standings.push(await session.standing());
    }
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 220 }),
      rows: fc.integer({ min: 2, max: 70 }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...standings),
        size,
        fc.nat(3),
        fc.nat(50),
        fc.boolean(),
        (standing, room, help, top, whole) => {
          const looks = { size: room, glyphs: glyphsOf(true), help, top, whole };
          const lines = drawStanding(standing, looks);
          expect(lines.length).toBe(room.rows);
          for (const line of lines) {
            const columns = line.spans.map(({ text, column = 0 }) => column + widthOf(text));
            expect(Math.max(0, ...columns), plainText(line)).toBeLessThanOrEqual(room.columns);
          }
        },
      ),
    );
  }));
