import { printable } from "../../../base/printable.ts";
import type { Store } from "../../../work/store.ts";
import type { CheckResult } from "./check-result.ts";

/**
 * Snapshots sealed above every newest version that a node gave: at versions that do not exist. They can come from a movedex
 * that believed a node whose oldest version was above its newest, or stay behind when a false newest version is struck out.
 */
export async function findFalseSnapshots(path: string, store: Pick<Store, "newestHead" | "sealedVersions">): Promise<CheckResult[]> {
  const newest = await store.newestHead();
  if (newest === undefined) return [];
  const versions = (await store.sealedVersions()).filter((version) => version > newest.headVersion);
  return versions.map((version) => ({
    state: "warn",
    subject: "database",
    text:
      `the snapshot of ledger version ${version} lies above every newest version that a node gave (${newest.headVersion}), and hides what came after it. ` +
      `\`movedex import ${printable(path)} --except ${version} --db NEW\` makes a database without it and leaves this one as it is; ` +
      `\`movedex targets import\` brings the list of accounts over`,
  }));
}
