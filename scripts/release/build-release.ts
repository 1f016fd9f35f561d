// Builds a release: one archive for each platform, images and Debian packages for some, npm packages,
// svc.html, the extension for Visual Studio Code, checksums, the bill of materials, the provenance and
// the install scripts. The same commit, tools and paths give the same bytes.

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import packageFile from "../../package.json";
import { readCommandPages } from "../../src/cli/commands.ts";
import { renderCompletions } from "../../src/cli/present/completions.ts";
import { ensureBaseExecutable } from "./base-executable.ts";
import { renderBillOfMaterials } from "./bill-of-materials.ts";
import { buildReleaseAddon } from "./build-addon.ts";
import { buildImage, imageArchitecture } from "./build-image.ts";
import { buildModules } from "./build-module.ts";
import { buildPackage } from "./build-package.ts";
import { buildPage } from "./build-page.ts";
import { buildShell, commit } from "./build-shell.ts";
import { buildReleaseSimulator } from "./build-simulator.ts";
import { type Component, readComponents } from "./components.ts";
import { stripped } from "./cross-toolchain.ts";
import { debianComponents, readDebianPackages } from "./debian.ts";
import { readDocuments } from "./documents.ts";
import { archiveNames, hasSymbols, imageNames, symbolsName } from "./file-names.ts";
import { checkSignature, signAdHoc } from "./mach-o.ts";
import { renderManualPage } from "./manual-page.ts";
import {
  libraryFile,
  platformFile,
  wrapperFile,
  writeLibraryPackage,
  writePlatformPackage,
  writeWrapperPackage,
} from "./npm-packages.ts";
import { renderManifests } from "./package-manifests.ts";
import { RELEASE_DIST, ROOT } from "./paths.ts";
import { type Build, renderProvenance, sha256 } from "./provenance.ts";
import {
  billOfMaterialsFile,
  INSTALL_SCRIPTS,
  MANIFESTS,
  PAGE,
  provenanceFile,
  releaseFiles,
} from "./release-files.ts";
import type { Target } from "./targets.ts";
import { renderThirdPartyLicenses } from "./third-party-licenses.ts";
import { type ArchivedFile, secondName, writeTarGz, writeZip } from "./write-archive.ts";
import { debianFile, writeDebianPackage } from "./write-deb.ts";
import { writeVsix } from "./write-vsix.ts";

const VERSION = packageFile.version;

/** The parts of a release, and the directory to which it is written. */
export interface ReleaseSources {
  readonly directory: string;
  readonly programs: (target: Target) => Promise<Programs>;
  /** The files for browsers; null if they were not built, as in a release of one machine. */
  readonly forBrowsers: () => Promise<BrowserFiles | null>;
  /** True if `programs` builds them with the compilers of release/prepare. */
  readonly isCrossCompiled: boolean;
  /** The command of the build, for the provenance. */
  readonly command: string;
}

/** The programs of a platform. */
export interface Programs {
  /** The files of its archive. */
  readonly files: readonly ArchivedFile[];
  /** The programs in Rust with the names of their functions; null if these were not kept apart. */
  readonly withSymbols: readonly ArchivedFile[] | null;
}

/** The release whose programs are built with the compilers of release/prepare. */
export function builtFor(command: string): ReleaseSources {
  return {
    directory: RELEASE_DIST,
    programs,
    forBrowsers: buildForBrowsers,
    isCrossCompiled: true,
    command,
  };
}

/** svc.html, and the files of the package for programs in JavaScript. */
export interface BrowserFiles {
  readonly page: Buffer;
  readonly library: readonly ArchivedFile[];
}

