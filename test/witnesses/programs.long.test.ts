import { writeFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { Kind } from "../../src/schema/kinds.ts";
import type { ViewData } from "../../src/schema/views/view.ts";
import { viewList } from "../../src/schema/views/views.ts";
import { runCli } from "../support/run-cli.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { countsOf, makeArchive } from "./archive.ts";
import { answerOf, missingModules, named, output, python } from "./programs.ts";

const directory = temporaryDirectory();
const db = directory.file("night.db");
const views = viewList.map(({ name }) => name);
/** The rows of each public view. */
const counts = (): Readonly<Record<string, number>> => {
  const all = countsOf(db);
  return Object.fromEntries(views.map((name) => [name, all.get(name) as number]));
};
beforeAll(() => makeArchive(db));

describe("programs that people have read every view", () => {
  const noDuckDb = missingModules("duckdb", "duckdb_extension_sqlite_scanner");
  test.skipIf(noDuckDb)(named("DuckDB", noDuckDb), () => {
    const typed: Partial<Record<Kind, string>> = { int: "BIGINT", version: "BIGINT", bool: "BOOLEAN" };
    const typesOf = ({ columns }: ViewData) =>
      Object.fromEntries(Object.entries(columns).map(([column, { kind }]) => [column, typed[kind] ?? "VARCHAR"]));
    const types = Object.fromEntries(viewList.map((view) => [view.name, typesOf(view)]));
    expect(answerOf("duckdb_views.py", db, ...views)).toEqual({ sqlite: expect.stringMatching(/^3\./), counts: counts(), types });
  });

  const noFrames = missingModules("pandas", "polars", "sqlalchemy");
  test.skipIf(noFrames)(named("pandas, polars and SQLAlchemy", noFrames), () => {
    expect(answerOf("frames.py", db, ...views)).toEqual(counts());
  });

  const noUtils = missingModules("sqlite_utils");
  test.skipIf(noUtils)(named("sqlite-utils", noUtils), () => {
    const list = (what: string): Readonly<Record<string, number>> => {
      const rows = JSON.parse(output(python, ["-m", "sqlite_utils", what, db, "--counts"])) as {
        table?: string;
        view?: string;
        count: number;
      }[];
      return Object.fromEntries(rows.map(({ table, view, count }) => [table ?? view ?? "", count]));
    };
    expect(list("views")).toMatchObject(counts());
    expect(list("tables")).toMatchObject({ documentation: expect.any(Number), _addresses: expect.any(Number) });
  });

  const noDatasette = missingModules("datasette");
  test.skipIf(noDatasette)(named("Datasette, with the metadata that `schema --format datasette` prints", noDatasette), async () => {
    const { stdout } = await runCli(["schema", "night", "--format", "datasette"]);
    writeFileSync(directory.file("metadata.json"), stdout);
    const answer = answerOf("datasette_pages.py", db, directory.file("metadata.json"), ...views) as DatasetteAnswer;
    expect(answer.shown).toEqual(["documentation"]);
    expect(answer.home).not.toContain("_version");
    const all = counts();
    for (const { name, meaning } of viewList) {
      expect(answer.home).toContain(`/night/${name}"`);
      const { rows, page } = answer.views[name] ?? expect.fail(name);
      expect(rows, name).toBe(Math.min(all[name] as number, 1000));
      expect(page).toContain(escaped(meaning));
    }
  });
});

/** What `datasette_pages.py` saw. */
type DatasetteAnswer = {
  readonly views: Readonly<Record<string, { readonly rows: number; readonly page: string }>>;
  readonly home: string;
  readonly shown: readonly string[];
};

/** A text as HTML has it. */
function escaped(text: string): string {
  return text.replaceAll("'", "&#39;");
}
