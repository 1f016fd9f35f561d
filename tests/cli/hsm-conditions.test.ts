// Every PKCS#11 condition on the compiled binary, with a real SoftHSM token: its code, its message,
// exit code 3, and that every open session is closed.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needs } from "../support/needs.ts";
import {
  CAN_FAIL,
  type FaultyHsm,
  faultyModule,
  HAS_SOFTHSM,
  openSoftHsm,
  openTreasury,
  PIN,
  type SoftHsm,
} from "../support/softhsm.ts";
import { type Finished, inTemporaryDirectory, type RunOptions, svc, svcBinary } from "./run-svc.ts";

/** Without it, the test cannot create a mount. */
const CAN_MOUNT = Bun.spawnSync(["unshare", "-rm", "true"]).success;

let hsm: SoftHsm;
let faulty: FaultyHsm;

beforeAll(() => {
  if (!HAS_SOFTHSM) return;
  hsm = openTreasury();
  hsm.initToken("mixed");
  hsm.makeKey("mixed", { label: "twin", id: "01" });
  hsm.makeKey("mixed", { label: "twin", id: "02" });
  hsm.makeKey("mixed", { label: "rsa", id: "03", type: "rsa:2048" });
  if (CAN_FAIL) faulty = faultyModule(hsm);
}, 60_000);

afterAll(() => hsm?.[Symbol.dispose]());

const softhsm = needs("softhsm2 and opensc", HAS_SOFTHSM);

softhsm.describe("the module", () => {
  test("none is set", async () => {
    const { stderr } = await refused(["hsm", "list"], { SVC_PKCS11_MODULE: "" });
    expect(stderr).toContain("[PKCS11_MODULE_UNLOADABLE]");
    expect(stderr).toContain("SVC_PKCS11_MODULE");
  });

  for (const [what, module, said] of [
    ["missing", "/nonexistent/pkcs11.so", "No such file"],
    ["not a library", "/etc/passwd", "/etc/passwd"],
    ["a library that is not a PKCS#11 module", "libm.so.6", "C_GetFunctionList"],
  ])
    test(`is ${what}: no crash`, async () => {
      const { stderr } = await refused(["hsm", "test"], { SVC_PKCS11_MODULE: module ?? "" });
      expect(stderr).toContain("[PKCS11_MODULE_UNLOADABLE]");
      expect(stderr).toContain(said ?? "");
    });

  test("cannot read its own settings", async () => {
    const { stderr } = await refused(["hsm", "list"], { SOFTHSM2_CONF: "/nonexistent" });
    expect(stderr).toContain("cannot be initialized: CKR_");
  });
});

softhsm.describe("the token", () => {
  test("several are present, and none is selected", async () => {
    const { stderr } = await refused(["hsm", "test"]);
    expect(stderr).toContain("[PKCS11_AMBIGUOUS]");
    expect(stderr).toMatch(/"(treasury|mixed)" in slot \d+, "(treasury|mixed)" in slot \d+/);
    // The list shows which one to select; svc logs in to neither.
    const { exitCode, stdout } = await run(["hsm", "list"]);
    expect([exitCode, stdout.match(/private keys: to list them/g)?.length]).toEqual([0, 2]);
  });

  test("none has the label, or the slot number", async () => {
    const label = await refused(["hsm", "test", "--token-label", "nobody"]);
    expect(label.stderr).toContain("[PKCS11_TOKEN_NOT_FOUND]");
    expect(label.stderr).toContain('with label "nobody"');
    expect(label.stderr).toContain('"treasury" in slot');
    const slot = await refused(["hsm", "test"], { SVC_PKCS11_SLOT: "424242" });
    expect(slot.stderr).toContain("[PKCS11_TOKEN_NOT_FOUND]");
  });

  test("is not initialized", async () => {
    const { stdout } = await run(["hsm", "list", "--json", "--token-label", "treasury"]);
    const { slots } = JSON.parse(stdout).module;
    const blank = slots.find(
      (each: { token: { initialised: boolean } }) => !each.token.initialised,
    );
    const { stderr } = await refused(["hsm", "test", "--slot", String(blank.id)]);
    expect(stderr).toContain("[PKCS11_TOKEN_NOT_INITIALISED]");
  });

  test("is gone before it is used", async () => {
    using other = openSoftHsm();
    other.initToken("gone");
    other.removeTokens();
    const { stderr } = await refused(["hsm", "test"], other.environment);
    expect(stderr).toContain("[PKCS11_MODULE_UNLOADABLE]");
  });
});

