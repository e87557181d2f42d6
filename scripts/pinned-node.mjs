// npm runs this after it has changed node_modules (package.json, "dependencies"), on whatever Node the machine has.
// The Node 24 of tools/node-runtime comes as one optional package a platform, each with a binary called `node`. npm before 11
// links the one that fits into node_modules/.bin and then, tidying up after those that do not, removes the link again.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";

const modules = new URL("../node_modules/", import.meta.url);
const link = new URL(".bin/node", modules);
const manifest = JSON.parse(readFileSync(new URL("../tools/node-runtime/package.json", import.meta.url), "utf8"));
const installed = Object.keys(manifest.optionalDependencies).find((name) => existsSync(new URL(`${name}/bin/node`, modules)));

if (installed !== undefined && !existsSync(link)) {
  mkdirSync(new URL(".bin/", modules), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(`../${installed}/bin/node`, link);
}
