// An unexpected exception is an internal error with a code; text that it quotes is neutralized.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import {
  asSvcError,
  renderErrorJson,
  renderErrorText,
  shortenWords,
} from "../../src/command/present-error.ts";
import { exitCodeOf } from "../../src/error-catalogue.ts";

test("anything without a code is INTERNAL, and keeps its cause", () => {
  const defect = new TypeError("x is not a function");
  const error = asSvcError(defect);
  expect([error.code, exitCodeOf(error), error.cause]).toEqual(["INTERNAL", 70, defect]);
  expect(asSvcError("thrown text").code).toBe("INTERNAL");
});

test("a plain TimeoutError is a timeout, not an internal error", () => {
  expect(asSvcError(new DOMException("late", "TimeoutError")).code).toBe("NETWORK_TIMEOUT");
});

test("text shows code, message and remedy; causes and details with --debug", () => {
  const error = new SvcError("FILE_INVALID", {
    message: "no\u001b[31m\ncapsule",
    remedy: "Make it\u202e again.",
    cause: new Error("outer", { cause: Object.assign(new Error("inner"), { code: "EIO" }) }),
    details: { file: "a\u0007b", size: 10n },
  });
  const plain =
    "error: no\\u{1b}[31m\ncapsule [FILE_INVALID]\n  what to do: Make it\\u{202e} again.\n";
  expect(renderErrorText(error, { debug: false })).toBe(plain);
  const all = renderErrorText(error, { debug: true });
  expect(all).toContain("caused by: Error: outer");
  expect(all).toContain("caused by: inner (EIO)");
  expect(all).toContain("file: a\\u{7}b");
});

test("a URL that may be a node's loses what may be secret, wherever it stands on the command line", () => {
  const url = "https://user:word@node.example/v1/0a1b2c?key=3";
  for (const argv of [["verify", url], [`--rpc=${url}`], [`--rpc-url=http://a.example,${url}`]]) {
    const shorten = shortenWords(argv);
    const said = shorten(`"${url}" is wrong. /home/https:/user:word@node.example/v1/0a1b2c?key=3`);
    expect(said).toBe('"https://node.example/…" is wrong. /home/https://node.example/…');
  }
  const explorer = `https://explorer.example/tx/${"0a".repeat(32)}`;
  expect(shortenWords([explorer])(`Run \`svc debug ${explorer}\`.`)).toContain(explorer);
});

test("a long word of the command line is repeated with its beginning, cut off or not", () => {
  const word = "x".repeat(100_000);
  const shorter = "y".repeat(1000);
  const error = new SvcError("USAGE", { message: `No "${word}".`, remedy: `Not ${shorter}!` });
  const shorten = shortenWords(["debug", word, shorter]);
  expect(shorten(error.message)).toBe(`No "${"x".repeat(100)}…`);
  expect(shorten(error.remedy)).toBe(`Not ${"y".repeat(100)}…!`);
});

test("on a terminal, lines are broken between words, and the words before them are colored", () => {
  const words = fc.array(fc.constantFrom("a", "word", "somewhat", "considerably"), {
    minLength: 1,
  });
  const check = fc.property(
    words,
    words,
    fc.integer({ min: 40, max: 160 }),
    (one, two, columns) => {
      const error = new SvcError("USAGE", {
        message: `${one.join(" ")}:\n  ${two.join(" ")}`,
        remedy: two.join(" "),
      });
      const broken = renderErrorText(error, { debug: false, columns });
      for (const line of broken.split("\n"))
        expect(line.length).toBeLessThanOrEqual(Math.min(columns, 120));
      const joined = (text: string) => text.split(/\s+/).join(" ");
      expect(joined(broken)).toBe(joined(renderErrorText(error, { debug: false })));
      const colored = renderErrorText(error, { debug: false, columns, color: true });
      expect(colored).toStartWith("\u001b[31merror:\u001b[0m ");
      expect(Bun.stripANSI(colored)).toBe(broken);
    },
  );
  fc.assert(check, { numRuns: 200 });
});

test("JSON is one document with the exit code and 64-bit details as text", () => {
  const error = new SvcError("FILE_INVALID", { message: "m", remedy: "r", details: { size: 10n } });
  expect(JSON.parse(renderErrorJson(error, { debug: false }))).toEqual({
    error: {
      code: "FILE_INVALID",
      message: "m",
      remedy: "r",
      exitCode: 2,
      details: { size: "10" },
    },
  });
});
