import { afterAll, beforeAll, expect, test } from "vitest";
import { judgedRows } from "../../../src/capabilities/changes/judge/check-judgements.ts";
import { judgedTables } from "../../../src/capabilities/changes/tables.ts";
import { verify } from "../../../src/capabilities/verify/verify.ts";
import { closing } from "../../../src/core/base/async.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import type { Kind } from "../../../src/core/db/schema/column.ts";
import { isChecked, type TableData } from "../../../src/core/db/schema/table.ts";
import { contentTables } from "../../../src/core/db/schema/tables/content.ts";
import { countTables, derivedTables } from "../../../src/core/db/schema/tables/derived.ts";
import { tableList } from "../../../src/core/db/schema/tables/tables.ts";
import { timeTables } from "../../../src/core/db/schema/tables/time.ts";
import { viewNames } from "../../../src/core/db/schema/view-statements.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { runCli, temporaryDirectory } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { writeSmallArchive } from "./small-archive.ts";

/** What other rules judged is judged again, and not checked; a node's own words are kept as it said them. */
const content = Object.values<TableData>({ ...contentTables, ...derivedTables, ...countTables, ...judgedTables, ...timeTables });
const checked = tableList.filter((table) => isChecked(table) && !content.includes(table));
const columns = [...content, ...checked].flatMap(({ name, columns }) =>
  Object.entries(columns)
    .filter(([column, { kind, isUnchecked }]) => isUnchecked === undefined && kind !== "json" && column !== "rules")
    .map(([column, { kind }]): [table: string, column: string, kind: Kind] => [name, column, kind]),
);
const COLUMNS = 60;
const looked = columns.filter((_, i) => i % Math.floor(columns.length / COLUMNS) === 0);

/** Another value of a kind, one bit away where the kind has bits; a value that has none stays. */
const flipped: Readonly<Record<Kind, (column: string) => string>> = {
  text: (column) => `CASE WHEN ${column} = '' THEN '' ELSE chr(ascii(${column}) # 1) || substr(${column}, 2) END`,
  json: (column) => column,
  int: (column) => `${column} # 1`,
  version: (column) => `${column} # 4`,
  u64: (column) => `${column} + 1`,
  bytes: (column) => `CASE WHEN ${column} = '' THEN '' ELSE set_bit(${column}, 0, 1 - get_bit(${column}, 0)) END`,
  bool: (column) => `NOT ${column}`,
  time: (column) => `${column} + interval '1 second'`,
};

/** How much is wrong. */
async function damageOf(url: string): Promise<number> {
  await using door = closing(await databaseAt(url).openToVerify());
  return (await Array.fromAsync(verify(door, { part: 0, of: 1 }, [judgedRows]))).reduce((sum, { damage }) => sum + damage.length, 0);
}

/** What all public views answer. */
async function answersOf(database: TestDatabase): Promise<string> {
  const answers = [];
  for (const name of viewNames("postgresql"))
    answers.push(await database.rows(`SELECT v::text FROM movedex.${name} AS v ORDER BY 1`).catch((error) => `${error}`));
  return JSON.stringify(answers);
}

const onServer: Parameters<typeof eachPostgres>[1] = (open) => {
  let database: TestDatabase;
  let answers: string;
  const place = temporaryDirectory();

  beforeAll(async () => {
    database = await open();
    await writeSmallArchive(place.file("small.db"), { withRename: true });
    const { code, stderr } = await runCli(["import", place.file("small.db"), "--db", database.url()]);
    expect(code, stderr).toBe(0);
    expect(await damageOf(database.url())).toBe(0);
    const { checked } = (await runCli(["verify", "--db", database.url(), "--json"])).json() as { checked: { tables: number } };
    expect(checked.tables).toBe(tableList.length);
    answers = await answersOf(database);
    expect(answers).not.toContain('"error: ');
  });
  afterAll(async () => expect(await damageOf(database.url())).toBe(0));

  test.each(looked)("finds that of %s.%s, or no view answers otherwise for it", async (table, column, kind) => {
    const change = async (value: string, row: string): Promise<string> => {
      const update = `UPDATE movedex.${table} SET ${column} = ${value} WHERE ctid = '${row}' RETURNING ctid::text`;
      return (await database.rows(`SET session_replication_role = replica; ${update}`))[0]?.[0] as string;
    };
    const last = `FROM movedex.${table} WHERE ${column} IS NOT NULL ORDER BY ${column} DESC LIMIT 1`;
    const [row] = (await database.rows(`SELECT ctid::text, quote_nullable(${column}) ${last}`)) as [row: string, before: string][];
    if (row === undefined) return;
    let place: string;
    try {
      place = await change(flipped[kind](column), row[0]);
    } catch (error) {
      // Another row has that key: the server lets none in.
      expect((error as { code?: string }).code).toMatch(/^23/);
      return;
    }
    const isFound = (await damageOf(database.url())) > 0;
    const isOther = !isFound && (await answersOf(database)) !== answers;
    await change(row[1], place);
    expect(isOther).toBe(false);
  });
};
eachPostgres("verify of cells that were flipped", onServer, sharedServers.slice(0, 1));
