// The code that only `svc daemon` has: part of the catalogue.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";

export const DAEMON_ERRORS = {
  DAEMON_NOT_ALIVE: row(EXIT.remote, 503, {
    summary: "`svc daemon --check` found no live daemon.",
    advice: "Use the settings that the daemon was started with, and read its log.",
    httpAdvice: REPORT,
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof DAEMON_ERRORS> {}
}
