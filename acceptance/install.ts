// Installs a release as users do, from its real set of files: with install.sh on a new machine that
// has no tools but curl, tar, sh and the like (a container), with dpkg in such a container, with the
// steps of the GitHub Action, and from an npm registry (verdaccio) on loopback. What was changed is
// refused by name, and so is a machine without /proc. On every platform, the installers find their archive
// among the files. install.ps1 is not run: PowerShell and Windows are needed.
//
//   bun acceptance/install.ts [DIRECTORY]     a release (default: dist/local, of build-binaries.ts --local)
//
// Needs podman with runc, ssh-keygen, openssl and npm, which downloads verdaccio once.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { version as VERSION } from "../package.json";
import { archiveNames } from "../scripts/release/file-names.ts";
import { isNpmPackage } from "../scripts/release/npm-packages.ts";
import { ROOT } from "../scripts/release/paths.ts";
import { releaseFiles } from "../scripts/release/release-files.ts";
import { TARGETS } from "../scripts/release/targets.ts";
import { report, until } from "./checks.ts";
import { chooseArchives, installingStep } from "./installers.ts";
import { makeKey, replace, type SignedRelease, sign, signCopy } from "./signed-release.ts";

const RELEASE = resolve(Bun.argv[2] ?? join(ROOT, "dist", "local"));
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-acceptance-install-"));
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "svc", "verdaccio");
/** Engines raise these limits, which not every machine allows. */
const LIMITS = ["--ulimit=nofile=1024:1024", "--ulimit=nproc=1024:1024"];
const ARCHIVE = `svc-${VERSION}-linux-x64.tar.gz`;
/** The programs of a new machine, by what is on it. */
const BARE = [
  ...[
    "sh",
    "curl",
    "tar",
    "gzip",
    "sed",
    "grep",
    "uname",
    "mktemp",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "ln",
  ],
  ...["dirname", "wc", "cat", "dd", "tr", "tail", "head", "base64", "sha256sum", "ldd", "bash"],
];
const MACHINES = {
  bare: BARE,
  "ssh-keygen": [...BARE, "ssh-keygen"],
  openssl: [...BARE, "openssl"],
  dpkg: [
    ...BARE,
    ...["dpkg", "dpkg-deb", "dpkg-query", "dpkg-split", "diff", "ldconfig", "start-stop-daemon"],
  ],
} as const;
type Machine = keyof typeof MACHINES;
/** The machines on which install.sh is tried. */
const BY_SCRIPT = ["bare", "ssh-keygen", "openssl"] as const;

const asked: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url }) => {
    asked.push(new URL(url).pathname);
    const path = join(SCRATCH, decodeURIComponent(new URL(url).pathname));
    return existsSync(path) ? new Response(Bun.file(path)) : new Response(null, { status: 404 });
  },
});
const images = new Map<Machine, string>();
try {
  const signed = signCopy(RELEASE, join(SCRATCH, "good"));
  reportNames();
  await findArchives(signed);
  for (const machine of Object.keys(MACHINES) as Machine[]) images.set(machine, makeImage(machine));
  await installOnNewMachines(signed);
  await refuseWhatWasChanged(signed);
  await refuseWithoutProc(signed);
  await installWithDpkg(signed);
  await runAction(signed);
  await installFromRegistry(signed);
  process.stdout.write("not run install.ps1: it needs Windows with PowerShell\n");
} finally {
  for (const image of images.values()) run(["podman", "rmi", "--force", image]);
  await server.stop(true);
  rmSync(SCRATCH, { recursive: true });
}

/** The other checks count only if the files are those of a release of all platforms. */
function reportNames(): void {
  const sums = readFileSync(join(RELEASE, "SHA256SUMS"), "utf8");
  const names = sums.split("\n").flatMap((line) => line.split("  ")[1] ?? []);
  const lacking = releaseFiles(VERSION, TARGETS).filter((name) => !names.includes(name));
  report(
    "the names of the files are those of a release of all platforms",
    TARGETS.every((target) => names.includes(archiveNames(VERSION, target).archive)),
    `${names.length} names${lacking.length > 0 ? `, without ${lacking.join(", ")}` : ""}`,
  );
}

