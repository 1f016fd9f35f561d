// Where the copy of pkcs11.node lies that svc's executable holds: a path that only svc itself can
// read. scripts/build-binaries.ts decides which file that is; a svc built without one cannot load
// this file.

// @ts-expect-error: a file of bytes has no types.
import path from "../../dist/pkcs11.node" with { type: "file" };

export const EMBEDDED_ADDON_PATH: string = path;
