// The codes of tools for agents: part of the catalogue.

import { EXIT, row } from "../base/errors/base-errors.ts";
import { phrase, svc } from "../base/phrase.ts";

export const MCP_ERRORS = {
  ANSWER_NOT_FOUND: row(EXIT.usage, 404, {
    summary: "An agent asked for a section of an answer that svc does not keep.",
    advice:
      "Call the first tool again. Only the latest answers are kept, in the memory of one process.",
  }),
  FILE_NOT_ALLOWED: row(EXIT.usage, 403, {
    summary: "An agent named a file that it must not read or write.",
    advice: phrase`Use the name of a file in the directory of ${svc("mcp --allow-directory")}; svc overwrites no file.`,
    httpAdvice: "Use the hash of a transaction: the daemon reads and writes no files for clients.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof MCP_ERRORS> {}
}
