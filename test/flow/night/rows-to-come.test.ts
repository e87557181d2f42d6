import { copyFileSync } from "node:fs";
import { expect } from "vitest";
import type { SimNode } from "../../../sim/index.ts";
import { judgedTables } from "../../../src/capabilities/changes/tables.ts";
import { searchTables } from "../../../src/core/db/schema/tables/content.ts";
import { derivedTables } from "../../../src/core/db/schema/tables/derived.ts";
import { askDatabase } from "../../capabilities/serve/support/served-archive.ts";
import { changeFile, databaseContent, ended, runCli, test, useNights } from "../../support/index.ts";
import { forgetRows } from "../../support/store/forget-rows.ts";

const at = useNights({ hasAllViews: true });

/** The first night, as two databases. */
async function twice(node: SimNode): Promise<[whole: string, cut: string]> {
  await ended(at.sync(node, "whole.db", at.scene.first));
  const [whole, cut] = [at.place.file("whole.db"), at.place.file("cut.db")];
  copyFileSync(whole, cut);
  return [whole, cut];
}

test("a night killed before its rows were derived: answers from bytes are whole, those from rows say what they lack, the next run goes on", async () => {
  const [whole, cut] = await twice(at.node);
  forgetRows(cut);
  const [[count], [address, name]] = [
    at.rows("cut.db", "SELECT count(*) FROM _bytecodes")[0],
    at.rows("cut.db", "SELECT address, module FROM modules_latest ORDER BY 1, 2 LIMIT 1")[0],
  ] as [[number], [string, string]];

  const both = async (words: (db: string) => string[]) => Promise.all([whole, cut].map((db) => runCli(words(db))));
  const [shownWhole, shownCut] = await both((db) => ["show", `${address}::${name}`, "--db", db]);
  expect(shownWhole?.code).toBe(0);
  expect([shownCut?.code, shownCut?.stdout]).toEqual([0, shownWhole?.stdout]);
  const bodies = [];
  for (const db of [whole, cut]) {
    await using served = await askDatabase(db);
    bodies.push((await served.ask(`/v1/accounts/${address}/modules`)).body.toString());
  }
  expect(bodies[0]).toContain('"exposed_functions"');
  expect(bodies[1]).toBe(bodies[0]);

  const ask = (db: string) => runCli(["query", "SELECT count(*) AS n FROM functions_latest", "--db", db, "--format", "csv"]);
  const asked = await ask(cut);
  expect(asked.stdout).toMatch(/\b0\b/);
  expect(asked.stderr).toContain(`the rows of ${count} stored bytecodes are still to come`);
  expect((await ask(whole)).stderr).toBe("");
  expect((await runCli(["search", "coin", "--db", cut])).stderr).toContain("are still to come");
  for (const words of [
    ["targets", "discover", "--dry-run"],
    ["export", at.place.file("tables")],
  ])
    expect((await runCli([...words, "--db", cut])).stderr, `${words}`).toContain("are still to come");
  expect((await runCli(["status", "--db", cut])).stdout).toMatch(new RegExp(`^to come +the rows of ${count} bytecodes`, "m"));
  expect((await runCli(["status", "--db", whole])).stdout).not.toContain("to come");
  expect((await runCli(["status", "--db", cut, "--json"])).json()).toMatchObject({ bytecodes_underived: count });
  const coverage = "SELECT modules_read, modules_underived FROM snapshot_coverage";
  expect(at.rows("cut.db", coverage)).toEqual(at.rows("whole.db", coverage).map((row) => [(row as number[])[0], (row as number[])[0]]));
  await ended(runCli(["verify", "--db", cut]));

  for (const db of ["whole.db", "cut.db"]) await ended(at.sync(at.node, db, at.scene.second));
  expect(databaseContent(cut)).toEqual(databaseContent(whole));
  await ended(runCli(["verify", "--db", cut]));
});

test("all derived rows deleted by hand: what answers from rows says so, or answers from the bytes, and the next run makes them again", async () => {
  const [whole, cut] = await twice(at.node);
  const names = Object.values({ ...derivedTables, ...judgedTables, ...searchTables }).map(({ name }) => name);
  changeFile(cut, "PRAGMA foreign_keys = OFF", ...names.map((name) => `DELETE FROM ${name}`));
  for (const words of [["search", "coin"], ["query", "SELECT count(*) FROM functions_latest"], ["status"]]) {
    const { stdout, stderr } = await runCli([...words, "--db", cut]);
    expect(stdout + stderr, `${words}`).toMatch(/the rows of \d+ (stored )?bytecodes/);
  }
  const [used, wanted] = await Promise.all([cut, whole].map((db) => runCli(["uses", "0x1::coin", "--db", db])));
  expect(wanted?.stdout).not.toContain("0 functions");
  expect(used?.stdout).toBe(wanted?.stdout);
  for (const db of ["whole.db", "cut.db"]) await ended(at.sync(at.node, db, at.scene.second));
  expect(databaseContent(cut)).toEqual(databaseContent(whole));
  await ended(runCli(["verify", "--db", cut]));
});
