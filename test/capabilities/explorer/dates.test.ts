import { describe, expect, test } from "vitest";
import { horizonView } from "../../../src/capabilities/explorer/home/home-page.ts";
import { forecastHorizon } from "../../../src/core/crawl/horizon/horizon-forecast.ts";
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

describe("the horizon in a day", () => {
  const HOUR_MS = 3_600_000;
  // A day's window of 24,000 versions, 1,000 an hour.
  const samples = Array.from({ length: 12 }, (_, hour) => ({
    sampledAt: hour * HOUR_MS,
    headVersion: 100_000n + BigInt(hour * 1000),
    oldestVersion: 76_000n + BigInt(hour * 1000),
  }));

  test("is that of the day, and never beyond the head", () => {
    const forecast = forecastHorizon("https://node", samples);
    const words = (now: number) => horizonView(forecast, [], now).text.replaceAll(/<[^>]+>/g, "");
    const day = /In a day, versions below ([\d,]+) are gone/.exec(words(11 * HOUR_MS))?.[1]?.replaceAll(",", "");
    expect(Number(day)).toBeGreaterThan(87_000);
    expect(Number(day)).toBeLessThanOrEqual(111_000);
    // Ten days after the last answer the pace would lead far beyond the newest version that is known.
    const later = [...words(11 * HOUR_MS + 240 * HOUR_MS).matchAll(/below ([\d,]+)/g)].map(([, number]) =>
      Number(number?.replaceAll(",", "")),
    );
    expect(later.length).toBeGreaterThan(0);
    expect(Math.max(...later)).toBe(111_000);
  });
});
