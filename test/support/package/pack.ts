import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runProcess } from "../command/movedex-process.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** A tarball as npm packs it for a release, and the copy of the checkout in which it was built. */
export type PackedRelease = { readonly tarball: string; readonly checkout: string };

/** The release of this run, which its set-up packs for the first file that asks (test/support/run/global-setup.ts). */
export async function packedRelease(): Promise<PackedRelease> {
  const response = await fetch(`${process.env["MOVEDEX_TEST_SHARED"]}/release`);
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as PackedRelease;
}

/** Packs the checkout into a directory. It is built in a copy there, and a checkout's own `dist` stays as it is. */
export async function packCheckout(directory: string): Promise<PackedRelease> {
  const copy = join(directory, "checkout");
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const file of listed.split("\0").filter((name) => name !== "" && (!name.startsWith("test/") || name === "test/bench/results.md"))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const packed = await runProcess("npm", ["pack", "--silent", "--pack-destination", directory], { cwd: copy });
  if (packed.code !== 0) throw new Error(`npm could not pack the checkout: ${packed.stderr}`);
  return { tarball: join(directory, packed.stdout.trim().split("\n").at(-1) as string), checkout: copy };
}

/**
 * Makes a project in `directory` and installs a packed movedex into it with npm, offline: npm links its dependencies from the checkout at
 * `root`. Leaves out the package's own shrinkwrap, because npm would ask a registry for it.
 */
export async function installElsewhere(directory: string, tarball: string, root: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { dependencies: Record<string, string> };
  await runProcess("tar", ["-xzf", tarball, "-C", directory, "--exclude", "npm-shrinkwrap.json"]);
  await runProcess("tar", ["-czf", "movedex.tgz", "package"], { cwd: directory });
  const project = {
    name: "elsewhere",
    private: true,
    type: "module",
    dependencies: { movedex: "file:./movedex.tgz" },
    overrides: Object.fromEntries(Object.keys(dependencies).map((name) => [name, `file:${join(root, "node_modules", name)}`])),
  };
  writeFileSync(join(directory, "package.json"), JSON.stringify(project));
  const words = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { code, stderr } = await runProcess("npm", words, { cwd: directory });
  if (code !== 0) throw new Error(`npm could not install ${tarball}: ${stderr}`);
}

/** The binary of an old Node.js that `.ci/run` brings; undefined where it is not there. */
export function findNode(version: string): string | undefined {
  const name = `node-${process.platform}-${process.arch}`;
  const path = join(root, `.witnesses/node-${version}/node_modules/${name}/bin/node`);
  return existsSync(path) ? path : undefined;
}
