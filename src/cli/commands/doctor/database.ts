import { readChain } from "../../../archive/chain.ts";
import { readSealedVersions } from "../../../archive/snapshots/snapshot-queries.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import type { Engine } from "../../../engine/engine.ts";
import { runQueries } from "../../../work/runs/runs.ts";
import { openStore } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { type CheckResult, ok, tryCheck, warn } from "./check-result.ts";

/** Looks at the database and the disk under it, and tells which chain the database is of (null: none yet). */
export async function checkDatabase(path: string, io: Io): Promise<{ readonly findings: CheckResult[]; readonly chainId: number | null }> {
  const subject = "database";
  const database = databaseAt(path);
  const surroundings = (await database.surroundings()).map((found) => ({ ...found, subject }) as const);
  let falseOnes: CheckResult[] = [];
  let chainId: number | null = null;
  const findings = await tryCheck(subject, async () => {
    if (!(await database.isThere())) return [ok(subject, `\`${path}\` ${database.absence}`)];
    await using store = await openStore(path, { mode: "read" });
    falseOnes = await findFalseSnapshots(path, store.engine);
    chainId = await readChain(store.engine);
    const held = plural((await readSealedVersions(store.engine)).length, "sealed snapshot");
    const writer = await database.writer(io.clock.now);
    return [
      ok(subject, chainId === null ? `\`${path}\` is empty` : `\`${path}\` is of chain ${chainId} and holds ${held}`),
      ...(writer === undefined ? [] : [warn(subject, writer)]),
    ];
  });
  return { findings: [...findings, ...surroundings, ...falseOnes], chainId };
}

/**
 * Snapshots sealed above every newest version that a node gave: at versions that do not exist. They can come from a movedex
 * that believed a node whose oldest version was above its newest, or stay behind when a false newest version is struck out.
 */
export async function findFalseSnapshots(path: string, engine: Engine): Promise<CheckResult[]> {
  const newest = await runQueries(engine).newestHead();
  if (newest === undefined) return [];
  const versions = (await readSealedVersions(engine)).filter((version) => version > newest.headVersion);
  return versions.map((version) =>
    warn(
      "database",
      `the snapshot of ledger version ${version} lies above every newest version that a node gave (${newest.headVersion}), and hides what came after it. ` +
        `To make a database without it, run \`movedex import ${printable(path)} --except ${version} --db NEW\`: this one stays as it is. ` +
        "Then bring the list of accounts over with `movedex targets import`",
    ),
  );
}
