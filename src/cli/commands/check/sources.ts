import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { FindPlace, SourcePlace } from "../../output/notices.ts";

/** Files that are looked at, and bytes of one: a package has tens of files of some kilobytes. */
const [FILES_MAX, SIZE_MAX] = [1_000, 1 << 20];

/**
 * Finds modules, functions and structs of a build by name in its source files: those of the package, else the copies that the
 * compiler left beside the bytecode. Files are named as seen from the folder that the command runs in.
 */
export function sourcePlaces(bytecodeFolder: string): FindPlace {
  const built = basename(bytecodeFolder) === "bytecode_modules" ? dirname(bytecodeFolder) : bytecodeFolder;
  const packaged = join(dirname(dirname(built)), "sources");
  const folder = basename(dirname(built)) === "build" && existsSync(packaged) ? packaged : join(built, "sources");
  const files = existsSync(folder) && statSync(folder).isDirectory() ? readSources(folder) : [];
  return (module, item) => {
    const [name, kind = "", called = ""] = [module.slice(module.indexOf("::") + 2), ...item.split(" ")].map((word) =>
      word.replaceAll("$", "\\$"),
    );
    for (const { file, lines } of files) {
      const at = lines.findIndex((line) => new RegExp(String.raw`^\s*module\s+(?:\w+::)?${name}\b`).test(line));
      if (at < 0) continue;
      const declares = kind === "function" ? "fun" : kind === "struct" ? "(?:struct|enum)" : undefined;
      const inside =
        declares === undefined
          ? -1
          : lines.findIndex((line, i) => i >= at && new RegExp(String.raw`\b${declares}\s+${called}\b`).test(line));
      return { file, line: (inside < 0 ? at : inside) + 1 } satisfies SourcePlace;
    }
    return undefined;
  };
}

function readSources(folder: string): { readonly file: string; readonly lines: readonly string[] }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".move"))
    .sort()
    .slice(0, FILES_MAX)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).size <= SIZE_MAX)
    .map((path) => ({ file: relative(process.cwd(), path), lines: readFileSync(path, "utf8").split("\n") }));
}
