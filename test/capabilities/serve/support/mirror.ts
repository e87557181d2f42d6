import { openPostgres } from "../../../../src/capabilities/postgresql/open-server.ts";
import { databaseAt } from "../../../../src/core/db/engine/database-at.ts";
import type { Engine } from "../../../../src/core/db/engine/engine.ts";
import { joined, named, sql } from "../../../../src/core/db/schema/sql/sql.ts";
import { tableList } from "../../../../src/core/db/schema/tables/tables.ts";

/** Makes a server's database an archive with the rows of a file's, when and how they were written included. */
export async function mirror(file: string, server: string): Promise<void> {
  const from = await databaseAt(file).open({ mode: "read" });
  const to = await openPostgres(server, { mode: "write", now: () => 0 });
  try {
    await to.transaction(async (tx) => {
      await tx.run(sql`SET LOCAL session_replication_role = 'replica'`);
      await tx.run(
        sql`TRUNCATE ${joined(
          tableList.map(({ name }) => named(name)),
          ", ",
        )}`,
      );
      for (const table of tableList)
        for await (const rows of rowsIn(from.engine, table.name, Object.keys(table.columns))) await tx.bulk(table, rows);
    });
  } finally {
    await from.close();
    await to.close();
  }
}

function rowsIn(engine: Engine, table: string, columns: readonly string[]) {
  const list = joined(
    columns.map((name) => named(name)),
    ", ",
  );
  return engine.stream(sql`SELECT ${list} FROM ${named(table)}`);
}
