import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/engine/postgresql/open-server.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { countsOf, makeArchive } from "./archive.ts";
import { answerOf, missingModules, missingShell, named, output, python } from "./programs.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/querying.md", import.meta.url)), "utf8");
const section = /^## With other programs\n([\s\S]*?)^## /m.exec(page)?.[1] ?? "";
const blocks = [...section.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = "", text = ""]) => ({ language, text }));
const lines = blocks.filter(({ language }) => language === "sh").flatMap(({ text }) => text.trimEnd().split("\n"));
/** The line of the section that begins with a program's name. */
const lineOf = (program: string, among = ""): string =>
  lines.find((line) => line.startsWith(`${program} `) && line.includes(among)) ?? expect.fail(`no line for ${program}`);
const blockOf = (language: string): string => blocks.find((block) => block.language === language)?.text ?? expect.fail(language);

const directory = temporaryDirectory();
const db = directory.file("night.db");
const shell = (line: string): string => output("sh", ["-c", line], { cwd: directory.path });
beforeAll(() => makeArchive(db));

describe("the examples of docs/querying.md for other programs", () => {
  test.skipIf(missingShell)(named("sqlite3", missingShell), () => {
    expect(shell(lineOf("sqlite3", "-readonly"))).toMatch(/^module\|name\n(?:\w+\|\w+\n){3}$/);
    expect(shell(lineOf("sqlite3", "immutable"))).toBe("2\n");
  });

  const noDuckDb = missingModules("duckdb", "duckdb_extension_sqlite_scanner");
  test.skipIf(noDuckDb)(named("DuckDB", noDuckDb), () => {
    const rows = answerOf("duckdb_sql.py", directory.path, blockOf("sql")) as readonly (readonly [string, number])[];
    expect(rows.reduce((sum, [, count]) => sum + count, 0)).toBe(countsOf(db).get("functions_latest"));
  });

  const noDatasette = missingModules("datasette");
  test.skipIf(noDatasette)(named("Datasette", noDatasette), async () => {
    const [, words = "", file = ""] = /^movedex (.*) > (\S+)$/.exec(lineOf("movedex", "--format datasette")) ?? [];
    const { stdout } = await runCli(words.split(" "));
    output("sh", ["-c", `cat > ${file}`], { cwd: directory.path, input: stdout });
    const line = lineOf("datasette").replace(/^datasette/, `"$0" -m datasette`);
    expect(output("sh", ["-c", `${line} --get /night/modules_latest.json`, python], { cwd: directory.path })).toContain('"coin"');
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
