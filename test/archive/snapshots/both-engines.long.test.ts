import { describe, expect, test } from "vitest";
import { viewList } from "../../../src/schema/views/views.ts";
import { openStore } from "../../../src/work/store.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { loadHistory, type RecordedRelease, readReleases } from "../../support/recorded-releases.ts";
import { runCli } from "../../support/run-cli.ts";
import { frameworkHistory } from "../../support/shared-data.ts";
import { NOON, temporaryStore } from "../../support/store/temporary-store.ts";
import { questionDigests, type ViewQuestion } from "../../support/store/view-rows.ts";

/** Releases of which every row of every view is read: each stands for thousands of rows. */
const WHOLE = new Set([0, 3, 22, 66, 133]);

/** Views that say of each snapshot what is in each module: read as a whole they repeat what stood as often as there are snapshots. */
const repeating = viewList.filter(({ name, columns }) => name.endsWith("_at") && "module" in columns && name !== "modules_at");

/**
 * Every row of every view that is not a repetition: which bytecode stands at each of the snapshots (`modules_at`), what is in
 * each module from the snapshot on at which it begins to stand so, all of some snapshots, and the other views as they are.
 */
function* questionsOf(releases: readonly RecordedRelease[]): Generator<ViewQuestion> {
  for (const view of viewList) if (!repeating.includes(view)) yield view;
  let before: RecordedRelease["modules"] = new Map();
  for (const [i, { modules }] of releases.entries()) {
    const begun = [...modules].filter(([id, sha256]) => before.get(id) !== sha256);
    const names = [...new Set(begun.map(([id]) => `'${id.split("::")[1]}'`))];
    before = modules;
    if (names.length === 0) continue;
    const which = WHOLE.has(i) ? "" : ` AND module IN (${names.join(", ")})`;
    for (const { name } of repeating) yield { name, where: `ledger_version = ${(i + 1) * 1000}${which}` };
  }
}

/**
 * All 134 releases take minutes: `MOVEDEX_TEST_RELEASES=all` runs them. The long run takes every sixth, or every twentieth on an older
 * server.
 */
const every = (version: number): number => (process.env["MOVEDEX_TEST_RELEASES"] === "all" ? 1 : version === 18 ? 6 : 20);

eachPostgres("recorded releases on a file and on a server", (open, version) => {
  describe.skipIf(frameworkHistory === undefined)("(skipped where they are not beside the repository)", () => {
    test("are the same in every public view, digests included, and sound", async () => {
      await using file = await temporaryStore();
      const url = (await open()).url();
      const server = await openStore(url, { mode: "write", now: () => NOON });
      const folder = frameworkHistory as string;
      const releases = readReleases(folder).filter((_, i) => i % every(version) === 0);
      // Side by side: the server is at work while the file holds up this process.
      await Promise.all([file, server].map(({ engine }) => loadHistory(engine, folder, releases)));
      await server.close();
      const [expected = {}, found] = await Promise.all([file.path, url].map((path) => questionDigests(path, questionsOf(releases))));
      expect(Object.keys(expected).length).toBeGreaterThan(releases.length * 8);
      expect(Number.parseInt(expected["modules_at"] ?? "", 10)).toBeGreaterThan(releases.length * 80);
      expect(found).toEqual(expected);
      expect(await runCli(["verify", "--db", url])).toMatchObject({ code: 0 });
    });
  });
});