softhsm.describe("the PIN", () => {
  test("is wrong: the number the token returned, the documented one, and its warning", async () => {
    const { stderr } = await refused(["hsm", "test", "--token-label", "treasury"], {
      SVC_PKCS11_PIN: "0000",
    });
    expect(stderr).toContain("[PKCS11_LOGIN_FAILED]");
    expect(stderr).toContain("CKR_PIN_INCORRECT (0xA0)");
    expect(stderr).toContain("0x1000");
    expect(stderr).toContain("locks the PIN after too many");
    expect(stderr).not.toContain("0000,");
    await run(["hsm", "test", "--token-label", "treasury"]);
  });

  test("is not set, and there is no terminal", async () => {
    const { stderr } = await refused(["hsm", "test", "--token-label", "treasury"], {
      SVC_PKCS11_PIN: "",
    });
    expect(stderr).toContain("[PKCS11_PIN_UNKNOWN]");
  });

  test("is in a file; a line break at its end is not part of the PIN", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "pin");
      writeFileSync(file, `${PIN}\n`, { mode: 0o644 });
      const words = ["hsm", "test", "--token-label", "treasury", "--pin-file", file];
      const open = await run(words, { SVC_PKCS11_PIN: "" });
      expect([open.exitCode, open.stderr.includes("Every user of this machine can read")]).toEqual([
        0,
        true,
      ]);
      chmodSync(file, 0o600);
      const closed = await run(words, { SVC_PKCS11_PIN: "" });
      expect([closed.exitCode, closed.stderr]).toEqual([0, ""]);
      const missing = await run([...words.slice(0, -1), join(directory, "nothing")]);
      expect([missing.exitCode, missing.stderr.includes("[FILE_UNREADABLE]")]).toEqual([2, true]);
    });
  });

  test("is an empty file: that costs none of the tries", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "pin");
      for (const text of ["", "\n", "\r\n"]) {
        writeFileSync(file, text, { mode: 0o600 });
        for (const command of [
          ["hsm", "test", "--token-label", "treasury"],
          ["hsm", "list"],
        ]) {
          const { stderr, exitCode } = await run([...command, "--pin-file", file], {
            SVC_PKCS11_PIN: "",
          });
          expect([exitCode, stderr.includes("[PKCS11_PIN_UNKNOWN]")]).toEqual([3, true]);
        }
      }
      const { stdout } = await run(["hsm", "list", "--json"], { SVC_PKCS11_PIN: "" });
      const [{ token }] = JSON.parse(stdout).module.slots.filter(
        (slot: { token: { label: string } | null }) => slot.token?.label === "treasury",
      );
      expect(token.pin).toMatchObject({ countLow: false });
    });
  });

  test("has no flag", async () => {
    const { exitCode } = await run(["hsm", "test", "--pin", PIN]);
    expect(exitCode).toBe(2);
  });
});

softhsm.describe("the key", () => {
  const onMixed = ["hsm", "test", "--token-label", "mixed"];

  test("is missing: the keys that are there are listed", async () => {
    const { stderr } = await refused([...onMixed, "--key-label", "nobody"]);
    expect(stderr).toContain("[PKCS11_KEY_NOT_FOUND]");
    expect(stderr).toMatch(/"twin" \(ID 01, Ed25519, G[A-Z2-7]{55}\)/);
    expect(stderr).toContain('"rsa" (ID 03, RSA)');
  });

  test("two keys with one label and no ID: neither gets an address, and the remedy gives IDs", async () => {
    using own = openSoftHsm();
    own.initToken("nameless");
    for (const _ of [1, 2]) own.makeKey("nameless", { label: "cold", id: "" });
    const { stderr } = await refused(["hsm", "test", "--key-label", "cold"], own.environment);
    expect(stderr).toContain('2 keys match: "cold" (Ed25519), "cold" (Ed25519).');
    expect(stderr).toMatch(/pkcs11-tool --set-id/);
  });

  test("has the same label as another: both are listed, and the ID distinguishes them", async () => {
    const { stderr } = await refused([...onMixed, "--key-label", "twin"]);
    expect(stderr).toContain("[PKCS11_AMBIGUOUS]");
    expect(stderr).toContain("ID 01");
    expect(stderr).toContain("ID 02");
    const { exitCode } = await run([...onMixed, "--key-label", "twin", "--key-id", "02"]);
    expect(exitCode).toBe(0);
  });

  test("is of another type", async () => {
    const { stderr } = await refused([...onMixed, "--key-label", "rsa"]);
    expect(stderr).toContain("[PKCS11_KEY_UNSUITABLE]");
    expect(stderr).toContain("RSA");
  });

  test("meaningless settings are refused with their source", async () => {
    const flag = await run([...onMixed, "--key-id", "xyz"]);
    expect([flag.exitCode, flag.stderr.includes("--key-id")]).toEqual([2, true]);
    const variable = await refused(onMixed, { SVC_PKCS11_SLOT: "-1" });
    expect(variable.stderr).toContain("SVC_PKCS11_SLOT");
  });
});