/** Every installer asks for the one archive of its platform, whatever is in it. */
async function findArchives({ directory, scripts }: SignedRelease): Promise<void> {
  const text = (path: string) => scripts.get(path) ?? "";
  const installers = {
    script: text("release/install.sh"),
    action: text("release/github-action/action.yml"),
    windows: text("release/install.ps1"),
  };
  const takeAsked = () => asked.splice(0);
  const release = { directory, url: urlOf(directory), version: VERSION, takeAsked };
  for (const { title, expected, chosen } of await chooseArchives(
    installers,
    release,
    join(SCRATCH, "platforms"),
  ))
    report(`${title} finds its archive`, Bun.deepEquals(chosen, [expected]), chosen.join(", "));
}

async function installOnNewMachines(signed: SignedRelease): Promise<void> {
  for (const machine of BY_SCRIPT) {
    const begin = performance.now();
    const ran = await inContainer(
      machine,
      signed.directory,
      "&& ~/.local/bin/svc demo contract-error",
    );
    const seconds = (performance.now() - begin) / 1000;
    const isReport = ran.text.includes("Verdict: exact");
    const isWarned = ran.text.includes("warning: the signature was not checked");
    report(
      `a new machine (${machine}) installs, and has its first report`,
      ran.exitCode === 0 && isReport && seconds < 60 && isWarned === (machine === "bare"),
      `${seconds.toFixed(1)} s${isWarned ? ", with a warning that nothing here checks signatures" : ""}${isReport ? "" : `; ${ran.text}`}`,
    );
  }
}

async function refuseWhatWasChanged(signed: SignedRelease): Promise<void> {
  const spoilt: Readonly<Record<string, readonly [spoil: (folder: string) => void, says: string]>> =
    {
      "a changed byte of the archive": [
        (folder) => {
          const bytes = readFileSync(join(folder, ARCHIVE));
          bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
          rmSync(join(folder, ARCHIVE));
          writeFileSync(join(folder, ARCHIVE), bytes);
        },
        "does not match SHA256SUMS",
      ],
      "a missing signature": [
        (folder) => rmSync(join(folder, "SHA256SUMS.sig")),
        "the release must have a signature",
      ],
      "another key": [
        (folder) => {
          const other = `${folder}-key`;
          makeKey(other);
          sign(folder, other);
        },
        "is signed with another key",
      ],
      "a changed line of SHA256SUMS": [
        (folder) => replace(folder, "install.ps1", "changed"),
        "does not match its signature",
      ],
    };
  for (const [what, [spoil, says]] of Object.entries(spoilt))
    for (const machine of BY_SCRIPT) {
      // Nothing on the bare machine can check this one; --signed stops there.
      const cannot = machine === "bare" && what === "a changed line of SHA256SUMS";
      const copy = signCopyAgain(signed, `${machine}-${what}`.replaceAll(" ", "-"));
      spoil(copy);
      const flags = cannot ? "--signed" : "";
      const ran = await inContainer(machine, copy, "", flags);
      const said = cannot ? "the signature cannot be checked" : says;
      const isRefused = ran.exitCode === 1 && ran.text.includes(said);
      report(`${what} (${machine}) is refused`, isRefused, lastLine(ran.text));
    }
}

/** Bun ends with a text of its own there, so the script says why before anything is installed. */
async function refuseWithoutProc({ directory }: SignedRelease): Promise<void> {
  const root = join(SCRATCH, "root-bare");
  const command = `sh /release/install.sh --from /release; if [ -e ~/.local ]; then echo something is there; fi`;
  const ran = await runAsync(
    [
      "unshare",
      "--mount",
      "sh",
      "-c",
      'mkdir -p "$1/release" && mount --bind "$2" "$1/release" && exec chroot "$1" /usr/bin/sh -c "$3"',
      "sh",
      root,
      directory,
      command,
    ],
    { PATH: `${process.env.PATH}`, HOME: "/root" },
  );
  const isRefused =
    ran.text.includes("svc needs /proc") && !ran.text.includes("something is there");
  report(
    "a machine without /proc is refused, before anything is installed",
    isRefused,
    lastLine(ran.text),
  );
}

/** dpkg installs the package, finds its files unchanged, and removes it without a rest. */
async function installWithDpkg({ directory }: SignedRelease): Promise<void> {
  const [name = ""] = readdirSync(directory).filter((each) => each.endsWith("_amd64.deb"));
  const line = [
    "mkdir -p /var/lib/dpkg/info /var/lib/dpkg/updates",
    // The status file says that the C library is installed, as that of a Debian does.
    "printf 'Package: libc6\\nStatus: install ok installed\\nArchitecture: amd64\\nMaintainer: none\\nVersion: 2.36\\nDescription: none\\n' > /var/lib/dpkg/status",
    `cd /tmp && curl -fsSLO ${urlOf(directory)}/${name} && dpkg --install ${name} && dpkg --verify svc-debugger`,
    "svc demo contract-error && stellar-svc version && dpkg --remove svc-debugger && ! test -e /usr/bin/svc && echo removed",
  ].join(" && ");
  const ran = await inImage("dpkg", line);
  const isDone = ran.text.includes("Verdict: exact") && ran.text.includes("\nremoved\n");
  report(
    "dpkg installs the package, and removes it",
    ran.exitCode === 0 && isDone,
    name || "no package",
  );
  if (!isDone) process.stderr.write(`${ran.text}\n`);
}

