// A program that calls `explain`: what svc has as flags, `explain` has as its option `spec`. Other
// remedies name commands of svc.

import { type Audience, SHELL } from "../base/phrase.ts";

export const PROGRAM: Audience = {
  ...SHELL,
  flag: (name, value) =>
    name === "id" || name === "wasm"
      ? { name: "spec", place: " of `explain` (the entries of its specification, or its wasm)" }
      : SHELL.flag(name, value),
  again: "Try again",
  isShell: false,
};
