import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { completionScripts } from "../../src/capabilities/completions/index.ts";
import { packageVersion } from "../../src/core/base/files.ts";
import { commandsToRead, programToRead } from "../docs/commands.ts";
import { manPages } from "./man-page.ts";

// What a package manager installs beside the program: manual pages, and completions under the names that shells look for.
//
//     npx node scripts/release/manual.ts [--out dist]
const { values } = parseArgs({ options: { out: { type: "string", default: "dist" } } });
const program = await programToRead();
write("man", Object.fromEntries(manPages(program, commandsToRead(program), packageVersion()).map(({ file, text }) => [file, text])));
write("completions", {
  "movedex.bash": completionScripts.bash,
  _movedex: completionScripts.zsh,
  "movedex.fish": completionScripts.fish,
});

function write(folder: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(`${values.out}/${folder}`, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(`${values.out}/${folder}/${name}`, text);
}
