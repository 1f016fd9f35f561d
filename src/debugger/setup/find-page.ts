// Finds svc.html, which comes with svc and has what a page needs to run svc in itself.

import { dirname, join, resolve } from "node:path";
import { BUILD_INFO } from "../../base/build-info.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { whyUnreadable } from "../../base/files/read-file.ts";
import type { SimulatorSurroundings } from "./find-simulator.ts";

/**
 * Returns the text of svc.html. Throws SIMULATOR_NOT_FOUND if none of this version is next to svc.
 */
export async function findPage({
  executablePath,
}: Pick<SimulatorSurroundings, "executablePath">): Promise<string> {
  const path = join(dirname(resolve(executablePath)), "svc.html");
  let text: string;
  try {
    text = await Bun.file(path).text();
  } catch (error) {
    throw notFound(`${path} cannot be read: ${whyUnreadable(error)}`);
  }
  const [, version] =
    /<script type="text\/plain" id="core" data-version="([^"]*)">/.exec(text) ?? [];
  if (version === undefined) throw notFound(`${path} is another page`);
  if (BUILD_INFO.compiled && version !== BUILD_INFO.version)
    throw notFound(`${path} is of version ${version}, and svc is ${BUILD_INFO.version}`);
  return text;
}

function notFound(why: string): SvcError {
  return new SvcError("SIMULATOR_NOT_FOUND", {
    message: `A page that replays itself needs svc.html next to svc: ${why}.`,
    httpMessage: "A page that replays itself needs svc.html, which is not next to svc.",
    remedy:
      "Keep svc.html, which comes with svc, in the same directory as svc; in a checkout, build it with " +
      "`bun scripts/build-binaries.ts --module`.",
    httpRemedy: "Ask the operator to put svc.html next to svc.",
  });
}
