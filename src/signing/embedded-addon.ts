// The path of the copy of pkcs11.node in svc's executable, which only svc itself can read.
// scripts/build-binaries.ts chooses the file. A svc that was built without it cannot load this
// module.

// @ts-expect-error: a file of bytes has no types.
import path from "../../dist/pkcs11.node" with { type: "file" };

export const EMBEDDED_ADDON_PATH: string = path;
