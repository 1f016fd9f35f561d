// Loads and initializes a PKCS#11 module. Invariant: only an initialized module is finalized, and a
// library that is not a PKCS#11 module is never called.

import { isAbsolute, resolve } from "node:path";
import { SvcError } from "../base/errors/errors.ts";
import { messageOf } from "../base/errors/system-code.ts";
import { flag, phrase } from "../base/phrase.ts";
import { CKF, type NativeModuleInfo, type NativePkcs11 } from "./cryptoki.ts";
import { loadAddon } from "./load-addon.ts";
import { pkcs11Error, returnValueOf, showReturnValue } from "./pkcs11-error.ts";

export interface Pkcs11Module extends Disposable {
  readonly path: string;
  readonly info: NativeModuleInfo;
  /** The native functions, for calls whose failures the caller interprets. */
  readonly native: NativePkcs11;
  /**
   * Calls one PKCS#11 function. `call` is its name, for errors. Throws the errors of `pkcs11Error`.
   */
  call<Result>(call: string, action: (native: NativePkcs11) => Result): Result;
}

export interface ModulePlace {
  /** The path of the module; null if none is set. */
  readonly module: string | null;
  readonly workingDirectory: string;
  readonly executablePath: string;
}

const SET_MODULE = phrase`Set SVC_PKCS11_MODULE or ${flag("module")} to the library that came with the token.`;
const CHECK_MODULE =
  "Check the module's own settings, such as SOFTHSM2_CONF, and that its service runs.";

/** Loads and initializes a module. Throws PKCS11_ADDON_UNAVAILABLE and PKCS11_MODULE_UNLOADABLE. */
export async function openModule(place: ModulePlace): Promise<Pkcs11Module> {
  if (place.module === null)
    throw new SvcError("PKCS11_MODULE_UNLOADABLE", {
      message: "No PKCS#11 module is set.",
      remedy: SET_MODULE,
    });
  // The system searches a bare name in its library directories, not in the working directory.
  const bare = !place.module.includes("/") && !place.module.includes("\\");
  const path =
    bare || isAbsolute(place.module) ? place.module : resolve(place.workingDirectory, place.module);
  const native = new (await loadAddon(place.executablePath)).PKCS11();
  attempt(path, "load", () => native.load(path));
  attempt(path, "initialize", () => native.C_Initialize({ flags: CKF.OS_LOCKING_OK }));
  const call: Pkcs11Module["call"] = (name, action) => {
    try {
      return action(native);
    } catch (thrown) {
      throw pkcs11Error(name, thrown);
    }
  };
  const close = () => {
    try {
      native.C_Finalize();
    } catch {
      // No session is open any longer, and the first error was thrown before.
    }
  };
  try {
    const info = call("C_GetInfo", () => native.C_GetInfo());
    return { path, info, native, call, [Symbol.dispose]: close };
  } catch (thrown) {
    close();
    throw thrown;
  }
}

function attempt(path: string, step: "load" | "initialize", action: () => void): void {
  try {
    action();
  } catch (cause) {
    const returned = returnValueOf(cause);
    const message = messageOf(cause);
    // The message of the system's loader begins with the path.
    const reason = returned === null ? message.replace(`${path}: `, "") : showReturnValue(returned);
    const how = step === "load" ? "loaded" : "initialized";
    throw new SvcError("PKCS11_MODULE_UNLOADABLE", {
      message: `The PKCS#11 module ${path} cannot be ${how}: ${reason}.`,
      remedy: step === "load" ? SET_MODULE : CHECK_MODULE,
      cause,
      details: { module: path },
    });
  }
}
