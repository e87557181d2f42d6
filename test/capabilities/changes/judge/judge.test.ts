import { expect } from "vitest";
import { judgeChanges } from "../../../../src/capabilities/changes/judge/judge.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { changeFile, listsOf, rowsOf, test } from "../../../support/index.ts";
import { writeSmallArchive } from "../../verify/small-archive.ts";

test("a run judges each pair of bytecodes once; what a signal left is judged by the next one, and what could not be compared again", async ({
  place,
}) => {
  const path = place.file("archive.db");
  await writeSmallArchive(path);
  const rows = () => rowsOf(path, "SELECT * FROM _judged_upgrades ORDER BY from_id, to_id");
  const judge = async (signal?: AbortSignal) => {
    await using store = await openStore(path, { mode: "write", now: () => 0 });
    return await judgeChanges(store.engine, signal);
  };
  const stored = "_judged_upgrades j JOIN _bytecodes f ON f.id = j.from_id JOIN _bytecodes t ON t.id = j.to_id";
  const shown = "module_changes WHERE from_sha256 IS NOT NULL AND to_sha256 IS NOT NULL";
  const pairs = (from: string, both: string) => listsOf(path, `SELECT DISTINCT ${both} FROM ${from} ORDER BY 1, 2`);
  const findings = () => rowsOf(path, "SELECT * FROM _judged_findings ORDER BY from_id, to_id, position");
  const [judged, found] = [rows(), findings()];
  expect(found.length).toBeGreaterThanOrEqual(judged.length);
  expect(judged.length).toBeGreaterThan(1);
  expect(await judge()).toBe(0);
  expect(pairs(stored, "lower(hex(f.sha256)), lower(hex(t.sha256))")).toEqual(pairs(shown, "from_sha256, to_sha256"));
  changeFile(path, "DELETE FROM _judged_upgrades");
  expect([await judge(AbortSignal.abort()), rows().length]).toEqual([0, 0]);
  expect([await judge(), rows()]).toEqual([judged.length, judged]);
  changeFile(path, "UPDATE _judged_upgrades SET severity = 'unclear', reason = 'before: it could not be read'");
  expect([await judge(), rows()]).toEqual([judged.length, judged]);
  changeFile(path, "UPDATE _judged_upgrades SET rules = rules + 1; UPDATE _judged_findings SET rule = 'other'");
  expect([await judge(), rows(), findings()]).toEqual([judged.length, judged, found]);
});
