import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { expect } from "vitest";

export const canMount = spawnSync("unshare", ["--mount", "true"]).status === 0;

/** What the name of a test that needs a disk says where it is skipped. */
export const unmounted = canMount ? "" : " (skipped: no right to mount)";

/** A small disk in memory at a new folder, with options such as `size=8m`; gone when it is disposed. */
export function mountDisk(folder: string, options: string): Disposable & { readonly path: string } {
  mkdirSync(folder);
  expect(spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder]).status).toBe(0);
  return { path: folder, [Symbol.dispose]: () => spawnSync("umount", ["-l", folder]) };
}
