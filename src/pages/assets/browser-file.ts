import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { packageFile } from "../../base/files/package-file.ts";

/**
 * The text of a style sheet or script for browsers. In a checkout it is made of its parts; a package has it in `dist`, where
 * `scripts/build.ts` puts it.
 */
export function browserFile(name: string, parts: readonly string[]): string {
  if (!existsSync(packageFile("src"))) return readFileSync(packageFile(`dist/${name}`), "utf8");
  return parts.map((part) => finished(part, readFileSync(packageFile(part), "utf8"))).join("\n");
}

/** A script without its types, and with its names to itself. */
function finished(part: string, text: string): string {
  return part.endsWith(".ts") ? `{\n${withoutTypes(text)}}\n` : text;
}

/** Node.js says of each process that asks for it that this is experimental; the sources themselves it loads without a word. */
function withoutTypes(text: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(text);
  } finally {
    process.emitWarning = emitWarning;
  }
}