const faultyModules = needs("softhsm2, opensc and cc", CAN_FAIL);

faultyModules.describe("the session", () => {
  const OPENED = ["C_Initialize", "C_OpenSession", "C_Login", "C_Sign"];
  const CLOSED = ["C_Logout", "C_CloseSession", "C_Finalize"];

  for (const [fault, code, said] of [
    ["removed", "PKCS11_TOKEN_REMOVED", "C_Sign returned CKR_DEVICE_REMOVED (0x32)"],
    ["vendor", "PKCS11_FAILED", "CKR_VENDOR_DEFINED (0x80000042)"],
    ["too-long", "PKCS11_FAILED", "CKR_DATA_LEN_RANGE (0x21)"],
    ["wrong-signature", "PKCS11_FAILED", "not a valid signature by G"],
  ])
    test(`is closed when C_Sign fails: ${fault}`, async () => {
      const { stderr } = await failing(fault ?? "");
      expect(stderr).toContain(`[${code}]`);
      expect(stderr).toContain(said ?? "");
      expect(faulty.calls()).toEqual([...OPENED, ...CLOSED]);
    });

  test("is closed before SIGINT has its turn, and nothing signed gets out", async () => {
    const { exitCode, stdout } = await run(ON_TREASURY, withFault("interrupt"));
    expect([exitCode, stdout]).toEqual([130, ""]);
    expect(faulty.calls()).toEqual([...OPENED, ...CLOSED]);
  });

  test("is closed before SIGHUP ends svc", async () => {
    const { exitCode, stdout } = await run(ON_TREASURY, withFault("hangup"));
    expect([exitCode, stdout]).toEqual([129, ""]);
    expect(faulty.calls()).toEqual([...OPENED, ...CLOSED]);
  });

  for (const [fault, code, said] of [
    ["no-slots", "PKCS11_NO_SLOTS", "no slots"],
    ["no-token", "PKCS11_TOKEN_NOT_FOUND", "empty"],
    ["locked-flag", "PKCS11_PIN_LOCKED", "CKF_USER_PIN_LOCKED"],
  ])
    test(`is not opened at all: ${fault}`, async () => {
      const { stderr } = await failing(fault ?? "");
      expect(stderr).toContain(`[${code}]`);
      expect(stderr).toContain(said ?? "");
      expect(faulty.calls()).toEqual(["C_Initialize", "C_Finalize"]);
    });

  test("a module that was not initialized is not finalized", async () => {
    const { stderr } = await failing("initialize");
    expect(stderr).toContain("cannot be initialized: CKR_GENERAL_ERROR (0x5)");
    expect(faulty.calls()).toEqual(["C_Initialize"]);
  });

  test("is closed, without a logout, when the PIN is locked", async () => {
    const { stderr } = await failing("pin-locked");
    expect(stderr).toContain("[PKCS11_PIN_LOCKED]");
    expect(stderr).toContain("CKR_PIN_LOCKED (0xA4)");
    expect(faulty.calls().slice(-3)).toEqual(["C_Login", "C_CloseSession", "C_Finalize"]);
  });

  test("a wrong PIN: the token's warning is passed on", async () => {
    const wrong = { SVC_PKCS11_PIN: "0000" };
    const last = await run(ON_TREASURY, { ...withFault("final-try"), ...wrong });
    expect(last.stderr).toContain("One try is left");
    const locked = await run(ON_TREASURY, { ...withFault("locks"), ...wrong });
    expect(locked.stderr).toContain("The PIN is locked now");
  });

  test("a public key in its raw form serves as well; without one, svc does not guess", async () => {
    const raw = await run(ON_TREASURY, withFault("raw-point"));
    const der = await run(ON_TREASURY, withFault("none"));
    expect(raw.stdout.slice(0, 56)).toBe(der.stdout.slice(0, 56));
    const { stderr } = await failing("no-public-key");
    expect(stderr).toContain("[PKCS11_KEY_UNSUITABLE]");
  });

  test("a token that cannot do CKM_EDDSA", async () => {
    const { stderr } = await failing("no-eddsa");
    expect(stderr).toContain("CKR_MECHANISM_INVALID (0x70)");
    expect(stderr).toContain("[PKCS11_KEY_UNSUITABLE]");
  });

  test("no core dump can contain the PIN: svc is not dumpable when the token gets it", async () => {
    const { exitCode } = await run(ON_TREASURY, withFault("dumpable"));
    expect(exitCode).toBe(0);
  });

  test("a key that may not sign", async () => {
    const { stderr } = await failing("may-not-sign");
    expect(stderr).toContain("CKA_SIGN");
    expect(stderr).toContain("[PKCS11_KEY_UNSUITABLE]");
  });

  test("a token's label cannot reach the terminal", async () => {
    const environment = { ...withFault("hostile-label"), SVC_PKCS11_PIN: "" };
    const { stdout } = await run(["hsm", "list"], environment);
    expect(stdout).toContain("\\u{1b}[31mRED");
    expect(stdout).not.toContain("\u001b");
  });

  test("the PIN is in no output, whatever fails and however much is asked for", async () => {
    for (const fault of ["none", "removed", "pin-locked", "no-public-key"]) {
      const words = [...ON_TREASURY, "--debug", "--verbose", "--json"];
      const { stdout, stderr } = await run(words, withFault(fault));
      expect(stdout + stderr).not.toContain(PIN);
    }
  });
});

