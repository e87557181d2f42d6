import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../invariant.ts";

/** A file or folder of the package, by its place from the package's folder on: from a checkout and from the bundle alike, which are not as deep. */
export function packageFile(path: string): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return join(at, path);
    invariant(at !== dirname(at), `the package of movedex is not whole: no package.json above ${import.meta.url}`);
  }
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}