/** A copy that can be changed, with the same key. */
function signCopyAgain({ directory }: SignedRelease, name: string): string {
  const copy = join(SCRATCH, name);
  mkdirSync(copy);
  run(["cp", "-al", `${directory}/.`, copy]);
  return copy;
}

/** The step of the Action that installs, as a runner runs it. */
async function runAction(signed: SignedRelease): Promise<void> {
  const step = installingStep(signed.scripts.get("release/github-action/action.yml") ?? "");
  const temporary = join(SCRATCH, "runner");
  mkdirSync(temporary);
  const path = join(temporary, "path");
  const ran = await runAsync(["bash", "-e", "-o", "pipefail", "-c", step.run], {
    PATH: process.env.PATH,
    RUNNER_OS: "Linux",
    RUNNER_ARCH: "X64",
    RUNNER_TEMP: temporary,
    GITHUB_PATH: path,
    RELEASE: urlOf(signed.directory),
    VERSION,
    SHA256: "",
    KEYS: step.env.KEYS,
  });
  const folder = existsSync(path) ? readFileSync(path, "utf8").trim() : "";
  const demo = run([join(folder, "svc"), "demo", "wrong-signer"]);
  report("the Action installs a signed release", ran.exitCode === 0 && /exact/.test(demo), folder);
}

