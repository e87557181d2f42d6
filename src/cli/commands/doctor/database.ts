import { plural } from "../../../base/plural.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import { openStore, type Store } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { type CheckResult, checkResultOf } from "./check-result.ts";
import { findFalseSnapshots } from "./false-snapshots.ts";

/** Looks at the database and the disk under it, and tells which chain the database is of (null: none yet). */
export async function checkDatabase(path: string, io: Io): Promise<{ readonly findings: CheckResult[]; readonly chainId: number | null }> {
  const subject = "database";
  const database = databaseAt(path);
  const surroundings = (await database.surroundings()).map((found) => ({ ...found, subject }) as const);
  try {
    if (!(await database.isThere())) {
      return { findings: [{ state: "ok", subject, text: `\`${path}\` ${database.absence}` }, ...surroundings], chainId: null };
    }
    const store = await openStore(path, { mode: "read" });
    const falseOnes = await findFalseSnapshots(path, store);
    const { finding, chainId } = await holdingsOf(store, path);
    const writer = await database.writer(io.clock.now);
    const busy = writer === undefined ? [] : [{ state: "warn", subject, text: writer } as const];
    return { findings: [finding, ...busy, ...surroundings, ...falseOnes], chainId };
  } catch (error) {
    return { findings: [checkResultOf(error, subject), ...surroundings], chainId: null };
  }
}

async function holdingsOf(store: Store, path: string): Promise<{ readonly finding: CheckResult; readonly chainId: number | null }> {
  try {
    const chainId = await store.chainId();
    const held = await store.sealedVersions();
    const text =
      chainId === null ? `\`${path}\` is empty` : `\`${path}\` is of chain ${chainId} and holds ${plural(held.length, "sealed snapshot")}`;
    return { finding: { state: "ok", subject: "database", text }, chainId };
  } finally {
    await store.close();
  }
}
