import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import type { Build } from "../../../questions/check/build-check.ts";
import { moduleFilesIn } from "../../options/module-file.ts";
import { filesSide } from "../diff/sides.ts";

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
  if (files.length === 0) throw wanted(path, `\`${printable(folder)}\` holds no .mv file`);
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
    builds.length === 0 ? "its `build` holds no package: compile it first" : `it has ${builds.length} builds: name one of ${list(builds)}`,
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

function list(paths: readonly string[]): string {
  return paths
    .slice(0, 10)
    .map((path) => `\`${printable(path)}\``)
    .join(", ");
}

function wanted(path: string, found: string): ConfigError {
  return new ConfigError(`\`${printable(path)}\` is not a compiled package: ${found}. Give a folder such as \`build/MyPackage\`.`, {
    facts: { path },
  });
}
