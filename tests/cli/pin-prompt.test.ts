// The PIN prompt on a terminal: without echo, also when standard input is a pipe, and the terminal
// is restored however the prompt ends.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { needs } from "../support/needs.ts";
import { HAS_SOFTHSM, openTreasury, PIN, type SoftHsm } from "../support/softhsm.ts";
import { openTmux, TMUX, type Tmux } from "../support/tmux.ts";
import { svcBinary } from "./run-svc.ts";

const LIMIT_MILLISECONDS = 60_000;
const CAPSULE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const QUESTION = 'PIN of the token "treasury": ';

let hsm: SoftHsm;

beforeAll(() => {
  if (!HAS_SOFTHSM) return;
  hsm = openTreasury();
  const { record } = JSON.parse(readFileSync(CAPSULE, "utf8"));
  writeFileSync(join(hsm.directory, "envelope"), record.envelopeXdr);
}, LIMIT_MILLISECONDS);

afterAll(() => hsm?.[Symbol.dispose]());

const softhsm = needs("softhsm2, opensc and tmux", HAS_SOFTHSM && TMUX !== null);

softhsm.describe("the prompt", () => {
  test(
    "takes the PIN without echo, corrections included",
    () =>
      onTerminal(async (tmux) => {
        await ask(tmux, "$SVC hsm test");
        tmux.type(`wrong`);
        tmux.keys("C-u");
        tmux.type(`${PIN}é`);
        tmux.keys("BSpace", "Enter");
        const screen = await tmux.until("The signature is valid");
        expect(screen).not.toContain(PIN);
        expect(screen).not.toContain("wrong");
        await sane(tmux);
      }),
    LIMIT_MILLISECONDS,
  );

  test(
    "asks the terminal when standard input is a pipe",
    () =>
      onTerminal(async (tmux) => {
        await ask(tmux, "cat envelope | $SVC sign - --offline >signed; wc -c signed");
        tmux.type(PIN);
        tmux.keys("Enter");
        await tmux.until(/\d{3} signed/);
        await sane(tmux);
      }),
    LIMIT_MILLISECONDS,
  );

  test(
    "Ctrl-C, Ctrl-D and SIGTERM end it with 130, and the terminal echoes again",
    () =>
      onTerminal(async (tmux) => {
        await ask(tmux, "$SVC hsm test; echo ended $?");
        tmux.type("half a P");
        tmux.keys("C-c");
        await tmux.until("ended 130");
        await ask(tmux, "$SVC hsm test; echo closed $?");
        tmux.keys("C-d");
        await tmux.until("closed 130");
        await ask(tmux, "sh -c 'echo $$ >pid; exec $SVC hsm test'; echo stopped $?");
        process.kill(Number(readFileSync(join(hsm.directory, "pid"), "utf8")), "SIGTERM");
        await tmux.until("stopped 130");
        await sane(tmux);
      }),
    LIMIT_MILLISECONDS,
  );

  test(
    "a token that goes away while its PIN is asked for",
    () =>
      onTerminal(async (tmux) => {
        await ask(tmux, "$SVC hsm test; echo ended $?");
        renameSync(join(hsm.directory, "tokens"), join(hsm.directory, "away"));
        tmux.type(PIN);
        tmux.keys("Enter");
        const screen = await tmux.until("ended 3");
        renameSync(join(hsm.directory, "away"), join(hsm.directory, "tokens"));
        expect(screen).toContain("C_Login returned CKR_GENERAL_ERROR (0x5)");
        expect(screen).not.toContain(PIN);
        await sane(tmux);
      }),
    LIMIT_MILLISECONDS,
  );

  test(
    "nothing typed is no PIN, and the token never sees it",
    () =>
      onTerminal(async (tmux) => {
        await ask(tmux, "$SVC hsm test; echo ended $?");
        tmux.keys("Enter");
        expect(await tmux.until("ended 3")).toContain("[PKCS11_PIN_UNKNOWN]");
      }),
    LIMIT_MILLISECONDS,
  );
});

async function onTerminal(action: (tmux: Tmux) => Promise<void>): Promise<void> {
  const environment = { ...hsm.environment, SVC: svcBinary() };
  const options = { columns: 132, rows: 40, directory: hsm.directory, environment };
  await using tmux = openTmux(options);
  await tmux.until(/^\$/m);
  await action(tmux);
}

/** The earlier question must be off the screen, or it would be taken for this one. */
async function ask(tmux: Tmux, line: string): Promise<void> {
  tmux.keys("C-l");
  await tmux.until((screen) => !screen.includes(QUESTION.trim()));
  tmux.type(line);
  tmux.keys("Enter");
  await tmux.until(QUESTION.trim());
}

/** Typed text is echoed again. */
async function sane(tmux: Tmux): Promise<void> {
  tmux.keys("C-l");
  tmux.type("echo as-it-was");
  await tmux.until("$ echo as-it-was");
}
