import { readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that file names here are relative to. */
export const source = fileURLToPath(new URL("../../src", import.meta.url));

/** What a file imports, types included, as it says it. */
export function specifiersIn(file: string): string[] {
  const matches = readFileSync(join(source, file), "utf8").matchAll(
    /(?:^|\n)(?:import|export)\s(?:[^;"']*?from\s*)?["']([^"']+)["']|(?:import|resolve)\(\s*["']([^"']+)["']\s*\)/g,
  );
  return Array.from(matches, (match) => (match[1] ?? match[2]) as string);
}

/** The files of the project that it imports. */
export function targetsOf(file: string): string[] {
  const paths = file.endsWith(".ts") ? specifiersIn(file).filter((specifier) => specifier.startsWith(".")) : [];
  return paths.map((path) => relative(source, normalize(join(source, dirname(file), path))));
}

/** Files of capabilities that are part of the tables and views of a database, and the two lists of them. */
export function isBrought(file: string): boolean {
  brought ??= new Set(["capability-tables.ts", "capability-views.ts"].flatMap((list) => [...reachedFrom(list)]));
  return brought.has(file) && !file.startsWith("core/");
}

let brought: ReadonlySet<string> | undefined;

/** A file, and all files that it reaches by imports. */
export function reachedFrom(file: string): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const one of reached) for (const target of targetsOf(one)) reached.add(target);
  return reached;
}
