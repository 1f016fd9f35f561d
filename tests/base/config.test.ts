// Settings: which source wins, what is refused, and that no secret is repeated.

import { expect, test } from "bun:test";
import { originText } from "../../src/base/settings/origin.ts";
import type { SettingLayers } from "../../src/base/settings/setting.ts";
import { NETWORK_SETTINGS, requireNodes } from "../../src/sources/network-settings.ts";
import { thrownBy } from "../support/failure.ts";
import { resolveConfig } from "../support/settings.ts";

const NOTHING: SettingLayers = { flags: {}, environment: {}, file: null };

test("without anything: testnet, its nodes, a minute", () => {
  const config = resolveConfig(NOTHING);
  expect(config.network).toBe("testnet");
  expect(config.networkPassphrase).toBe("Test SDF Network ; September 2015");
  expect(config.horizonUrls).toEqual(["https://horizon-testnet.stellar.org"]);
  expect(config.rpcUrls).toEqual(["https://soroban-testnet.stellar.org"]);
  expect(config.timeoutMilliseconds).toBe(60_000);
  expect(config.simPath).toBeNull();
  expect(new Set(Object.values(config.origins).map(originText))).toEqual(new Set(["default"]));
});

test("a flag beats the environment, which beats the file, which beats the default", () => {
  const file = { path: "svc.json", settings: { network: "mainnet", timeout: 10 } };
  const environment = { SVC_NETWORK: "futurenet", SVC_TIMEOUT: "20" };
  const all = resolveConfig({ flags: { timeout: "500ms" }, environment, file });
  expect([all.network, all.timeoutMilliseconds]).toEqual(["futurenet", 500]);
  expect(all.origins.network).toEqual({ kind: "variable", name: "SVC_NETWORK" });
  expect(all.origins.timeout).toEqual({ kind: "flag", setting: "timeout" });
  const fromFile = resolveConfig({ ...NOTHING, file });
  expect([fromFile.network, fromFile.timeoutMilliseconds]).toEqual(["mainnet", 10_000]);
  expect(fromFile.origins.network).toEqual({ kind: "file", path: "svc.json" });
});

test("an empty variable is not set", () => {
  expect(resolveConfig({ ...NOTHING, environment: { SVC_NETWORK: "" } }).network).toBe("testnet");
});

test("several nodes are a comma list, or an array in a file", () => {
  const flags = { rpcUrl: "http://a.example, http://b.example:8000/rpc" };
  const file = {
    path: "f",
    settings: { horizonUrl: ["https://h1.example", "https://h2.example"] },
  };
  const config = resolveConfig({ flags, environment: {}, file });
  expect(config.rpcUrls).toEqual(["http://a.example", "http://b.example:8000/rpc"]);
  expect(config.horizonUrls).toEqual(["https://h1.example", "https://h2.example"]);
});

test("a passphrase makes a network of its own, and then the nodes must be named", () => {
  const flags = { networkPassphrase: "Standalone Network ; February 2017" };
  const config = resolveConfig({ ...NOTHING, flags });
  expect([config.network, config.horizonUrls, config.rpcUrls]).toEqual(["custom", [], []]);
  expect(thrownBy(() => requireNodes(config)).code).toBe("CONFIG_INVALID");
  const named = resolveConfig({
    ...NOTHING,
    flags: { ...flags, rpcUrl: "http://localhost:8000/rpc" },
  });
  requireNodes(named);
  expect(named.rpcUrls).toEqual(["http://localhost:8000/rpc"]);
});

test("a public network's passphrase names that network", () => {
  const flags = { networkPassphrase: "Public Global Stellar Network ; September 2015" };
  expect(resolveConfig({ ...NOTHING, flags }).network).toBe("mainnet");
});

test("name and passphrase that contradict: the higher place wins, equal places are refused", () => {
  const passphrase = "Standalone Network ; February 2017";
  const higher = resolveConfig({
    ...NOTHING,
    flags: { networkPassphrase: passphrase },
    environment: { SVC_NETWORK: "mainnet" },
  });
  expect(higher.network).toBe("custom");
  const lower = resolveConfig({
    ...NOTHING,
    flags: { network: "mainnet" },
    environment: { SVC_NETWORK_PASSPHRASE: passphrase },
  });
  expect(lower.network).toBe("mainnet");
  const flags = { network: "mainnet", networkPassphrase: passphrase };
  expect(thrownBy(() => resolveConfig({ ...NOTHING, flags })).code).toBe("CONFIG_INVALID");
});

test("bad values name their place: a flag is usage, the rest is configuration", () => {
  const bad = [
    { flags: { timeout: "soon" }, code: "USAGE", says: "--timeout" },
    { flags: { rpcUrl: "ftp://x.example" }, code: "USAGE", says: "--rpc-url" },
    { environment: { SVC_TIMEOUT: "-1" }, code: "CONFIG_INVALID", says: "SVC_TIMEOUT" },
    { environment: { SVC_NETWORK: "maintnet" }, code: "CONFIG_INVALID", says: "SVC_NETWORK" },
    {
      file: { path: "my.json", settings: { timeout: true } },
      code: "CONFIG_INVALID",
      says: "timeout in my.json",
    },
  ];
  for (const { code, says, ...inputs } of bad) {
    const error = thrownBy(() => resolveConfig({ ...NOTHING, ...inputs }));
    expect([error.code, error.message.includes(says)]).toEqual([code as never, true]);
  }
});

test("a URL's secrets are not repeated in an error", () => {
  const flags = { rpcUrl: "htps://user:hunter2@rpc.example/v2/s3cret" };
  const error = thrownBy(() => resolveConfig({ ...NOTHING, flags }));
  expect(error.message + error.remedy + JSON.stringify(error.details)).not.toMatch(
    /hunter2|s3cret/,
  );
});

test("what a run uses is shown: the public lake too, and no secrets of URLs", () => {
  const { ledgerLakeUrl, rpcUrl } = NETWORK_SETTINGS;
  const lake = (flags: SettingLayers["flags"]) =>
    ledgerLakeUrl.used(resolveConfig({ ...NOTHING, flags }));
  expect(lake({})).toBe(
    "https://aws-public-blockchain.s3.us-east-2.amazonaws.com/v1.1/stellar/ledgers/testnet",
  );
  expect([lake({ ledgerLakeUrl: "none" }), lake({ network: "futurenet" })]).toEqual([
    "none",
    "none",
  ]);
  const flags = { rpcUrl: "https://user:hunter2@rpc.example/v2/s3cret" };
  expect(rpcUrl.used(resolveConfig({ ...NOTHING, flags }))).toBe("https://rpc.example/…");
});

test("what was resolved stays as it is", () => {
  const config = resolveConfig(NOTHING);
  expect(Object.isFrozen(config)).toBe(true);
  expect(Object.isFrozen(config.rpcUrls)).toBe(true);
  expect(Object.isFrozen(config.origins)).toBe(true);
});
