import { describe, expect, test } from "bun:test";
import { ADDRESS_KINDS, encodeStrkey } from "../../src/base/text/strkey.ts";
import { labelOfFlag, labelsOfFile } from "../../src/model/labels.ts";
import { failureIn } from "../support/failure.ts";

const ADDRESS = "GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4";

describe("labels", () => {
  test("of a flag: the name may contain an equals sign", () => {
    expect(labelOfFlag(`${ADDRESS}=a=b c`)).toEqual([ADDRESS, "a=b c"]);
  });

  test("of every kind of address", () => {
    for (const kind of ADDRESS_KINDS) {
      const size = kind === "claimable-balance" ? 33 : kind.startsWith("muxed") ? 40 : 32;
      const address = encodeStrkey(kind, new Uint8Array(size));
      expect(labelOfFlag(`${address}=x`)).toEqual([address, "x"]);
    }
  });

  test("of the file of settings", () => {
    expect([...labelsOfFile({ [ADDRESS]: "treasury" }, "svc.json")]).toEqual([
      [ADDRESS, { name: "treasury", isSaved: false }],
    ]);
    expect([...labelsOfFile(undefined, "svc.json")]).toEqual([]);
  });

  test("an invalid label: USAGE, or CONFIG_INVALID with the file's name", async () => {
    for (const written of [ADDRESS, `${ADDRESS}=`, "=x", "G=x", `${ADDRESS}=${"x".repeat(41)}`])
      expect((await failureIn(() => labelOfFlag(written))).code).toBe("USAGE");
    for (const labels of [[], { x: "y" }, { [ADDRESS]: 5 }, "x"]) {
      const error = await failureIn(() => labelsOfFile(labels, "mine.json"));
      expect(error.code).toBe("CONFIG_INVALID");
      expect(error.message).toContain("mine.json");
    }
  });
});
