// Writes the extension for Visual Studio Code as a .vsix, which `code --install-extension`
// reads: a zip of its files with a manifest and a list of content types (Open Packaging
// Conventions).

import { readFileSync } from "node:fs";
import { join } from "node:path";
import packageFile from "../../package.json";
import extension from "../../release/vscode/package.json";
import { ROOT } from "./paths.ts";
import { writeZip } from "./write-archive.ts";

const CONTENT_TYPES = {
  js: "application/javascript",
  json: "application/json",
  md: "text/markdown",
  txt: "text/plain",
  vsixmanifest: "text/xml",
};

/** Writes the extension, which has the version of svc. `unixSeconds` is the time of every file. */
export function writeVsix(unixSeconds: number): Buffer {
  const own = (path: string, source = path) =>
    file(`extension/${path}`, readFileSync(join(ROOT, "release/vscode", source)));
  const described = { ...extension, version: packageFile.version };
  const files = [
    file("[Content_Types].xml", contentTypes()),
    file("extension.vsixmanifest", manifest()),
    file("extension/package.json", `${JSON.stringify(described, null, 2)}\n`),
    own("extension.js"),
    own("README.md"),
    own("LICENSE.txt", "LICENSE"),
  ];
  return writeZip(files, unixSeconds);
}

function file(path: string, content: Buffer | string) {
  return { path, bytes: Buffer.from(content), executable: false };
}

function contentTypes(): string {
  const types = Object.entries(CONTENT_TYPES).map(
    ([suffix, type]) => `  <Default Extension=".${suffix}" ContentType="${type}"/>\n`,
  );
  return (
    '<?xml version="1.0" encoding="utf-8"?>\n' +
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">\n' +
    `${types.join("")}</Types>\n`
  );
}

function manifest(): string {
  const { name, displayName, description, publisher, categories, engines } = extension;
  return `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0"
    xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${escaped(name)}" Version="${escaped(packageFile.version)}"
        Publisher="${escaped(publisher)}"/>
    <DisplayName>${escaped(displayName)}</DisplayName>
    <Description xml:space="preserve">${escaped(description)}</Description>
    <Categories>${escaped(categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escaped(engines.vscode)}"/>
    </Properties>
    <License>extension/LICENSE.txt</License>
  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
    <Asset Type="Microsoft.VisualStudio.Code.Manifest" Path="extension/package.json"
        Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.Details" Path="extension/README.md"
        Addressable="true"/>
    <Asset Type="Microsoft.VisualStudio.Services.Content.License" Path="extension/LICENSE.txt"
        Addressable="true"/>
  </Assets>
</PackageManifest>
`;
}

const escaped = (text: string) => Bun.escapeHTML(text);
