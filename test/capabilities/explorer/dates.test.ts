import { describe, expect, test } from "vitest";
import { asWords, runCli } from "../../support/index.ts";
import { serveSample } from "./support/sample-pages.ts";

const { sample, served } = await serveSample();
const read = served.get;
const { stdout } = await runCli(asWords`
    query ${"SELECT CAST(ledger_time AS text) AS made FROM snapshots ORDER BY ledger_version"} --db ${sample.db} --format csv
  `);
const days = stdout
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => line.replaceAll('"', "").slice(0, 10));

describe("dates on the pages", () => {
  test("a date names the newest snapshot that the ledger had made by its end", async () => {
    const [first, last] = days as [string, string];
    const module = `/module/${sample.exchange}/pool`;
    const shown = async (at: string) =>
      /At version <span class="num">([\d,]+)/.exec((await read(`${module}?at=${at}`)).text)?.[1]?.replaceAll(",", "");
    expect(await shown(first)).toBe(String(sample.first));
    expect(await shown(last)).toBe(String(sample.last));
    expect(await shown("2099-01-01")).toBe(String(sample.last));
    expect((await read(`/diff/${sample.exchange}/pool?from=${first}&to=${last}`)).text).toContain(`datetime="${last}`);
  });

  test("a day before all snapshots, and one that does not exist, are said to be so", async () => {
    const before = await read(`/module/${sample.exchange}/pool?at=1999-01-01`);
    expect([before.status, before.text.includes("the archive has no snapshot from 1999-01-01")]).toEqual([404, true]);
    const none = await read(`/module/${sample.exchange}/pool?at=2026-02-31`);
    expect([none.status, none.text.includes("is not a date such as 2026-03-01")]).toEqual([400, true]);
  });
});
