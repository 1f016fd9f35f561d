// Writes the bill of materials of a release, in CycloneDX 1.6. It has no creation time and no
// random number, so that the same commit gives the same bytes.

import packageFile from "../../package.json";
import type { Component } from "./components.ts";

export function renderBillOfMaterials(
  components: readonly Component[],
  commit: string,
  committedAt: Date,
): string {
  const version = packageFile.version;
  const self = purl({ ecosystem: "generic", name: "svc", version });
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(`svc ${version} ${commit}`)}`,
    version: 1,
    metadata: {
      timestamp: committedAt.toISOString(),
      component: {
        type: "application",
        "bom-ref": self,
        name: "svc",
        version,
        purl: self,
        licenses: [{ expression: packageFile.license }],
        properties: [{ name: "commit", value: commit }],
      },
    },
    components: components.map((component) => {
      const { name, license, hash } = component;
      const reference = purl(component);
      return {
        type: "library",
        "bom-ref": reference,
        name,
        version: component.version,
        purl: reference,
        ...(license === "" ? {} : { licenses: [{ expression: license }] }),
        ...(hash === null ? {} : { hashes: [{ alg: hash.algorithm, content: hash.hex }] }),
      };
    }),
    dependencies: [
      {
        ref: self,
        dependsOn: components.map(purl),
      },
    ],
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function purl({
  ecosystem,
  name,
  version,
  architecture,
}: Pick<Component, "ecosystem" | "name" | "version" | "architecture">): string {
  const distribution = ecosystem === "deb" ? "debian/" : "";
  const qualifier = architecture === undefined ? "" : `?arch=${architecture}`;
  const written = (text: string) => text.replace("@", "%40").replaceAll("+", "%2B");
  return `pkg:${ecosystem}/${distribution}${written(name)}@${written(version)}${qualifier}`;
}

/** Returns a UUID that is made from a hash (version 8, RFC 9562). */
function uuidOf(text: string): string {
  const hex = new Bun.CryptoHasher("sha256").update(text).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join("-");
}
