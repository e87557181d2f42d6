import { printable } from "../../core/base/printable.ts";
import { beginReading, checkOf, type Damage, type VerifySession } from "../../core/db/engine/check.ts";
import type { ReadOptions } from "../../core/db/engine/database.ts";
import type { Session } from "../../core/db/engine/engine.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { tableList } from "../../core/db/schema/tables/tables.ts";
import { openServer } from "./open-server.ts";

const added = sql<[string, string, string]>`SELECT CAST(c.relname AS text), x.kind, CAST(x.name AS text) FROM
  (SELECT tgrelid AS relation, 'trigger' AS kind, tgname AS name FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT ev_class, 'rule', rulename FROM pg_rewrite WHERE rulename <> '_RETURN') x JOIN pg_class c ON c.oid = x.relation
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace) ORDER BY 1, 2, 3`;

export async function openPostgresToVerify(address: string, options?: Pick<ReadOptions, "lockTimeoutMs">): Promise<VerifySession> {
  const { engine, close } = await openServer(address, { mode: "read", ...options });
  const reading = await beginReading(engine);
  const { session } = reading;
  return {
    session,
    schema: () => [],
    // One question is about all of them.
    tables: ({ part }) =>
      checkOf("tables", part === 0 ? tableList : [], async (table) => (table === tableList[0] ? strangers(session) : [])),
    damageIn,
    close: async () => {
      await reading.close();
      await close();
    },
  };
}

/** Damaged data, and numbers too large to count with. */
function damageIn(error: unknown): string | undefined {
  const state = error instanceof StoreError ? error.facts["sqlState"] : undefined;
  return typeof state === "string" && /^(?:XX|22)/.test(state) ? (error as StoreError).message : undefined;
}

/**
 * What others added that runs on writes. Whether tables and columns are there, opening has made sure of. References and pages are the
 * server's own (`pg_amcheck`, checksums); a broken reference of a row shows where seals and rows are made again.
 */
async function strangers(session: Session): Promise<Damage[]> {
  const found = await session.all(added);
  return found.map(([table, kind, name]) => ({
    table,
    row: "",
    problem: `has the ${kind} \`${printable(name, 80)}\`, which movedex did not make`,
  }));
}
