import { closing } from "../../base/async.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { beginReading } from "../../engine/check.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Session } from "../../engine/engine.ts";
import { countOf } from "../../engine/shape.ts";
import { sealed } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { readChain } from "../chain.ts";
import { refused } from "./foreign-cells.ts";
import { readForeignSnapshots, type SnapshotFacts } from "./snapshot-facts.ts";

/** The most snapshots that are taken: three centuries of nights, and a bound on what a hostile archive can ask of memory. */
const SNAPSHOTS_MAX = 100_000;

/** Another database, open at one state of it. */
export type ForeignArchive = {
  readonly path: string;
  /** Null before its first snapshot. */
  readonly chainId: number | null;
  /** Sealed ones, oldest first. */
  readonly snapshots: readonly SnapshotFacts[];
  readonly session: Session;
};

const countSealed = sql`SELECT count(*) FROM _all_snapshots p WHERE ${sealed("p")}`;

/** Opens a database that others made, to read it. Its tables must be as movedex makes them. @throws StoreError */
export async function openForeignArchive(path: string): Promise<ForeignArchive & AsyncDisposable> {
  const { engine, close } = await databaseAt(path).open({ mode: "read", isForeign: true });
  try {
    const { session, close: endReading } = await beginReading(engine);
    const closeAll = async () => {
      await endReading();
      await close();
    };
    const count = await countOf(session, countSealed);
    if (count > SNAPSHOTS_MAX) throw refused(`it has ${count} snapshots, and no more than ${SNAPSHOTS_MAX} can be imported at once`);
    return closing({ path, chainId: await readChain(session), snapshots: await readForeignSnapshots(session), session, close: closeAll });
  } catch (error) {
    await close();
    throw error;
  }
}

/** Names what snapshots hold: SHA-256 in hex over their digests. */
export function digestOf(snapshots: readonly SnapshotFacts[]): string {
  const lines = snapshots.map(
    ({ version, accounts, gaps, digest }) => `${version} ${accounts} ${gaps} ${Buffer.from(digest).toString("hex")}\n`,
  );
  return sha256Hex(lines.join(""));
}
