import type { Surrounding } from "../../core/db/engine/database.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { named, sql } from "../../core/db/schema/sql/sql.ts";
import { readAddress } from "./address.ts";
import { postgresEngine } from "./postgresql-engine.ts";

const found = sql<[isThere: 0 | 1, isMade: 0 | 1]>`SELECT CASE WHEN to_regnamespace(:schema) IS NULL THEN 0 ELSE 1 END,
  CASE WHEN to_regclass('_runs') IS NULL THEN 0 ELSE 1 END`;
const stage = sql`CREATE TEMP TABLE tried (n int) ON COMMIT DROP`;
const change = sql`LOCK TABLE _runs IN ROW EXCLUSIVE MODE`;

const TRIED = new Error("tried");

/** Whether a run may write there: on a standby, or as a role that may only read, it may not. What is tried is rolled back. */
export async function surroundingsOfServer(address: string): Promise<Surrounding[]> {
  const { schema } = readAddress(address);
  try {
    const engine = await postgresEngine(address, { connections: 1 });
    await engine
      .transaction(async (tx) => {
        const [isThere, isMade] = (await tx.first(found, { schema })) ?? [0, 0];
        if (isMade === 1) await tx.run(change);
        else if (isThere === 0) await tx.run(sql`CREATE SCHEMA ${named(schema)}`);
        await tx.run(stage);
        throw TRIED;
      })
      .finally(engine.close);
    return [];
  } catch (error) {
    // What else fails keeps readers away, too, and is said of them.
    const isRefused = error instanceof StoreError && error.code === "MOVEDEX_STORE_READ_ONLY";
    return isRefused ? [{ state: "fail", text: error.message }] : [];
  }
}