/** npm with a registry on this machine: npx, a development dependency and its lock file. */
async function installFromRegistry(signed: SignedRelease): Promise<void> {
  installVerdaccio();
  const home = join(SCRATCH, "npm");
  mkdirSync(join(home, "project"), { recursive: true });
  const port = await freePort();
  const registry = `http://127.0.0.1:${port}/`;
  writeFileSync(
    join(home, "verdaccio.yaml"),
    [
      `storage: ${join(home, "storage")}`,
      "max_body_size: 300mb",
      "packages:",
      "  '**': { access: $all, publish: $anonymous, unpublish: $anonymous }",
      "log: { type: stdout, format: json, level: error }",
      "",
    ].join("\n"),
  );
  const program = join(CACHE, "node_modules", ".bin", "verdaccio");
  const verdaccio = Bun.spawn(
    [program, "--config", join(home, "verdaccio.yaml"), "--listen", `127.0.0.1:${port}`],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  try {
    await until(60, async () => (await fetch(registry).catch(() => null))?.ok === true);
    // npm publishes only with a token, which this registry does not check.
    const settings = `registry=${registry}\n//127.0.0.1:${port}/:_authToken=none\nfund=false\naudit=false\nupdate-notifier=false\n`;
    writeFileSync(join(home, ".npmrc"), settings);
    const environment = {
      PATH: process.env.PATH,
      HOME: home,
      npm_config_cache: join(home, "cache"),
    };
    const npm = (directory: string, ...words: string[]) => runAsync(words, environment, directory);
    for (const name of readdirSync(signed.directory).filter(isNpmPackage))
      await npm(home, "npm", "publish", join(signed.directory, name));
    const project = join(home, "project");
    writeFileSync(join(project, "package.json"), '{ "name": "project", "private": true }\n');
    const begin = performance.now();
    const name = wrapperName(signed.directory);
    const installed = await npm(project, "npm", "install", "--save-dev", name);
    const shown = await npm(project, "npx", "svc", "demo", "contract-error");
    const seconds = (performance.now() - begin) / 1000;
    report(
      "npm i -D from a registry on loopback, and npx svc demo",
      installed.exitCode === 0 && shown.text.includes("Verdict: exact") && seconds < 60,
      `${seconds.toFixed(1)} s; ${lastLine(installed.text)}`,
    );
    rmSync(join(project, "node_modules"), { recursive: true });
    const again = await npm(project, "npm", "ci");
    const failed = await npm(project, "npx", "svc", "demo", "no-such-demo");
    const lock = readFileSync(join(project, "package-lock.json"), "utf8");
    report(
      "npm ci from the lock file; the exit code of svc is that of npx",
      again.exitCode === 0 && failed.exitCode === 2 && lock.includes('"integrity": "sha512-'),
      `exit code ${failed.exitCode}; no script ran: ${!lock.includes("hasInstallScript")}`,
    );
  } finally {
    verdaccio.kill();
    await verdaccio.exited;
  }
}

function wrapperName(directory: string): string {
  const file = join(directory, `svc-${VERSION}-npm.tgz`);
  const manifest = run(["tar", "-xzOf", file, "package/package.json"]);
  return JSON.parse(manifest).name;
}

function installVerdaccio(): void {
  if (existsSync(join(CACHE, "node_modules", ".bin", "verdaccio"))) return;
  mkdirSync(CACHE, { recursive: true });
  // node-fetch's own tag of this dependency does not resolve in every registry.
  const manifest = {
    private: true,
    dependencies: { verdaccio: "6.8.0" },
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(join(CACHE, "package.json"), JSON.stringify(manifest));
  run(["npm", "install", "--no-audit", "--no-fund", "--prefix", CACHE]);
}

async function freePort(): Promise<number> {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = probe;
  await probe.stop(true);
  return port;
}

/** An image with these programs of this machine and the libraries that they need. */
function makeImage(machine: Machine): string {
  const root = join(SCRATCH, `root-${machine}`);
  for (const folder of ["usr/bin", "tmp", "root", "proc", "dev"])
    mkdirSync(join(root, folder), { recursive: true });
  for (const name of MACHINES[machine]) {
    // ldconfig and start-stop-daemon are where only root has its PATH.
    const path = Bun.which(name, { PATH: `${process.env.PATH}:/usr/sbin:/sbin` });
    if (path === null) throw new Error(`${name} is needed, but is not installed`);
    const target = join(root, "usr/bin", name);
    copyFileSync(realpathSync(path), target);
    chmodSync(target, 0o755);
    copyLibraries(root, path);
  }
  // svc needs these of glibc. The svc-sim of a release needs none; one of dist/ needs that of GCC.
  const ofSimulator = RELEASE.endsWith("local") ? ["libgcc_s.so.1"] : [];
  for (const each of ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", ...ofSimulator])
    copyLibrary(root, `/lib/x86_64-linux-gnu/${each}`);
  run(["ln", "-s", "usr/bin", join(root, "bin")]);
  mkdirSync(join(root, "etc"));
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/usr/bin/sh\n");
  const image = `localhost/svc-new-machine-${machine}`;
  const archive = join(SCRATCH, `${machine}.tar`);
  run(["tar", "-cf", archive, "-C", root, "."]);
  run(["podman", "import", "--quiet", archive, image]);
  return image;
}

function copyLibraries(root: string, program: string): void {
  const { stdout } = Bun.spawnSync(["ldd", program]);
  for (const [, path = ""] of stdout.toString().matchAll(/(\/\S+\.so\S*)/g))
    copyLibrary(root, path);
}

function copyLibrary(root: string, path: string): void {
  const target = join(root, path);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(realpathSync(path), target);
}

/** README's line, in a container that has just been made. */
async function inContainer(machine: Machine, directory: string, then = "", flags = "") {
  const url = urlOf(directory);
  const line = `cd /tmp && export SVC_RELEASE=${url} && curl -fsSLO "\${SVC_RELEASE:?}/install.sh" && sh install.sh --from "$SVC_RELEASE" ${flags} ${then}`;
  return inImage(machine, line);
}

async function inImage(machine: Machine, line: string) {
  const image = images.get(machine) ?? "";
  const environment = ["--env", "HOME=/root", "--env", "PATH=/usr/bin"];
  return runAsync([
    ...[
      "podman",
      "--runtime",
      "runc",
      "run",
      "--rm",
      "--network",
      "host",
      ...LIMITS,
      ...environment,
    ],
    ...[image, "/usr/bin/sh", "-c", line],
  ]);
}

function urlOf(directory: string): string {
  return `${server.url.origin}${directory.slice(SCRATCH.length)}`;
}

function run(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString();
}

/** Not synchronously: the server answers from this process. */
async function runAsync(
  command: string[],
  environment?: Readonly<Record<string, string | undefined>>,
  directory = SCRATCH,
) {
  const child = Bun.spawn(command, {
    cwd: directory,
    ...(environment && { env: environment }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, text: `${out}${error}` };
}

function lastLine(text: string): string {
  return text.trim().split("\n").at(-1) ?? "";
}
