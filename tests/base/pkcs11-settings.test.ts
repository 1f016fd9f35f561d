import { expect, test } from "bun:test";
import { readSettings } from "../../src/base/settings/setting.ts";
import { TOKEN_SETTINGS } from "../../src/signing/token-settings.ts";
import { failureIn } from "../support/failure.ts";

const resolve = (layers: Omit<Parameters<typeof readSettings>[1], "file">) =>
  readSettings(TOKEN_SETTINGS, { ...layers, file: null });

test("a flag wins over a variable, and an empty variable is none", () => {
  const settings = resolve({
    flags: { slot: "0x1F", keyId: "0A" },
    environment: {
      SVC_PKCS11_SLOT: "7",
      SVC_PKCS11_MODULE: "/x.so",
      SVC_PKCS11_KEY_LABEL: "",
    },
  });
  expect(settings).toMatchObject({
    module: "/x.so",
    tokenLabel: null,
    slot: 31,
    keyLabel: null,
    keyId: "0a",
    pinFile: null,
  });
});

test.each([
  ["slot", "first"],
  ["slot", "-1"],
  ["slot", "1e3"],
  ["keyId", "1"],
  ["keyId", "0x01"],
  ["keyLabel", "a".repeat(5000)],
] as const)("%s %s is refused, by the name of where it stands", async (name, value) => {
  const variable = `SVC_PKCS11_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
  const inEnvironment = await failureIn(() =>
    resolve({ flags: {}, environment: { [variable]: value } }),
  );
  expect(inEnvironment.code).toBe("CONFIG_INVALID");
  expect(inEnvironment.message).toStartWith(variable);
  const asFlag = await failureIn(() => resolve({ flags: { [name]: value }, environment: {} }));
  expect(asFlag.code).toBe("USAGE");
});
