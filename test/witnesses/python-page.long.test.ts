import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/engine/postgresql/open-server.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { countsOf, makeArchive } from "./archive.ts";
import { missingModules, named, output, python } from "./programs.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/python.md", import.meta.url)), "utf8");
/** The programs of the page by the heading that they stand below. */
const programs = new Map(
  [...page.matchAll(/^## (.+)\n[\s\S]*?^```python\n([\s\S]*?)^```$/gm)].map(([, heading = "", text = ""]) => [heading, text]),
);
const programOf = (heading: string): string => programs.get(heading) ?? expect.fail(`no program below ${heading}`);

const directory = temporaryDirectory();
const db = directory.file("night.db");
const run = (...words: readonly string[]): string =>
  output(python, words, { cwd: directory.path, env: { ...process.env, HOME: directory.path } });

describe("the programs of docs/python.md", () => {
  beforeAll(() => makeArchive(db));

  test("are those that are run here", () => {
    expect([...programs.keys()]).toEqual(["pandas", "polars", "DuckDB", "Types", "PostgreSQL"]);
    expect(page.match(/^```python$/gm)).toHaveLength(programs.size);
  });

  const noPandas = missingModules("pandas");
  test.skipIf(noPandas)(named("pandas", noPandas), () => {
    expect(run("-c", programOf("pandas"))).toMatch(/^coin +\d+$[\s\S]*^0 +\d{4}-\d\d-\d\d$/m);
    expect(run("-c", programOf("Types"))).toMatch(/sequence_number +u64/);
  });

  const noPolars = missingModules("polars");
  test.skipIf(noPolars)(named("polars", noPolars), () => {
    expect(run("-c", programOf("polars"))).toMatch(/^│ coin +┆ \d+ +│$/m);
  });

  const noDuckDb = missingModules("duckdb", "duckdb_extension_sqlite_scanner", "pandas");
  test.skipIf(noDuckDb)(named("DuckDB", noDuckDb), () => {
    const said = run(fileURLToPath(new URL("python/installed_duckdb.py", import.meta.url)), programOf("DuckDB"));
    const counts = [...said.matchAll(/^\d+ +\w+ +(\d+)$/gm)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count)).toBe(countsOf(db).get("functions_latest"));
  });

  test.skipIf(noPandas ?? noPolars)(
    named("the table of types: conditions, moments, and a u64 that no double holds", noPandas ?? noPolars),
    () => {
      const cells = [...page.matchAll(/^\| `(?:boolean|time|u64)` \| [^|]* \| (.+)$/gm)].flatMap(([, row = ""]) => [
        ...row.matchAll(/`([^`]+)`/g),
      ]);
      const [bool, boolOf, time, timeOf, number, numberType, numberOf] = cells.map(([, code]) => code);
      const select = `SELECT 1 AS is_entry, '2026-01-31T12:00:00.000Z' AS created_at, `;
      const program = `
import sqlite3, pandas, polars
memory = sqlite3.connect(":memory:")
select = "${select}"
mixed = " FROM (SELECT 1 AS code UNION ALL SELECT '18446744073709551615')"
for options in (dict(${bool}), dict(${time})):
    print(pandas.read_sql(select + "1 AS code", memory, **options).dtypes.to_dict())
print(pandas.read_sql(select + "${number}" + mixed, memory, ${numberType}).code.tolist())
print(polars.read_database(select + "1 AS code", memory, ${boolOf}).with_columns(${timeOf}).schema)
print(polars.read_database(select + "code" + mixed, memory, ${numberOf})["code"].to_list())
`;
      const said = run("-c", program).split("\n");
      expect(said[0]).toContain("'is_entry': BooleanDtype");
      expect(said[1]).toMatch(/'created_at': datetime64\[us, UTC\]/);
      expect(said[2]).toBe("[1, 18446744073709551615]");
      expect(said[3]).toMatch(/'is_entry', Boolean.*'created_at', Datetime\(time_unit='us', time_zone='UTC'\)/);
      expect(said[4]).toBe("[1, 18446744073709551615]");
    },
  );
});

const noServer = missingModules("polars", "psycopg");
eachPostgres("the program of docs/python.md for PostgreSQL", (open) => {
  test.skipIf(noServer)(named("selects from a view", noServer), async () => {
    const at = await open();
    await (await openPostgres(at.url(), { mode: "write", now: () => 0 })).close();
    const said = output(python, ["-c", programOf("PostgreSQL")], { env: { ...process.env, DATABASE_URL: at.url() } });
    expect(said).toContain("shape: (0, 2)");
  });
});
