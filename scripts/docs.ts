import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { replaceBlocks } from "./docs/blocks.ts";
import { files, pages } from "./docs/pages.ts";
import { markdownFiles, wrapMarkdown } from "./docs/wrap.ts";

// npm run docs: writes the generated parts of README.md and docs/ anew, and wraps all pages at one width. With --check it
// writes nothing, names the files that are out of date and ends with 1. A test holds every part to what the code says.
const isCheck = process.argv.includes("--check");

// What a database is made of comes first: some pages show what a new one answers.
for (const [file, make] of Object.entries(files)) {
  const text = await make();
  update(file, () => text);
}
for (const page of markdownFiles()) {
  const contents: Record<string, string> = {};
  for (const [name, make] of Object.entries(pages[page] ?? {})) contents[name] = await make();
  update(page, (text) => wrapMarkdown(replaceBlocks(page, text, contents)));
}

function update(file: string, change: (text: string) => string): void {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  // The schema of a new command is not there yet.
  const before = existsSync(path) ? readFileSync(path, "utf8") : "";
  const after = change(before);
  if (after === before) return;
  process.stdout.write(`${file} ${isCheck ? "is out of date: run npm run docs" : "written"}\n`);
  if (isCheck) process.exitCode = 1;
  else writeFileSync(path, after);
}
