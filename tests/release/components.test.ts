// The third-party software of a release: licenses, and the bill of materials in CycloneDX.

import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import packageFile from "../../package.json";
import { renderBillOfMaterials } from "../../scripts/release/bill-of-materials.ts";
import { IMAGE_PACKAGES, licenseTextsOf } from "../../scripts/release/build-image.ts";
import { readComponents } from "../../scripts/release/components.ts";
import { debianComponents, readDebianPackages } from "../../scripts/release/debian.ts";
import { renderProvenance } from "../../scripts/release/provenance.ts";
import { renderThirdPartyLicenses } from "../../scripts/release/third-party-licenses.ts";
import { needs } from "../support/needs.ts";
import { findTool, runTool } from "../support/tools.ts";

const COMPONENTS = readComponents();
const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const BILL = renderBillOfMaterials(COMPONENTS, COMMIT, new Date("2026-01-02T00:00:00Z"));
const VALIDATORS = dirname(findTool("check-jsonschema") ?? "");

/** Packages that only tests import, and that stellar-sdk needs too. */
const OF_STELLAR_SDK = ["@noble/ed25519", "@noble/hashes"];

test("every package that svc needs is there, and none that only its development needs", () => {
  const names = COMPONENTS.filter(({ ecosystem }) => ecosystem === "npm").map(({ name }) => name);
  for (const name of Object.keys(packageFile.dependencies)) expect(names).toContain(name);
  const ofDevelopment = Object.keys(packageFile.devDependencies).filter(
    (name) => !OF_STELLAR_SDK.includes(name),
  );
  for (const name of ofDevelopment) expect(names).not.toContain(name);
});

test("every contract host is there, and svc-sim's own crate is not", () => {
  const crates = COMPONENTS.filter(({ ecosystem }) => ecosystem === "cargo");
  const hosts = crates.filter(({ name }) => name === "soroban-env-host");
  expect(hosts.map(({ version }) => version.split(".")[0])).toEqual(
    Array.from({ length: 10 }, (_, index) => String(21 + index)),
  );
  expect(crates.map(({ name }) => name)).not.toContain("svc-sim");
});

test("each has a license and, from a registry, a checksum", () => {
  for (const { name, ecosystem, license, hash } of COMPONENTS) {
    expect({ name, license }).toEqual({ name, license: expect.stringMatching(/^[A-Z0-9(]/) });
    if (ecosystem !== "generic") expect({ name, hash: hash?.hex.length }).not.toEqual({ name });
  }
});

test("the licenses name every component, and each text once", () => {
  const text = renderThirdPartyLicenses(COMPONENTS);
  for (const { name, version, license } of COMPONENTS)
    expect(text).toContain(`\n  ${name} ${version} (${license})\n`);
  const texts = text.split(`${"=".repeat(80)}\n`).filter((_, index) => index % 2 === 0);
  const bare = texts.slice(1).map((one) => one.replace(/\s+/g, " "));
  expect(new Set(bare).size).toBe(bare.length);
  expect(bare.length).toBeGreaterThan(100);
});

test("the same commit has the same bill of materials, another one another", () => {
  expect(renderBillOfMaterials(readComponents(), COMMIT, new Date("2026-01-02T00:00:00Z"))).toBe(
    BILL,
  );
  const other = renderBillOfMaterials(COMPONENTS, "f".repeat(40), new Date("2026-01-02T00:00:00Z"));
  expect(JSON.parse(other).serialNumber).not.toBe(JSON.parse(BILL).serialNumber);
});

test("the Debian packages of the images are pinned, and are in the bill of materials", () => {
  const packages = readDebianPackages();
  for (const architecture of ["amd64", "arm64"]) {
    const pinned = packages.filter((each) => each.architecture === architecture);
    expect(pinned.map(({ name }) => name).sort()).toEqual([...IMAGE_PACKAGES].sort());
  }
  const components = debianComponents(packages);
  expect(components.filter(({ license }) => license === "")).toEqual([]);
  const bill = JSON.parse(renderBillOfMaterials(components, COMMIT, new Date(0)));
  const references = bill.components.map((each: { purl: string }) => each.purl);
  expect(new Set(references).size).toBe(packages.length);
  for (const reference of references)
    expect(reference).toMatch(/^pkg:deb\/debian\/[\w%.-]+@[\w%.-]+\?arch=(amd64|arm64)$/);
});

test("the texts of the licenses to which the image's copyright files refer are in the image", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-licenses-"));
  try {
    mkdirSync(join(folder, "usr/share/common-licenses"), { recursive: true });
    writeFileSync(join(folder, "usr/share/common-licenses/LGPL-2.1"), "the text");
    const copyright = (text: string) => [
      { path: "copyright", bytes: Buffer.from(text), executable: false },
    ];
    const reference = "see `/usr/share/common-licenses/LGPL-2.1'";
    expect(licenseTextsOf(copyright(`${reference}, and again ${reference}.`), folder)).toEqual([
      {
        path: "usr/share/common-licenses/LGPL-2.1",
        bytes: Buffer.from("the text"),
        executable: false,
      },
    ]);
    expect(() => licenseTextsOf(copyright("/usr/share/common-licenses/GPL-3."), folder)).toThrow(
      "GPL-3",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("the licenses have the texts for the parts of WebKit in Bun", () => {
  const text = renderThirdPartyLicenses(COMPONENTS);
  expect(text).toContain("GNU LIBRARY GENERAL PUBLIC LICENSE");
  expect(text).toContain("GNU LESSER GENERAL PUBLIC LICENSE");
});

test("the provenance names the command, and only what went into this build", () => {
  const [pinned] = readDebianPackages();
  const build = { commit: COMMIT, command: "build --local", isCrossCompiled: false };
  const dependenciesOf = (text: string) => {
    const { externalParameters, internalParameters, resolvedDependencies } =
      JSON.parse(text).predicate.buildDefinition;
    expect(externalParameters).toEqual({ command: "build --local" });
    expect(Object.keys(internalParameters.tools)[0]).toBe("bun");
    return resolvedDependencies.map(({ name }: { name: string }) => name);
  };
  expect(dependenciesOf(renderProvenance([], { ...build, debian: [] }))).toEqual([
    "source",
    "package-lock.json",
    "src/svc-sim/Cargo.lock",
  ]);
  const debian = pinned === undefined ? [] : [pinned];
  const released = renderProvenance([], { ...build, isCrossCompiled: true, debian });
  expect(dependenciesOf(released).slice(3)).toEqual([
    "release/compilers",
    `debian ${pinned?.name} ${pinned?.version} ${pinned?.architecture}`,
  ]);
});

const schemaChecker = needs("check-jsonschema", VALIDATORS !== ".");

schemaChecker.test("the bill of materials is CycloneDX 1.6", () => {
  const scratch = mkdtempSync(join(tmpdir(), "svc-bill-"));
  try {
    writeFileSync(join(scratch, "bill.json"), BILL);
    const script = [
      "import sys",
      "from cyclonedx.schema import SchemaVersion",
      "from cyclonedx.validation.json import JsonStrictValidator",
      "fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open('bill.json').read())",
      "sys.exit(0 if fault is None else str(fault))",
    ].join("\n");
    const run = runTool([join(VALIDATORS, "python"), "-c", script], scratch);
    expect(run).toEqual({ exitCode: 0, text: "" });
  } finally {
    rmSync(scratch, { recursive: true });
  }
});
