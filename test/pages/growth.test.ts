import { expect } from "vitest";
import { statusQueries } from "../../src/archive/read/status-queries.ts";
import { growthView } from "../../src/pages/home/charts.ts";
import { growthQueries } from "../../src/pages/home/growth-queries.ts";
import { linksFrom } from "../../src/pages/html/links.ts";
import { openPageArchive } from "../../src/pages/page-archive.ts";
import { sealedAmong } from "../../src/questions/diff/last-night.ts";
import { runCli } from "../support/run-cli.ts";
import { changeFile } from "../support/store/ask-file.ts";
import { test } from "../support/test.ts";
import { sampleArchive } from "./support/archives.ts";
import { servePages } from "./support/served-pages.ts";

test("the overview draws each night's modules, functions, changes and requests, and says the same in a table", async ({ place }) => {
  const db = place.file("archive.db");
  await sampleArchive(db);
  const ask = async (sql: string) => JSON.parse((await runCli(["query", sql, "--json", "--db", db])).stdout) as Record<string, number>[];
  const nights =
    await ask(`SELECT s.ledger_version, (SELECT count(*) FROM modules_at m WHERE m.ledger_version = s.ledger_version) AS modules,
    (SELECT count(*) FROM functions_at f WHERE f.ledger_version = s.ledger_version) AS functions,
    (SELECT count(*) FROM judged_changes c WHERE c.ledger_version = s.ledger_version) AS changes,
    (SELECT count(*) FROM judged_changes c WHERE c.ledger_version = s.ledger_version AND c.severity = 'breaking') AS breaking
    FROM snapshots s ORDER BY s.ledger_version DESC`);
  const [{ requests } = expect.fail("no runs")] = await ask("SELECT sum(requests) AS requests FROM run_history");
  expect(nights.length).toBeGreaterThan(1);
  expect(nights.some(({ changes = 0 }) => changes > 0)).toBe(true);
  await using served = await servePages(db);
  const { text: page } = await served.get("/");
  const section = page.slice(page.indexOf("<h2>Night by night</h2>"));
  const numbers = [...section.matchAll(/<tr><td.*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/>([\d,]+)</g)].map(([, n]) => Number((n ?? "").replaceAll(",", ""))),
  );
  expect(numbers.map((row) => row.slice(0, 5))).toEqual(
    nights.map(({ ledger_version, modules, functions, changes, breaking }) => [
      Number(ledger_version),
      modules,
      functions,
      changes,
      breaking,
    ]),
  );
  expect(numbers.reduce((sum, row) => sum + (row[5] ?? 0), 0)).toBe(requests);
  const labels = [...section.matchAll(/<svg [^>]*role="img" aria-label="([^"]+)"/g)].map(([, label]) => label);
  expect(labels).toEqual([
    expect.stringMatching(/^modules: from \d+ \(.*\) to \d+ \(/),
    expect.stringMatching(/^functions: from/),
    expect.stringMatching(/^changes a night: \d+ in \d+ nights, \d+ breaking/),
    expect.stringMatching(/^requests a night: \d+ in/),
  ]);
});

test("what stood is counted once for a snapshot; changes that nobody judged are asked for again", async ({ place }) => {
  const db = place.file("archive.db");
  await sampleArchive(db);
  changeFile(db, "DELETE FROM _judged_upgrades");
  const archive = await openPageArchive(db);
  try {
    const asked = { standing: 0, changes: 0 };
    const pages = growthQueries(archive.engine);
    const queries: Parameters<typeof growthView>[0] = {
      listRuns: pages.listRuns,
      sizesSince: (...of) => {
        asked.standing += 1;
        return pages.sizesSince(...of);
      },
      changesByNight: (...of) => {
        asked.changes += 1;
        return pages.changesByNight(...of);
      },
    };
    const sealed = sealedAmong(await statusQueries(archive.engine).listSnapshots());
    const view = () => growthView(queries, sealed, linksFrom("/"));
    const { text } = await view();
    expect(text).toMatch(/aria-label="changes a night: \d+ in \d+ nights, [1-9]\d* not judged yet/);
    expect((await view()).text).toBe(text);
    expect(asked).toEqual({ standing: 1, changes: 2 });
  } finally {
    await archive.close();
  }
});
