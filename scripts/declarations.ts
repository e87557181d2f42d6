import { globSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

// Removes the declarations in `dist` that no entry of the package leads to: tsc writes one for each source that it reads.
const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const kept = new Set<string>();
for (const entry of Object.values(exports)) if (typeof entry !== "string") follow(resolve(root, entry.types));
for (const file of globSync(join(root, "dist/**/*.d.ts"))) if (!kept.has(file)) rmSync(file);

function follow(file: string): void {
  if (kept.has(file)) return;
  kept.add(file);
  for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+)"/g))
    follow(resolve(dirname(file), path.replace(/\.[jt]s$/, ".d.ts")));
}