const mounts = needs("unshare -rm", CAN_MOUNT);

softhsm.describe("the addon inside the executable", () => {
  test("leaves nothing behind in the temporary directory", async () => {
    await alone(async (directory, binary) => {
      const temporary = join(directory, "tmp");
      mkdirSync(temporary);
      const { exitCode } = await run(ON_TREASURY, { TMPDIR: temporary }, binary);
      expect([exitCode, readdirSync(temporary)]).toEqual([0, []]);
    });
  });

  test("cannot be written: what to do", async () => {
    await alone(async (_directory, binary) => {
      const { stderr } = await refused(ON_TREASURY, { TMPDIR: "/proc" }, binary);
      expect(stderr).toContain("[PKCS11_ADDON_UNAVAILABLE]");
      expect(stderr).toContain("TMPDIR");
      expect(stderr).toContain("pkcs11.node");
    });
  });

  for (const [option, said] of [
    ["noexec", "cannot be loaded: failed to map segment"],
    ["ro", "cannot be written"],
  ])
    mounts.test(`a temporary directory that is mounted ${option}`, async () => {
      await alone(async (directory, binary) => {
        const temporary = join(directory, "tmp");
        mkdirSync(temporary);
        const command = `mount -t tmpfs -o ${option} tmpfs ${temporary} && ${binary} hsm list`;
        const child = Bun.spawnSync(["unshare", "-rm", "sh", "-c", command], {
          env: { PATH: process.env.PATH ?? "", ...hsm.environment, TMPDIR: temporary },
        });
        expect([child.exitCode, child.stdout.toString()]).toEqual([3, ""]);
        expect(child.stderr.toString()).toContain("[PKCS11_ADDON_UNAVAILABLE]");
        expect(child.stderr.toString()).toContain(said ?? "");
      });
    });

  test("the one next to the executable is used first", async () => {
    await alone(async (directory, binary) => {
      writeFileSync(join(directory, "pkcs11.node"), "no library");
      const { stderr } = await refused(ON_TREASURY, {}, binary);
      expect(stderr).toContain("[PKCS11_ADDON_UNAVAILABLE]");
      expect(stderr).toContain(join(directory, "pkcs11.node"));
    });
  });
});

const ON_TREASURY = ["hsm", "test", "--token-label", "treasury"];

async function run(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  binary?: string,
): Promise<Finished> {
  const options: RunOptions = {
    environment: { ...hsm.environment, SVC_PKCS11_PIN: PIN, ...environment },
    ...(binary !== undefined && { binary }),
  };
  return svc(words, options);
}

/** Runs svc, which must exit with code 3 and print nothing on stdout. */
async function refused(...run_: Parameters<typeof run>): Promise<Finished> {
  const finished = await run(...run_);
  expect([finished.exitCode, finished.stdout]).toEqual([3, ""]);
  return finished;
}

function withFault(fault: string): Readonly<Record<string, string>> {
  return { ...faulty.environment, FAULT: fault };
}

function failing(fault: string): Promise<Finished> {
  return refused(ON_TREASURY, withFault(fault));
}

/** A copy of svc without other files next to it. */
function alone(action: (directory: string, binary: string) => Promise<void>): Promise<void> {
  return inTemporaryDirectory(async (directory) => {
    const binary = join(directory, "svc");
    copyFileSync(svcBinary(), binary);
    await action(directory, binary);
  });
}