/** Writes the release. Throws at the first target that cannot be built. */
export async function buildRelease(
  targets: readonly Target[],
  { directory, programs: programsOf, forBrowsers, isCrossCompiled, command }: ReleaseSources,
): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const committedAt = commitTime();
  const components = readComponents();
  const artefacts = new Map<string, Buffer>();
  const browserFiles = await forBrowsers();
  const common = await commonFiles(components, committedAt);
  if (browserFiles !== null) {
    const { page, library } = browserFiles;
    artefacts.set(PAGE, page);
    common.push({ path: PAGE, bytes: page, executable: false });
    const packed = writeLibraryPackage(library, committedAt.getTime() / 1000);
    artefacts.set(libraryFile(VERSION), packed);
    writeFileSync(join(directory, libraryFile(VERSION)), packed);
  }
  const architectures = new Set(targets.map(imageArchitecture));
  const debian = readDebianPackages().filter((each) => architectures.has(each.architecture));
  for (const target of targets) {
    const { files: ofTarget, withSymbols } = await programsOf(target);
    const files = [...common, ...ofTarget, secondName(target.archive)];
    const { folder, archive } = archiveNames(VERSION, target);
    const inFolder = files.map((file) => ({ ...file, path: `${folder}/${file.path}` }));
    const write = target.archive === "zip" ? writeZip : writeTarGz;
    const unixSeconds = committedAt.getTime() / 1000;
    const put = (name: string, bytes: Buffer) => {
      artefacts.set(name, bytes);
      writeFileSync(join(directory, name), bytes);
      process.stderr.write(`${name}: ${bytes.length} bytes\n`);
    };
    put(archive, write(inFolder, unixSeconds));
    if (withSymbols !== null)
      put(symbolsName(VERSION, target), writeTarGz(withSymbols, unixSeconds));
    put(platformFile(VERSION, target), writePlatformPackage(target, files, unixSeconds));
    const deb = debianFile(VERSION, target);
    if (deb !== null) put(deb, writeDebianPackage(target, files, unixSeconds));
    const inImage = debian.filter(({ architecture }) => architecture === imageArchitecture(target));
    const billOfImage = renderBillOfMaterials(
      [...components, ...debianComponents(inImage)],
      fullCommit(),
      committedAt,
    );
    const image = await buildImage(target, files, unixSeconds, Buffer.from(billOfImage));
    if (image === null) continue;
    const names = imageNames(VERSION, target);
    put(names.image, image.archive);
    put(names.rootFileSystem, image.layer);
  }
  const all = [...components, ...debianComponents(debian)];
  const bom = renderBillOfMaterials(all, fullCommit(), committedAt);
  artefacts.set(billOfMaterialsFile(VERSION), Buffer.from(bom));
  for (const name of INSTALL_SCRIPTS)
    artefacts.set(name, readFileSync(join(ROOT, "release", name)));
  const texts = {
    license: readFileSync(join(ROOT, "LICENSE")),
    readme: readFileSync(join(ROOT, "release", "npm", "README.md")),
  };
  const wrapper = writeWrapperPackage(targets, texts, committedAt.getTime() / 1000);
  artefacts.set(wrapperFile(VERSION), wrapper);
  for (const [name, text] of renderManifests(artefacts)) artefacts.set(name, Buffer.from(text));
  artefacts.set(`svc-${VERSION}.vsix`, writeVsix(committedAt.getTime() / 1000));
  const build = { commit: fullCommit(), command, isCrossCompiled, debian };
  checkNames([...artefacts.keys(), provenanceFile(VERSION)], targets);
  writeSurroundings(artefacts, directory, build);
}

/** Throws if these are not the files that a release of these targets has. */
function checkNames(names: readonly string[], targets: readonly Target[]): void {
  const expected = releaseFiles(VERSION, targets, {
    browserFiles: names.includes(PAGE),
    manifests: names.some((name) => MANIFESTS.some((manifest) => manifest === name)),
    symbols: targets.some((target) => names.includes(symbolsName(VERSION, target))),
  });
  const differing = [...new Set(names).symmetricDifference(new Set(expected))];
  if (differing.length > 0)
    throw new Error(
      `release-files.ts does not name the files of this release: ${differing.join(", ")}`,
    );
}

/** Writes the files next to the archives. */
function writeSurroundings(
  artefacts: ReadonlyMap<string, Buffer>,
  directory: string,
  build: Build,
): void {
  const sums = [...artefacts].map(([name, bytes]) => ({ name, sha256: sha256(bytes) }));
  sums.sort((one, other) => (one.name < other.name ? -1 : 1));
  const provenance = renderProvenance(sums, build);
  const name = provenanceFile(VERSION);
  const listed = [...sums, { name, sha256: sha256(provenance) }];
  const put = (file: string, bytes: Buffer | string) => writeFileSync(join(directory, file), bytes);
  for (const [file, bytes] of artefacts) if (!/\.(gz|zip|tar|deb)$/.test(file)) put(file, bytes);
  put(name, provenance);
  put("SHA256SUMS", listed.map((file) => `${file.sha256}  ${file.name}\n`).join(""));
  chmodSync(join(directory, "install.sh"), 0o755);
}

