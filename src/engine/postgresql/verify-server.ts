import type { Cell } from "../../base/cell.ts";
import { printable } from "../../base/printable.ts";
import { joined, named, sql } from "../../schema/sql/sql.ts";
import { referencesOf, type TableData } from "../../schema/table.ts";
import { findTable, tableList } from "../../schema/tables/tables.ts";
import { beginReading, type Check, type Damage, type Slice, type VerifyDoor } from "../check.ts";
import type { Engine, Session } from "../engine.ts";
import { StoreError } from "../errors.ts";
import { readAddress } from "./address.ts";
import { openServer } from "./open-server.ts";
import { failureCode } from "./postgresql-errors.ts";
import { MISSING, tableProblem } from "./tables/expected-tables.ts";
import { alteredViews } from "./tables/install-views.ts";

const added = sql`SELECT CAST(c.relname AS text), x.kind, CAST(x.name AS text) FROM
  (SELECT tgrelid AS relation, 'trigger' AS kind, tgname AS name FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT ev_class, 'rule', rulename FROM pg_rewrite WHERE rulename <> '_RETURN') x JOIN pg_class c ON c.oid = x.relation
  WHERE c.relnamespace = CAST(current_schema() AS regnamespace) ORDER BY 1, 2, 3`;

export async function openPostgresToVerify(address: string, onNotice: (sentence: string) => void = () => {}): Promise<VerifyDoor> {
  const { engine, close } = await openServer(address, { mode: "read" });
  const reading = await beginReading(engine);
  const { session } = reading;
  return {
    session,
    tables: (slice) => serverCheck(session, slice),
    alteredViews: () => viewsOf(engine, readAddress(address).label, onNotice),
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

/** Views that differ, where the role may make those that they are compared with. */
async function viewsOf(engine: Engine, label: string, onNotice: (sentence: string) => void): Promise<readonly string[] | undefined> {
  try {
    return await alteredViews(engine);
  } catch (error) {
    const code = failureCode(error) ?? "";
    if (!["42501", "25006"].includes(code)) throw error;
    onNotice(
      `the views of \`${label}\` were not compared with movedex's own: that makes temporary views for a moment, which this role or server refuses (${code}). Verify as the role that writes.`,
    );
    return undefined;
  }
}

/**
 * The judgement of a server's tables: tables and columns are there, nothing of others runs on writes, and references lead
 * to rows. Pages are the server's own (`pg_amcheck`, checksums).
 */
function serverCheck(session: Session, { part, of }: Slice): Check {
  const tables = tableList.filter((_, index) => index % of === part);
  return {
    name: "tables",
    total: async () => tables.length + 1,
    steps: async function* () {
      yield part === 0 ? await strangers(session) : [];
      for (const table of tables) {
        const problem = await tableProblem(session, table);
        const damage = problem === undefined ? [] : [{ table: table.name, row: "", problem }];
        yield problem === MISSING ? damage : [...damage, ...(await dangling(session, table))];
      }
    },
  };
}

async function strangers(session: Session): Promise<Damage[]> {
  const found = await session.all<[string, string, string]>(added);
  return found.map(([table, kind, name]) => ({
    table,
    row: "",
    problem: `has the ${kind} \`${printable(name, 80)}\`, which movedex did not make`,
  }));
}

async function dangling(session: Session, table: TableData): Promise<Damage[]> {
  const damage: Damage[] = [];
  const listed = (of: string, columns: readonly string[]) => {
    const cells = columns.map((name) => sql`${named(of)}.${named(name)}`);
    return joined(cells, ", ");
  };
  for (const { columns, parent } of referencesOf(table)) {
    const held = listed(table.name, columns);
    const keyOfParent = listed("p", findTable(parent)?.key ?? []);
    const select = sql`SELECT ${listed(table.name, table.key)} FROM ${named(table.name)} WHERE ROW(${held}) IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${named(parent)} p WHERE ROW(${keyOfParent}) = ROW(${held})) LIMIT 100`;
    const rows = await session.all<Cell[]>(select);
    for (const row of rows)
      damage.push({ table: table.name, row: row.join(", "), problem: `refers to a row of ${parent} that is not there` });
  }
  return damage;
}
