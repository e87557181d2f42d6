import { printable } from "../../base/printable.ts";
import { sql } from "../../schema/sql/sql.ts";
import { tableList } from "../../schema/tables/tables.ts";
import { beginReading, type Check, type Damage, type Slice, type VerifyDoor } from "../check.ts";
import type { Engine, Session } from "../engine.ts";
import { StoreError } from "../errors.ts";
import { readAddress } from "./address.ts";
import { openServer } from "./open-server.ts";
import { failureCode } from "./postgresql-errors.ts";
import { alteredViews } from "./tables/install-views.ts";
import { readTableProblems } from "./tables/migrate.ts";

const added = sql<[string, string, string]>`SELECT CAST(c.relname AS text), x.kind, CAST(x.name AS text) FROM
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
 * The judgement of a server's tables: tables and columns are there, and nothing of others runs on writes. References and pages are the
 * server's own (`pg_amcheck`, checksums); a broken reference of a row shows where seals and rows are made again.
 */
function serverCheck(session: Session, { part, of }: Slice): Check {
  const tables = tableList.filter((_, index) => index % of === part);
  return {
    name: "tables",
    total: async () => tables.length + 1,
    steps: async function* () {
      yield part === 0 ? await strangers(session) : [];
      const problemOf = await readTableProblems(session);
      for (const table of tables) {
        const problem = problemOf(table);
        yield problem === undefined ? [] : [{ table: table.name, row: "", problem }];
      }
    },
  };
}

async function strangers(session: Session): Promise<Damage[]> {
  const found = await session.all(added);
  return found.map(([table, kind, name]) => ({
    table,
    row: "",
    problem: `has the ${kind} \`${printable(name, 80)}\`, which movedex did not make`,
  }));
}
