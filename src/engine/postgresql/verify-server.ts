import { printable } from "../../base/printable.ts";
import { joined, named, sql } from "../../schema/sql/sql.ts";
import type { TableData } from "../../schema/table.ts";
import { tableList } from "../../schema/tables/tables.ts";
import { viewList } from "../../schema/views/views.ts";
import type { Check, Damage, Slice, VerifyDoor } from "../check.ts";
import type { Cell, Session } from "../engine.ts";
import { StoreError } from "../errors.ts";
import { beginReading } from "../reading.ts";
import { textsOf } from "../shape.ts";
import { openServer } from "./open-server.ts";
import { MISSING, tableProblem } from "./tables/expected-tables.ts";
import { isDocumentationAltered } from "./tables/install-views.ts";

const views = sql`SELECT CAST(c.relname AS text) FROM pg_class c WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'v'`;
const triggers = sql`SELECT CAST(c.relname AS text), CAST(t.tgname AS text) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND NOT t.tgisinternal`;

export async function openPostgresToVerify(address: string): Promise<VerifyDoor> {
  const { engine, close } = await openServer(address, { mode: "read" });
  const reading = await beginReading(engine);
  const { session } = reading;
  return {
    session,
    tables: (slice) => serverCheck(session, slice),
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
 * The judgement of a server's tables: tables, columns and views are there, nothing of others runs on writes, and references lead
 * to rows. Pages are the server's own (`pg_amcheck`, checksums).
 */
function serverCheck(session: Session, { part, of }: Slice): Check {
  const tables = tableList.filter((_, index) => index % of === part);
  return {
    name: "tables",
    total: async () => tables.length + 1,
    steps: async function* () {
      yield part === 0 ? await strangers(session, new Set(await textsOf(session, views))) : [];
      for (const table of tables) {
        const problem = await tableProblem(session, table);
        const damage = problem === undefined ? [] : [{ table: table.name, row: "", problem }];
        yield problem === MISSING ? damage : [...damage, ...(await dangling(session, table))];
      }
    },
  };
}

async function strangers(session: Session, found: ReadonlySet<string>): Promise<Damage[]> {
  const missing = viewList
    .filter(({ name }) => !found.has(name))
    .map(({ name }) => ({ table: name, row: "", problem: "the view is missing" }));
  if (await isDocumentationAltered(session)) missing.push({ table: "documentation", row: "", problem: "is not as movedex made it" });
  const added = await session.all<[string, string]>(triggers);
  return [
    ...missing,
    ...added.map(([table, name]) => ({
      table,
      row: "",
      problem: `has the trigger \`${printable(name, 80)}\`, which movedex did not make`,
    })),
  ];
}

async function dangling(session: Session, table: TableData): Promise<Damage[]> {
  const damage: Damage[] = [];
  const of = named(table.name);
  const key = joined(
    table.key.map((name) => sql`${of}.${named(name)}`),
    ", ",
  );
  for (const [name, { references }] of Object.entries(table.columns)) {
    const parent = tableList.find((candidate) => candidate.name === references);
    if (parent === undefined) continue;
    const rows = await session.all<Cell[]>(sql`SELECT ${key} FROM ${of} WHERE ${of}.${named(name)} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${named(parent.name)} p WHERE p.${named(parent.key[0] as string)} = ${of}.${named(name)}) LIMIT 100`);
    for (const row of rows)
      damage.push({ table: table.name, row: row.join(", "), problem: `refers to a row of ${parent.name} that is not there` });
  }
  return damage;
}
