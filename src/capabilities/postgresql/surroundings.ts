import { plural } from "../../core/base/plural.ts";
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

/** Connections of a pooling proxy that a night holds at once, and how long they may be in coming. */
const [OF_NIGHT, WAIT_MS] = [3, 5_000];

/** How many transactions a pooling proxy lets stand at once, of as many as a night has. */
async function lentAtOnce(address: string): Promise<number> {
  const engine = await postgresEngine(address, { connections: OF_NIGHT });
  const counted = Promise.withResolvers<number>();
  let begun = 0;
  const late = setTimeout(() => counted.resolve(begun), WAIT_MS);
  const hold = () =>
    engine.transaction(async (tx) => {
      await tx.first(sql`SELECT 1`);
      if (++begun === OF_NIGHT) counted.resolve(begun);
      await counted.promise;
    });
  await Promise.all(Array.from({ length: OF_NIGHT }, hold)).finally(() => clearTimeout(late));
  await engine.close();
  return await counted.promise;
}

/**
 * Whether a run may write there: on a standby, or as a role that may only read, it may not. What is tried is rolled back. And whether a
 * proxy lends enough connections.
 */
export async function surroundingsOfServer(address: string): Promise<Surrounding[]> {
  const { schema, isPooled } = readAddress(address);
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
  } catch (error) {
    // What else fails keeps readers away, too, and is said of them.
    const isRefused = error instanceof StoreError && error.code === "MOVEDEX_STORE_READ_ONLY";
    if (error !== TRIED) return isRefused ? [{ state: "fail", text: error.message }] : [];
  }
  const lent = isPooled ? await lentAtOnce(address) : OF_NIGHT;
  if (lent === OF_NIGHT) return [];
  const text = `the pooling proxy lent ${plural(lent, "connection")} at once, and a night needs ${OF_NIGHT}, with \`backfill\` one more. Enlarge its pool, unless others use it now`;
  return [{ state: "warn", text }];
}
