import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Packs the checkout as npm does for a release, into a directory; gives the tarball's path. It is built in a copy, since files of tests
 * that pack at one time would write the same `dist`.
 */
export function packCheckout(directory: string): string {
  const copy = join(directory, "checkout");
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "-z"], { cwd: root, encoding: "utf8" });
  for (const file of listed.split("\0").filter((name) => name !== "" && (!name.startsWith("test/") || name === "test/bench/results.md"))) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", directory], { cwd: copy, encoding: "utf8" });
  return join(directory, packed.trim().split("\n").at(-1) as string);
}
