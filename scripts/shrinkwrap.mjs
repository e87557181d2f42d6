// Writes npm-shrinkwrap.json for the package: package-lock.json without what only development needs, so that whoever installs
// movedex gets the very versions that it was tested with, by their hashes. `--remove` takes it away again: in a checkout npm
// would take it for the lock file. `npm pack` runs both (package.json, "prepack" and "postpack").
import { readFileSync, rmSync, writeFileSync } from "node:fs";

const root = new URL("../", import.meta.url);
const file = new URL("npm-shrinkwrap.json", root);

if (process.argv.includes("--remove")) rmSync(file, { force: true });
else {
  const lock = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8"));
  const packages = {};
  for (const [where, entry] of Object.entries(lock.packages)) {
    // Workspaces are not in the package, nor the Node.js that one of them brings.
    if (entry.dev || entry.optional || entry.link || (where !== "" && !where.startsWith("node_modules/"))) continue;
    const { devDependencies, workspaces, ...kept } = entry;
    packages[where] = kept;
  }
  writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
}
