// Runs after `npm ci` and `npm install` in a checkout (package.json, "prepare"), on whatever Node the machine has.
// The Node 24 of tools/node-runtime comes as one optional package a platform, each with a binary called `node`. npm before 11
// links the one that fits into node_modules/.bin and then, tidying up after those that do not, removes the link again.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";

const modules = new URL("../node_modules/", import.meta.url);
const link = new URL(".bin/node", modules);
const manifest = JSON.parse(readFileSync(new URL("../tools/node-runtime/package.json", import.meta.url), "utf8"));
const installed = Object.keys(manifest.optionalDependencies).find((name) => existsSync(new URL(`${name}/bin/node`, modules)));
const [major, minor] = process.versions.node.split(".").map(Number);

if (installed !== undefined && !existsSync(link)) {
  mkdirSync(new URL(".bin/", modules), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(`../${installed}/bin/node`, link);
} else if (installed === undefined && process.platform !== "win32" && (major < 22 || (major === 22 && minor < 19))) {
  process.stderr.write(
    `No Node 24 was installed for ${process.platform}-${process.arch}, and this machine's own is ${process.version}: movedex needs 22.19 or newer.\n` +
      "Where tools/node-runtime/package.json names this platform, the download failed: run `npm ci` again. Else install a newer Node.js.\n",
  );
}
