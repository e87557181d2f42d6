import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/capabilities/postgresql/open-server.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { runCli, temporaryDirectory } from "../support/index.ts";
import { countsOf, makeArchive } from "./archive.ts";
import { answerOf, missingModules, missingOldest, missingShell, named, output, python, withOldestSqlite } from "./programs.ts";

const readPage = (name: string) => readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
const [page, pythonPage] = [readPage("querying.md"), readPage("python.md")];
const section = /^## With other programs\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({ language, text }));
const lines = blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => text.trimEnd().split("\n"));
/** The line of the section that begins with a program's name. */
const lineOf = (program: string, among = ""): string =>
  lines.find((line) => line.startsWith(`${program} `) && line.includes(among)) ?? expect.fail(`no line for ${program}`);
const blockOf = (language: string): string => blocks.find((block) => block.language === language)?.text ?? expect.fail(language);

/** The programs of the page by the heading that they stand below. */
const programs = new Map(
  [...pythonPage.matchAll(/^## (.+)\n[\s\S]*?^```python\n([\s\S]*?)^```$/gm)].map(([, heading = "", text = ""]) => [heading, text]),
);
const programOf = (heading: string): string => programs.get(heading) ?? expect.fail(`no program below ${heading}`);

const directory = temporaryDirectory();
const db = directory.file("night.db");
const shell = (line: string): string => output("sh", ["-c", line], { cwd: directory.path });
const run = (...words: readonly string[]): string =>
  output(python, words, { cwd: directory.path, env: { ...process.env, HOME: directory.path } });
beforeAll(() => makeArchive(db));

describe("the examples of docs/querying.md for other programs", () => {
  test.skipIf(missingShell)(named("sqlite3", missingShell), () => {
    expect(shell(lineOf("sqlite3", "-readonly"))).toMatch(/^module\|name\n(?:\w+\|\w+\n){3}$/);
    expect(shell(lineOf("sqlite3", "immutable"))).toBe("5\n");
  });

  const noDuckDb = missingModules("duckdb", "duckdb_extension_sqlite_scanner");
  test.skipIf(noDuckDb)(named("DuckDB", noDuckDb), () => {
    const rows = answerOf("duckdb_sql.py", directory.path, blockOf("sql")) as readonly (readonly [string, string, number])[];
    expect(rows.reduce((sum, [, , count]) => sum + count, 0)).toBe(countsOf(db).get("functions_latest"));
  });

  const noDatasette = missingModules("datasette");
  test.skipIf(noDatasette)(named("Datasette", noDatasette), async () => {
    const [, words = "", file = ""] = /^movedex (.*) > (\S+)$/.exec(lineOf("movedex", "--format datasette")) ?? [];
    const { stdout } = await runCli(words.split(" "));
    output("sh", ["-c", `cat > ${file}`], { cwd: directory.path, input: stdout });
    const line = lineOf("datasette").replace(/^datasette/, `"$0" -m datasette`);
    expect(output("sh", ["-c", `${line} --get /night/modules_latest.json`, python], { cwd: directory.path })).toContain('"coin"');
    const codes = (filter: string): string =>
      output("sh", ["-c", `${line} --get '/night/error_codes_latest.json?_shape=array&${filter}'`, python], { cwd: directory.path });
    expect(JSON.parse(codes(/`(code__in=\S+)`/.exec(section)?.[1] ?? expect.fail("no filter")))).not.toEqual([]);
    expect(JSON.parse(codes("code=18446744073709551615"))).not.toEqual([]);
  });

  test.skipIf(noDatasette)(named("Datasette, with the metadata that `schema --format datasette` prints", noDatasette), async () => {
    const { stdout } = await runCli(["schema", "night", "--format", "datasette"]);
    writeFileSync(directory.file("metadata.json"), stdout);
    const answer = answerOf("datasette_pages.py", db, directory.file("metadata.json"), ...viewList.map(({ name }) => name)) as {
      readonly views: Readonly<Record<string, { readonly rows: number; readonly page: string }>>;
      readonly home: string;
      readonly shown: readonly string[];
    };
    expect(answer.shown).toEqual(["documentation"]);
    expect(answer.home).not.toContain("_version");
    const counts = countsOf(db);
    for (const { name, meaning } of viewList) {
      expect(answer.home).toContain(`/night/${name}"`);
      const { rows, page } = answer.views[name] ?? expect.fail(name);
      expect(rows, name).toBe(Math.min(counts.get(name) as number, 1000));
      expect(page).toContain(meaning.replaceAll("'", "&#39;"));
    }
  });

  const noUtils = missingModules("sqlite_utils");
  test.skipIf(noUtils)(named("sqlite-utils", noUtils), () => {
    const line = lineOf("sqlite-utils").replace(/^sqlite-utils/, `"$0" -m sqlite_utils`);
    expect(output("sh", ["-c", line, python], { cwd: directory.path })).toMatch(/functions_latest +\d+/);
  });
});

const missingPsql = spawnSync("psql", ["--version"]).status === 0 ? undefined : "no psql here";
eachPostgres("the example of docs/querying.md for psql", (open) => {
  test.skipIf(missingPsql)(named("selects from a view", missingPsql), async () => {
    const at = await open();
    await (await openPostgres(at.url(), { mode: "write", now: () => 0 })).close();
    const found = output("sh", ["-c", lineOf("psql")], { env: { ...process.env, DATABASE_URL: at.url() } });
    expect(found).toContain("(0 rows)");
  });
});

describe("the programs of docs/python.md", () => {
  test("are those that are run here", () => {
    expect([...programs.keys()]).toEqual(["pandas", "polars", "DuckDB", "SQLAlchemy", "Types", "PostgreSQL"]);
    expect(pythonPage.match(/^```python$/gm)).toHaveLength(programs.size);
  });

  const noPandas = missingModules("pandas");
  test.skipIf(noPandas)(named("pandas", noPandas), () => {
    expect(run("-c", programOf("pandas"))).toMatch(/^ +coin +\d+$[\s\S]*^0 +\d{4}-\d\d-\d\d$/m);
    expect(run("-c", programOf("Types"))).toMatch(/sequence_number +u64/);
  });

  const noAlchemy = missingModules("sqlalchemy", "pandas");
  for (const { name, missing, module, env, version } of [
    { name: "SQLAlchemy", missing: noAlchemy, module: "sqlite3", env: process.env, version: /^3\./ },
    {
      name: "SQLAlchemy on SQLite 3.37.2",
      missing: noAlchemy ?? missingOldest,
      module: "sqlite3",
      env: withOldestSqlite,
      version: /^3\.37\.2$/,
    },
    {
      name: "SQLAlchemy on an SQLite that says types",
      missing: missingModules("sqlalchemy", "pandas", "pysqlite3"),
      module: "pysqlite3",
      env: process.env,
      version: /^3\.(?:4[1-9]|[5-9])/,
    },
  ])
    test.skipIf(missing)(named(`${name}, with every view`, missing), () => {
      const script = fileURLToPath(new URL("python/alchemy_types.py", import.meta.url));
      const said = output(python, [script, programOf("SQLAlchemy"), module], { cwd: directory.path, env });
      const [first, answer] = said.trimEnd().split("\n") as [string, string];
      expect(first).toBe("(2592000, datetime.datetime(2026, 1, 4, 0, 0, tzinfo=datetime.timezone.utc))");
      expect(JSON.parse(answer)).toEqual({
        sqlite: expect.stringMatching(version),
        compares: true,
        finds: true,
        pandas: "datetime64[us, UTC]",
        kinds: { Text: ["str"], BigInteger: ["int"], Boolean: ["bool"], DATETIME: ["datetime UTC"], U64: ["int"] },
      });
    });

  const noPolars = missingModules("polars");
  test.skipIf(noPolars)(named("polars", noPolars), () => {
    expect(run("-c", programOf("polars"))).toMatch(/┆ coin +┆ \d+ +│$/m);
  });

  const noDuckDb = missingModules("duckdb", "duckdb_extension_sqlite_scanner", "pandas");
  test.skipIf(noDuckDb)(named("DuckDB", noDuckDb), () => {
    const said = run(fileURLToPath(new URL("python/installed_duckdb.py", import.meta.url)), programOf("DuckDB"));
    const counts = [...said.matchAll(/^\d+ +0x\S+ +\w+ +(\d+)$/gm)].map(([, count]) => Number(count));
    expect(counts.reduce((sum, count) => sum + count)).toBe(countsOf(db).get("functions_latest"));
  });
});

const noServer = missingModules("polars", "psycopg");
eachPostgres("the program of docs/python.md for PostgreSQL", (open) => {
  test.skipIf(noServer)(named("selects from a view", noServer), async () => {
    const at = await open();
    await (await openPostgres(at.url(), { mode: "write", now: () => 0 })).close();
    const said = output(python, ["-c", programOf("PostgreSQL")], { env: { ...process.env, DATABASE_URL: at.url() } });
    expect(said).toContain("shape: (0, 3)");
  });
});
