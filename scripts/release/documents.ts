// Lists the documents of a release: the guide, the examples, the schemas that it names, and the
// files with which the daemon and svc verify run. Paths are those of the repository, so that links
// between the documents work in an archive. Only the schemas have a folder of their own there.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "./paths.ts";
import type { ArchivedFile } from "./write-archive.ts";

const FOLDERS = [
  "docs",
  "examples",
  "release/compose",
  "release/container",
  "release/github-action",
  "release/grafana",
  "release/kubernetes",
  "release/prometheus",
  "release/slurm",
  "release/systemd",
];
const FILES = ["release/RUNBOOK.md", "release/library/README.md"];
const SCHEMAS = ["expect/schema", "overrides/schema", "report/schema"];
const SCHEMA_LINK = /\]\((?:\.\.\/)+src\/[\w/-]+\/schema\//g;

/** A link to what builds svc or a release, which only the repository has. */
const REPOSITORY_LINK =
  /\[([^\]]+)\]\((?:\.\.\/)+(?:ARCHITECTURE|CONTRIBUTING|SECURITY|release\/README|src\/svc-sim\/README|acceptance\/README)\.md(?:#[\w-]*)?\)/g;

export function readDocuments(): ArchivedFile[] {
  const paths = FOLDERS.flatMap((folder) => filesIn(folder).map((name) => `${folder}/${name}`));
  const schemas = SCHEMAS.flatMap((folder) =>
    filesIn(`src/${folder}`).map((name) => `src/${folder}/${name}`),
  );
  return [
    ...[...paths, ...FILES].map((path) => file(path, path)),
    ...schemas.map((path) => file(`schemas/${basename(path)}`, path)),
  ];
}

function filesIn(folder: string): string[] {
  return [...new Bun.Glob("**/*").scanSync({ cwd: join(ROOT, folder) })].sort();
}

function file(path: string, source: string): ArchivedFile {
  const bytes = readFileSync(join(ROOT, source));
  const depth = path.split("/").length - 1;
  const text = () =>
    bytes
      .toString("utf8")
      .replace(SCHEMA_LINK, () => `](${"../".repeat(depth)}schemas/`)
      .replace(REPOSITORY_LINK, "$1 (in the repository)");
  return {
    path,
    bytes: path.endsWith(".md") ? Buffer.from(text()) : bytes,
    executable: path.endsWith(".sh"),
  };
}
