import { globSync } from "node:fs";
import { basename } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Kind as ColumnKind } from "../../../src/core/db/schema/column.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun, sized } from "../../run-size.ts";
import { ended, runCli, temporaryDirectory } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { makeArchive } from "../../witnesses/archive.ts";
import { named } from "../../witnesses/programs.ts";
import {
  type Answers,
  type Archive,
  allKinds,
  askOwn,
  askServer,
  type Cell,
  type Program,
  quickPrograms,
  slowPrograms,
} from "./programs.ts";
import { type Kind, type Question, questions } from "./questions.ts";

const kindOf: Readonly<Partial<Record<ColumnKind, Kind>>> = { int: "int", version: "int", bool: "bool", time: "time", u64: "u64" };
/** All rows of each view, in any order. */
const everyView = viewList.map(({ name, columns }): Question => {
  const shown = Object.entries(columns);
  return {
    name,
    kinds: shown.map(([, { kind }]) => kindOf[kind] ?? "text"),
    sql: `SELECT ${shown.map(([column]) => column).join(", ")} FROM ${name}`,
  };
});

const place = temporaryDirectory();
const file = place.file("night.db");
const own = (list: readonly Question[]): Answers => Object.fromEntries(askOwn(file, list).map(({ name, rows }) => [name, { rows }]));
beforeAll(() => makeArchive(file));

/** A cell of SQLite as programs have it that know the kind of its column. */
const typed = (cell: Cell, kind: Kind | undefined): Cell => {
  const letter = { bool: "b", time: "m", u64: "n", int: "i", text: "t" }[kind ?? "text"];
  return cell === null ? null : `${letter}${cell.slice(1)}`;
};

/** Makes sure that a program has answered as SQLite does: rows, types and order. */
function expectSame(found: Answers, list: readonly Question[], { knows, types }: Pick<Program, "knows" | "types">): void {
  const expected = own(list);
  for (const { name, kinds } of list) {
    const [ofOwn, answer] = [expected[name], found[name]];
    if (typeof ofOwn !== "object" || typeof answer !== "object") throw new Error(`${name}: ${answer as string}`);
    const wanted = ofOwn.rows.map((row) => row.map((cell, i) => (knows.includes(kinds[i] as Kind) ? typed(cell, kinds[i]) : cell)));
    const isSorted = list === questions;
    const inOrder = (some: readonly (readonly Cell[])[]) => some.map((row) => JSON.stringify(row));
    expect(isSorted ? inOrder(answer.rows) : inOrder(answer.rows).sort(), name).toEqual(
      isSorted ? inOrder(wanted) : inOrder(wanted).sort(),
    );
    for (const [i, type] of answer.types?.entries() ?? []) expect(type, `${name} ${i}`).toMatch(types?.[kinds[i] as Kind] ?? "");
  }
}

describe("forty questions of analysts, and every view", () => {
  let archive: Archive;
  beforeAll(async () => {
    const tables: Record<string, string> = {};
    const byName = viewList.flatMap(({ name }) => (name.endsWith("_latest") || name === "bytes_held" ? ["--view", name] : []));
    for (const [i, more] of sized([], [[], ["--at", "all"], byName]).entries()) {
      const directory = place.file(`tables-${i}`);
      await ended(runCli(["export", directory, "--db", file, ...more]));
      for (const path of globSync(`${directory}/part-*/*.parquet`)) tables[basename(path, ".parquet")] = `SELECT * FROM '${path}'`;
    }
    archive = { file, tables };
  });

  test("are forty, each named once, and are answered as the ledgers were written, in values of the kinds that they name", async () => {
    expect(new Set(questions.map(({ name }) => name)).size).toBe(40);
    const letters: Readonly<Record<Kind, string>> = { text: "t", int: "i", bool: "i", time: "t", u64: "it" };
    const answers = own(questions);
    const said: string[] = [];
    for (const { name, kinds } of questions) {
      const answer = answers[name] as { rows: Cell[][] };
      said.push(`${name}\n${answer.rows.map((row) => `  ${row.map((cell) => cell?.slice(2) ?? "null").join(" | ")}\n`).join("")}`);
      for (const row of answer.rows) {
        expect(row, name).toHaveLength(kinds.length);
        for (const [i, cell] of row.entries())
          expect(cell === null || letters[kinds[i] as Kind].includes(cell[0] as string), name).toBe(true);
      }
    }
    await expect(said.join("\n")).toMatchFileSnapshot("answers.txt");
  });

  for (const program of sized(quickPrograms, [...quickPrograms, ...slowPrograms]))
    test.skipIf(program.missing)(named(program.name, program.missing), async () => {
      const spelled = (list: readonly Question[]) =>
        list.map((one) => ({ ...one, sql: one.in?.[program.dialect ?? "postgresql"] ?? one.sql }));
      const asked = program.dialect === undefined ? questions : spelled(questions);
      expectSame(await program.ask(archive, asked), questions, program);
      expectSame(await program.ask(archive, everyView), everyView, program);
    });
});

eachPostgres(
  "forty questions of analysts",
  (open) => {
    test("have the rows, types and order of a file", async () => {
      const at = await open();
      await makeArchive(at.url());
      expectSame(await askServer(at.url(), questions), questions, { knows: allKinds });
    });
  },
  isLongRun ? sharedServers : [],
);
