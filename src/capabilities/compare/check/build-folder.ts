import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { printable } from "../../../core/base/printable.ts";
import { lacksModuleFiles, moduleFilesIn } from "../../../core/cli/options/module-file.ts";
import { ConfigError } from "../../../core/errors.ts";
import { filesSide } from "../diff/sides.ts";
import type { FindPlace, SourcePlace } from "../notices.ts";
import type { Build } from "./build-check.ts";

/** A build in its folder; `packages` are the names of those of its dependencies by their modules. */
export type BuildFolder = Build & { readonly folder: string; readonly packages: () => ReadonlyMap<string, string> };

/**
 * Opens what a compiler left: a package's folder, its `Move.toml`, `build/NAME`, or a folder of `.mv` files.
 * `dependencies/PACKAGE` is what it was built against (`CompiledPackage::save_to_disk` in aptos-core). @throws ConfigError
 */
export function openBuild(given: string): BuildFolder {
  const path = basename(given) === "Move.toml" ? dirname(given) : given;
  if (!isFolder(path)) throw wanted(path, existsSync(path) ? "it is a file" : "there is no such folder");
  const folder = bytecodeFolder(path);
  const files = moduleFilesIn(folder);
  if (files.length === 0) throw wanted(path, lacksModuleFiles(folder));
  const packages = isFolder(join(folder, "dependencies")) ? subfolders(join(folder, "dependencies")) : undefined;
  return {
    folder,
    modules: filesSide(path, files, undefined, false),
    dependencies:
      packages === undefined ? undefined : filesSide(`what ${path} was built against`, packages.flatMap(moduleFilesIn), undefined, false),
    packages: () =>
      new Map(
        packages?.flatMap((of) =>
          Array.from(filesSide(of, moduleFilesIn(of), undefined, false).modules.keys(), (id) => [id, basename(of)]),
        ),
      ),
  };
}

function bytecodeFolder(path: string): string {
  if (isFolder(join(path, "bytecode_modules"))) return join(path, "bytecode_modules");
  if (moduleFilesIn(path).length > 0) return path;
  const root = isFolder(join(path, "build")) ? join(path, "build") : path;
  const builds = subfolders(root).filter((folder) => isFolder(join(folder, "bytecode_modules")));
  const [only] = builds;
  if (only === undefined && root === path) return path;
  if (builds.length === 1 && only !== undefined) return join(only, "bytecode_modules");
  throw wanted(
    path,
    builds.length === 0
      ? "its `build` holds no package: compile it first"
      : `it has ${builds.length} builds: name one of ${builds
          .slice(0, 10)
          .map((build) => `\`${printable(build)}\``)
          .join(", ")}`,
  );
}

function subfolders(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter(isFolder);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function wanted(path: string, found: string): ConfigError {
  return new ConfigError(`\`${printable(path)}\` is not a compiled package: ${found}. Give a folder such as \`build/MyPackage\`.`, {
    facts: { path },
  });
}

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
