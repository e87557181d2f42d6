import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { blocks, replaceBlocks } from "./readme-blocks.ts";

// Writes the generated parts of README.md anew: npm run readme. A test fails when they are out of date.
const path = fileURLToPath(new URL("../README.md", import.meta.url));
const text = readFileSync(path, "utf8");
writeFileSync(path, replaceBlocks(text, Object.fromEntries(Object.entries(blocks).map(([name, make]) => [name, make()]))));
