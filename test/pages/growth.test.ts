import { expect } from "vitest";
import { runCli } from "../support/run-cli.ts";
import { test } from "../support/test.ts";
import { sampleArchive } from "./support/archives.ts";
import { servePages } from "./support/served-pages.ts";

test("the overview draws each night's modules, functions and changes, and says the same in a table", async ({ place }) => {
  const db = place.file("archive.db");
  await sampleArchive(db);
  const ask = async (sql: string) => JSON.parse((await runCli(["query", sql, "--json", "--db", db])).stdout) as Record<string, number>[];
  const nights =
    await ask(`SELECT s.ledger_version, (SELECT count(*) FROM modules_at m WHERE m.ledger_version = s.ledger_version) AS modules,
    (SELECT count(*) FROM functions_at f WHERE f.ledger_version = s.ledger_version) AS functions,
    (SELECT count(*) FROM judged_changes c WHERE c.ledger_version = s.ledger_version) AS changes,
    (SELECT count(*) FROM judged_changes c WHERE c.ledger_version = s.ledger_version AND c.severity = 'breaking') AS breaking
    FROM snapshots s ORDER BY s.ledger_version DESC`);
  expect(nights.length).toBeGreaterThan(1);
  expect(nights.some(({ changes = 0 }) => changes > 0)).toBe(true);
  await using served = await servePages(db);
  const { text: page } = await served.get("/");
  const section = page.slice(page.indexOf("<h2>Night by night</h2>"));
  const numbers = [...section.matchAll(/<tr><td.*?<\/tr>/g)].map(([row]) =>
    [...row.matchAll(/>([\d,]+)</g)].map(([, n]) => Number((n ?? "").replaceAll(",", ""))),
  );
  expect(numbers).toEqual(
    nights.map(({ ledger_version, modules, functions, changes, breaking }) => [
      Number(ledger_version),
      modules,
      functions,
      changes,
      breaking,
    ]),
  );
  const labels = [...section.matchAll(/<svg [^>]*role="img" aria-label="([^"]+)"/g)].map(([, label]) => label);
  expect(labels).toEqual([
    expect.stringMatching(/^modules: from \d+ \(.*\) to \d+ \(/),
    expect.stringMatching(/^functions: from/),
    expect.stringMatching(/^changes a night: \d+ in \d+ nights, \d+ breaking/),
  ]);
});