async function programs(target: Target): Promise<Programs> {
  const shell = join(RELEASE_DIST, `.building-${target.name}${target.suffix}`);
  const addon = buildReleaseAddon(target);
  await buildShell({ target, base: ensureBaseExecutable(target), output: shell, addon });
  const simulators = [
    { name: "svc-sim", features: [] },
    { name: "svc-sim-recording", features: ["--features", "recording"] },
  ].map(({ name, features }) => {
    return { name, bytes: readFileSync(buildReleaseSimulator(target, features)) };
  });
  const files = [
    program(target, "svc", readFileSync(shell)),
    ...simulators.map(({ name, bytes }) => program(target, name, stripped(bytes, "--strip-all"))),
    // svc contains a copy, which it must write to a file to load it. This file is for cases in
    // which it cannot.
    { path: "pkcs11.node", bytes: readFileSync(addon), executable: false },
  ];
  rmSync(shell);
  const withSymbols = simulators.map(({ name, bytes }) => {
    const named = stripped(bytes, "--strip-debug");
    return { path: `${name}${target.suffix}`, bytes: named, executable: true };
  });
  return { files, withSymbols: hasSymbols(target) ? withSymbols : null };
}

async function buildForBrowsers(): Promise<BrowserFiles> {
  const scratch = join(RELEASE_DIST, ".building-browser");
  const modules = buildModules("release");
  await buildPackage(join(scratch, "library"), modules);
  await buildPage(modules, join(scratch, PAGE));
  const files = readBrowserFiles(scratch);
  rmSync(scratch, { recursive: true });
  return files;
}

/** Reads what `--module` builds: the page, and the directory `library`. */
export function readBrowserFiles(directory: string): BrowserFiles {
  const library = join(directory, "library");
  const names = readdirSync(library, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort();
  return {
    page: readFileSync(join(directory, PAGE)),
    library: names.map((path) => ({
      path: relative(library, path),
      bytes: readFileSync(path),
      executable: false,
    })),
  };
}

function program({ platform, suffix }: Target, name: string, bytes: Buffer): ArchivedFile {
  const path = `${name}${suffix}`;
  return { path, bytes: platform === "darwin" ? signed(bytes, name) : bytes, executable: true };
}

function signed(program: Buffer, name: string): Buffer {
  const bytes = signAdHoc(program, name);
  checkSignature(bytes);
  return bytes;
}

async function commonFiles(
  components: readonly Component[],
  committedAt: Date,
): Promise<ArchivedFile[]> {
  const commands = await readCommandPages();
  const file = (path: string, content: Buffer | string) => ({
    path,
    bytes: Buffer.from(content),
    executable: false,
  });
  const own = (path: string, source: string) => file(path, readFileSync(join(ROOT, source)));
  return [
    own("LICENSE", "LICENSE"),
    own("README.md", "release/archive/README.md"),
    own("CHANGELOG.md", "CHANGELOG.md"),
    file("THIRD-PARTY-LICENSES.txt", renderThirdPartyLicenses(components)),
    file("man/svc.1", renderManualPage(commands, committedAt.toISOString().slice(0, 10))),
    ...[...renderCompletions(commands)].map(([name, text]) => file(`completions/${name}`, text)),
    ...readDocuments(),
  ];
}

function fullCommit(): string {
  return `${git("rev-parse", "HEAD")}${commit().endsWith("-dirty") ? "-dirty" : ""}`;
}

function commitTime(): Date {
  return new Date(Number(git("log", "-1", "--format=%ct")) * 1000);
}

function git(...words: string[]): string {
  const run = Bun.spawnSync(["git", ...words], { cwd: ROOT });
  if (!run.success) throw new Error("a release needs a git checkout, and this is not one");
  return run.stdout.toString().trim();
}
