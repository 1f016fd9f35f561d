// A real token for tests: SoftHSM with its own token directory, created by softhsm2-util and
// pkcs11-tool (Debian: softhsm2, opensc), and a module in front of it that can fail on purpose.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const PIN = "4711-sEcReT-0815";
const SO_PIN = "12345678";

const MODULE =
  ["/usr/lib/softhsm/libsofthsm2.so", "/usr/local/lib/softhsm/libsofthsm2.so"].find(
    (path) => Bun.file(path).size > 0,
  ) ?? null;

/** False: tests that need a token are skipped. */
export const HAS_SOFTHSM =
  MODULE !== null && Bun.which("softhsm2-util") !== null && Bun.which("pkcs11-tool") !== null;

/** False: tests that need a failing token are skipped too. */
export const CAN_FAIL = HAS_SOFTHSM && Bun.which("cc") !== null;

export interface SoftHsm extends Disposable {
  readonly module: string;
  readonly directory: string;
  /** The environment for svc, without a PIN. */
  readonly environment: Readonly<Record<string, string>>;
  initToken(label: string): void;
  /** Without a CKA_ID where `id` is empty. `type` as pkcs11-tool has it: `EC:edwards25519`, `rsa:2048`, `EC:prime256v1`. */
  makeKey(token: string, key: { label: string; id: string; type?: string }): void;
  /** Removes the token, as if the device was disconnected. */
  removeTokens(): void;
}

/** The signer of most tests: the key `first` with ID 01 on the token `treasury`. */
export function openTreasury(): SoftHsm {
  const hsm = openSoftHsm();
  hsm.initToken("treasury");
  hsm.makeKey("treasury", { label: "first", id: "01" });
  return hsm;
}

export interface FaultyHsm {
  readonly environment: Readonly<Record<string, string>>;
  /** The calls that open and close something, since the last call of this function. */
  calls(): string[];
}

export function openSoftHsm(): SoftHsm {
  const directory = mkdtempSync(join(tmpdir(), "svc-softhsm-"));
  const tokens = join(directory, "tokens");
  mkdirSync(tokens);
  const configuration = join(directory, "softhsm2.conf");
  writeFileSync(configuration, `directories.tokendir = ${tokens}\nlog.level = ERROR\n`);
  const environment = { SOFTHSM2_CONF: configuration, SVC_PKCS11_MODULE: MODULE ?? "" };
  const run = (...command: string[]) => {
    const env = { PATH: process.env.PATH ?? "", ...environment };
    const { success, stderr, stdout } = Bun.spawnSync(command, { env });
    if (!success) throw new Error(`${command.join(" ")}: ${stdout}${stderr}`);
  };
  return {
    module: MODULE ?? "",
    directory,
    environment,
    initToken: (label) =>
      run(
        ...["softhsm2-util", "--init-token", "--free", "--label", label],
        ...["--pin", PIN, "--so-pin", SO_PIN],
      ),
    makeKey: (token, { label, id, type = "EC:edwards25519" }) =>
      run(
        ...["pkcs11-tool", "--module", MODULE ?? "", "--token-label", token],
        ...["--login", "--pin", PIN, "--keypairgen", "--key-type", type],
        ...["--label", label, ...(id === "" ? [] : ["--id", id])],
      ),
    removeTokens: () => rmSync(tokens, { recursive: true }),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** `hsm` behind a module with the fault in $FAULT, compiled from faulty-pkcs11.c. */
export function faultyModule(hsm: SoftHsm): FaultyHsm {
  const source = join(import.meta.dir, "faulty-pkcs11.c");
  const headers = resolve(import.meta.dir, "../../node_modules/pkcs11js/includes/pkcs11");
  const module = join(hsm.directory, "faulty.so");
  const flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-I", headers];
  const { success, stderr } = Bun.spawnSync(["cc", ...flags, "-o", module, source]);
  if (!success) throw new Error(`cc: ${stderr}`);
  const log = join(hsm.directory, "calls.log");
  return {
    environment: {
      ...hsm.environment,
      SVC_PKCS11_MODULE: module,
      FAULTY_MODULE: hsm.module,
      FAULTY_LOG: log,
    },
    calls() {
      const lines = readFileSync(log, "utf8").trim().split("\n");
      rmSync(log);
      return lines;
    },
  };
}
