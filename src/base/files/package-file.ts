import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../invariant.ts";

/** The path of a file or folder of the package, relative to the package's root. Works in a checkout and in the bundle. */
export function packageFile(path: string): string {
  for (let at = dirname(fileURLToPath(import.meta.url)); ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return join(at, path);
    invariant(at !== dirname(at), `the package of movedex is not whole: no package.json above ${import.meta.url}`);
  }
}

export function packageVersion(): string {
  return (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
}

/** A file of the program: its source in a checkout, and what is made of it in a package, which has no sources. */
export function codeFile(source: string, built: string): string {
  const path = packageFile(source);
  return existsSync(path) ? path : packageFile(built);
}
