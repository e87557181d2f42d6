import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { markdownFiles } from "../../../scripts/docs/wrap.ts";

/** The repository's root. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A page of the documentation, by its path from the root. */
export type Page = { readonly path: string; readonly text: string };

/** Every Markdown page that people read: those at the root, and docs/ with its folders. */
export function readPages(): readonly Page[] {
  return markdownFiles()
    .filter((path) => !/^test\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** The lines of a page's fenced blocks of a language, comments and blank lines left out. */
export function shellLines({ text }: Page, language = "sh"): string[] {
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))];
  return blocks
    .flatMap(([, body = ""]) => body.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}

/** The words of a command line as a shell would part them. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|([^\s|]+|\|)/g)].map(([, double, single, plain]) => double ?? single ?? (plain as string));
}
