// Programs in languages that nothing here runs, parsed with the grammars of tree-sitter. The Python of the
// validators has the grammars.

import { dirname, join } from "node:path";
import { type Needing, needs } from "./needs.ts";
import { findTool, runTool } from "./tools.ts";

export interface Grammar extends Needing {
  /** The places in a file that are not of the language, each with its line; none if the file is sound. */
  readonly faultsIn: (file: string) => string[];
}

/** The grammar of a language, and the tests that need it. */
export function grammarOf(language: "powershell" | "ruby"): Grammar {
  const module = `tree_sitter_${language}`;
  const python = pythonWith(module);
  return {
    ...needs(`python3 with ${module}`, python !== null),
    faultsIn: (file) => {
      const { exitCode, text } = runTool([python ?? "", "-c", SCRIPT, module, file]);
      if (exitCode !== 0) throw new Error(text);
      return text.split("\n").filter((line) => line !== "");
    },
  };
}

function pythonWith(module: string): string | null {
  const python = join(dirname(findTool("check-jsonschema") ?? ""), "python");
  return runTool(["test", "-x", python]).exitCode === 0 &&
    runTool([python, "-c", `import ${module}`]).exitCode === 0
    ? python
    : null;
}

const SCRIPT = `
import importlib, sys, tree_sitter
language = importlib.import_module(sys.argv[1]).language()
def faults(node):
    if node.type == "ERROR" or node.is_missing:
        yield f"line {node.start_point.row + 1}: {node.text.decode()}"
    for child in node.children:
        yield from faults(child)
tree = tree_sitter.Parser(tree_sitter.Language(language)).parse(open(sys.argv[2], "rb").read())
print("\\n".join(faults(tree.root_node)))`;
