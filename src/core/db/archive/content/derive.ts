import type { Engine } from "../../engine/engine.ts";
import { countOf } from "../../engine/row-shape.ts";
import { countRowless, rowless } from "../../schema/sql/predicates.ts";
import { sql } from "../../schema/sql/sql.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../schema/tables/derived.ts";
import type { DeriveOptions, DeriveResult } from "./derive-rows.ts";
import { endManyRows } from "./derived-indexes.ts";

const waits = sql`SELECT count(*) FROM _bytecodes WHERE derived_by IS NULL`;
const outdated = sql<[number]>`SELECT EXISTS (SELECT 1 FROM _bytecodes WHERE derived_by NOT IN (:movedex::text, :node::text)) OR EXISTS
  (SELECT 1 FROM ${rowless} AS r JOIN _bytecodes b ON b.id = r.id WHERE b.derived_by IS NOT NULL)`;

/** Making the rows of bytecode that is stored without them, or with those of another movedex. A visit stores its bytecode with its rows. */
export function derivationQueries(engine: Engine) {
  const isOutdated = async (): Promise<boolean> =>
    (await engine.first(outdated, { movedex: DERIVED_BY, node: REPORTED_BY_NODE }))?.[0] === 1;

  return {
    underived: (): Promise<number> => countOf(engine, countRowless),
    isOutdated,
    /**
     * Derives the rows of all bytecode that waits for them, and of all there is where another movedex made them; in transactions, so that
     * readers see all rows of a bytecode or none, and a run that is killed loses those of one transaction.
     * @throws StoreError `MOVEDEX_STORE_DAMAGED` for bytes that cannot be unpacked
     */
    derive: async (options: DeriveOptions = {}): Promise<DeriveResult> => {
      if (options.signal?.aborted) return { derived: 0, undecodable: 0 };
      if (await isOutdated()) {
        const { forgetRows } = await import("./derive-rows.ts");
        await engine.transaction(forgetRows);
      }
      const count = await countOf(engine, waits);
      if (count > 0) return (await import("./derive-rows.ts")).deriveWaiting(engine, count, options);
      // Also where a run left them away that was killed.
      await endManyRows(engine);
      return { derived: 0, undecodable: 0 };
    },
  };
}
