import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { cookbookFile } from "./cookbook-file.ts";
import { blocks, replaceBlocks } from "./readme-blocks.ts";

// Writes COOKBOOK.md and the generated parts of README.md anew: npm run readme. A test fails when they are out of date.
writeFileSync(fileURLToPath(new URL("../COOKBOOK.md", import.meta.url)), cookbookFile());
const path = fileURLToPath(new URL("../README.md", import.meta.url));
const text = readFileSync(path, "utf8");
writeFileSync(path, replaceBlocks(text, Object.fromEntries(Object.entries(blocks).map(([name, make]) => [name, make()]))));
