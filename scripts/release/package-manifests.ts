// Writes the manifests of package managers that name the address of a release: a formula for
// Homebrew, a manifest for Scoop and a flake for Nix. Without an address there are none.

import packageFile from "../../package.json";
import { archiveNames } from "./file-names.ts";
import { sha256 } from "./provenance.ts";
import { TARGETS, type Target } from "./targets.ts";

const { version, license, description } = packageFile;

/**
 * Returns the manifests by their names. `SVC_RELEASE_URL` is the address at which the files of the
 * release will be; archives that were not built are left out.
 */
export function renderManifests(
  artefacts: ReadonlyMap<string, Buffer>,
  url = process.env.SVC_RELEASE_URL,
): Map<string, string> {
  if (url === undefined || url === "") return new Map();
  const archives = TARGETS.flatMap((target) => {
    const { archive, folder } = archiveNames(version, target);
    const bytes = artefacts.get(archive);
    if (bytes === undefined) return [];
    return { target, folder, url: `${url}/${archive}`, sha256: sha256(bytes) };
  });
  const scoop = archives.filter(({ target }) => target.platform === "win32");
  return new Map([
    ["svc.rb", homebrewFormula(url, archives)],
    ["flake.nix", nixFlake(archives)],
    ...scoop.map((archive) => ["svc-debugger.json", scoopManifest(url, archive)] as const),
  ]);
}

interface Archive {
  readonly target: Target;
  readonly folder: string;
  readonly url: string;
  readonly sha256: string;
}

/** Homebrew runs on macOS, and on Linux with glibc. */
function homebrewFormula(homepage: string, archives: readonly Archive[]): string {
  const systems = [
    ["darwin", "on_macos"],
    ["linux", "on_linux"],
  ] as const;
  const processors = [
    ["arm64", "on_arm"],
    ["x64", "on_intel"],
  ] as const;
  const blocks = systems.flatMap(([system, onSystem]) => {
    const mine = archives.filter(({ target: { platform, libc } }) => {
      return platform === system && libc !== "musl";
    });
    const ofProcessors = processors.flatMap(([processor, onProcessor]) => {
      const archive = mine.find(({ target }) => target.architecture === processor);
      if (archive === undefined) return [];
      return [
        `    ${onProcessor} do`,
        `      url "${archive.url}"`,
        `      sha256 "${archive.sha256}"`,
        "    end",
      ];
    });
    return ofProcessors.length === 0 ? [] : [`  ${onSystem} do`, ...ofProcessors, "  end", ""];
  });
  return `${[
    "class Svc < Formula",
    `  desc "Debugger for Stellar smart-contract transactions"`,
    `  homepage "${homepage}"`,
    `  version "${version}"`,
    `  license "${license}"`,
    "",
    ...blocks,
    "  def install",
    '    bin.install "svc", "svc-sim", "svc-sim-recording", "pkcs11.node", "stellar-svc"',
    '    bin.install "svc.html" if File.exist?("svc.html")',
    '    man1.install "man/svc.1"',
    '    bash_completion.install "completions/svc.bash" => "svc"',
    '    zsh_completion.install "completions/_svc"',
    '    fish_completion.install "completions/svc.fish"',
    '    doc.install "docs", "examples"',
    "  end",
    "",
    "  test do",
    '    assert_match "Verdict: exact", shell_output("#{bin}/svc demo contract-error")',
    "  end",
    "end",
  ].join("\n")}\n`;
}

/** Nix runs on macOS, and on Linux with the C library of nixpkgs, to which the programs are bound. */
function nixFlake(archives: readonly Archive[]): string {
  const processors = { x64: "x86_64", arm64: "aarch64" } as const;
  const rows = archives.flatMap(({ target, url, sha256: sum }) => {
    const { platform, architecture, libc } = target;
    if (libc === "musl" || !(platform === "darwin" || platform === "linux")) return [];
    if (!(architecture === "x64" || architecture === "arm64")) return [];
    const hash = `sha256-${Buffer.from(sum, "hex").toString("base64")}`;
    return [
      `        ${processors[architecture]}-${platform} = {`,
      `          url = "${url}";`,
      `          hash = "${hash}";`,
      "        };",
    ];
  });
  return `${[
    `# svc ${version}: nix run "path:$PWD" -- demo, in the directory of this file.`,
    "{",
    `  description = "Debugger for Stellar smart-contract transactions";`,
    '  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";',
    "  outputs =",
    "    { nixpkgs, ... }:",
    "    let",
    "      archives = {",
    ...rows,
    "      };",
    "      package =",
    "        pkgs: archive:",
    "        pkgs.stdenv.mkDerivation {",
    '          pname = "svc";',
    `          version = "${version}";`,
    "          src = pkgs.fetchurl archive;",
    "          nativeBuildInputs = pkgs.lib.optional pkgs.stdenv.isLinux pkgs.autoPatchelfHook;",
    "          buildInputs = pkgs.lib.optional pkgs.stdenv.isLinux pkgs.stdenv.cc.cc.lib;",
    "          # svc carries its code at the end of the program.",
    "          dontStrip = true;",
    "          installPhase = ''",
    "            install -Dm755 svc svc-sim svc-sim-recording pkcs11.node -t $out/bin",
    "            if [ -e svc.html ]; then install -Dm644 svc.html -t $out/bin; fi",
    "            ln -s svc $out/bin/stellar-svc",
    "            install -Dm644 man/svc.1 -t $out/share/man/man1",
    "            install -Dm644 completions/svc.bash $out/share/bash-completion/completions/svc",
    "            install -Dm644 completions/_svc -t $out/share/zsh/site-functions",
    "            install -Dm644 completions/svc.fish -t $out/share/fish/vendor_completions.d",
    "            mkdir -p $out/share/doc/svc",
    "            cp -r LICENSE THIRD-PARTY-LICENSES.txt docs examples $out/share/doc/svc",
    "          '';",
    '          meta.mainProgram = "svc";',
    "        };",
    "    in",
    "    {",
    "      packages = builtins.mapAttrs (system: archive: {",
    "        default = package (builtins.getAttr system nixpkgs.legacyPackages) archive;",
    "      }) archives;",
    "    };",
    "}",
  ].join("\n")}\n`;
}

function scoopManifest(homepage: string, { folder, url, sha256: hash }: Archive): string {
  const architecture = { "64bit": { url, hash, extract_dir: folder } };
  const bin = ["svc.exe", "stellar-svc.cmd"];
  return `${JSON.stringify({ version, description, homepage, license, architecture, bin }, null, 2)}\n`;
}
