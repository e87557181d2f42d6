import { describe, expect, test } from "vitest";
import { linksFrom } from "../../../src/capabilities/changes/pages/page-links.ts";
import { growthView } from "../../../src/capabilities/explorer/home/charts.ts";
import { horizonView } from "../../../src/capabilities/explorer/home/home-page.ts";
import { resultChart } from "../../../src/capabilities/explorer/sql/result-views.ts";
import { forecastHorizon, type HorizonForecast } from "../../../src/core/crawl/horizon/horizon-forecast.ts";
import type { SnapshotCounts } from "../../../src/core/db/archive/read/status-queries.ts";
import { drawingNamed, numberOf, pointsOf, type Shape, shapesIn } from "./support/shapes.ts";

const [WIDTH, HEIGHT, TOP] = [300, 90, 14];
const DAY_MS = 86_400_000;
const BEGIN_MS = Date.UTC(2026, 0, 4);

const [modules, functions, changes, breaking] = [
  [12, 12, 20, 16, 14],
  [100, 90, 80, 70, 60],
  [0, 8, 4, 1, 2],
  [0, 2, 4, 0, 0],
];

/** The overview's charts of five nights whose numbers are these. */
async function chartsOfFiveNights(): Promise<string> {
  const nights = [0, 1, 2, 3, 4];
  const version = (night: number) => BigInt(1000 * (night + 1));
  const stood = (i: number): Pick<SnapshotCounts, "ledgerVersion" | "digest" | "createdAt" | "sealedAt" | "ledgerTime"> => ({
    ledgerVersion: version(i),
    digest: `${i}`,
    createdAt: BEGIN_MS + i * DAY_MS,
    sealedAt: null,
    ledgerTime: null,
  });
  const queries: Parameters<typeof growthView>[0] = {
    sizesSince: async () =>
      nights.map((i) => ({ from: version(i), to: version(i) + 999n, modules: modules[i] as number, functions: functions[i] as number })),
    changesByNight: async () =>
      nights.flatMap((i) => [
        { version: version(i), severity: "breaking", changes: breaking[i] as number },
        { version: version(i), severity: "safe", changes: (changes[i] as number) - (breaking[i] as number) },
      ]),
  };
  const sealed = nights.map(stood).toReversed() as SnapshotCounts[];
  return (await growthView(queries, sealed, linksFrom("/"))).text;
}

describe("the overview's charts", async () => {
  const markup = await chartsOfFiveNights();
  const drawing = (name: string) => drawingNamed(markup, `${name}: `);

  test.each([
    ["modules", modules],
    ["functions", functions],
  ] as const)(
    "the line of %s is higher where there are more, from the first night at the left to the last at the right",
    (name, values) => {
      const points = pointsOf(drawing(name).find(({ kind }) => kind === "polyline") as Shape);
      expect(points.map(([x]) => x)).toEqual([0, 75, 150, 225, 300]);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      // Upwards is towards 0: the most stands at the top, the least near the foot.
      expect(points.map(([, y]) => y)).toEqual(
        values.map((value) => Number((TOP + ((most - value) / (most - least)) * (HEIGHT - 4 - TOP)).toFixed(1))),
      );
    },
  );

  test("bars of changes stand on the axis in the order of the nights, and grow with their values", () => {
    const bars = drawing("changes a night").filter(({ kind, class: of }) => kind === "rect" && of === "all");
    const shown = changes.map((value, i) => ({ value, i })).filter(({ value }) => value > 0);
    expect(bars).toHaveLength(shown.length);
    for (const [at, { value, i }] of shown.entries()) {
      const bar = bars[at] as Shape;
      expect(numberOf(bar, "x")).toBe((i * WIDTH) / changes.length);
      expect(numberOf(bar, "y") + numberOf(bar, "height")).toBeCloseTo(HEIGHT);
      expect(numberOf(bar, "height")).toBeCloseTo((value / Math.max(...changes)) * (HEIGHT - TOP));
    }
  });

  test("what breaks stands at the foot of its night's bar, in the same measure, drawn over it", () => {
    const bars = drawing("changes a night").filter(({ kind }) => kind === "rect");
    const worst = bars.filter(({ class: of }) => of === "worst");
    expect(bars.slice(-worst.length)).toEqual(worst);
    expect(worst.map((bar) => [numberOf(bar, "x"), numberOf(bar, "height"), numberOf(bar, "y") + numberOf(bar, "height")])).toEqual([
      [60, 19, HEIGHT],
      [120, 38, HEIGHT],
    ]);
  });
});

describe("the horizon's line", () => {
  const now = BEGIN_MS + DAY_MS;
  // A day apart: the horizon rises by 100 a day, the window is 1000 versions.
  const forecast: HorizonForecast = forecastHorizon("node", [
    { sampledAt: BEGIN_MS, headVersion: 2_900n, oldestVersion: 1_900n },
    { sampledAt: now, headVersion: 3_000n, oldestVersion: 2_000n },
  ]);
  const shapes = shapesIn(horizonView(forecast, [1_000n, 1_500n, 2_050n, 2_500n, 3_000n], now).text);
  const of = (name: string) => shapes.filter((shape) => shape["class"] === name);
  const span = (shape: Shape | undefined) => [numberOf(shape as Shape, "x"), numberOf(shape as Shape, "width")];

  test("parts what is gone from what can be read, and marks what goes in a day", () => {
    expect(of("gone").map(span)).toEqual([[0, 50]]);
    expect(of("readable").map(span)).toEqual([[50, 50]]);
    expect(of("doomed").map(span)).toEqual([[50, 5]]);
    expect(of("edge").map((edge) => [numberOf(edge, "x1"), numberOf(edge, "x2")])).toEqual([[50, 50]]);
  });

  test("has a tick for each snapshot, at its version", () => {
    expect(of("held").map((tick) => numberOf(tick, "x1"))).toEqual([0, 25, 52.5, 75, 100]);
    expect(of("held").map((tick) => numberOf(tick, "x2"))).toEqual([0, 25, 52.5, 75, 100]);
  });
});

describe("the SQL console's charts", () => {
  const columns = ["name", "amount"];
  const rows = [
    ["up", "40"],
    ["down", "-20"],
    ["none", "0"],
    ["top", "80"],
  ];

  test("bars begin at zero, those below it to the left, each under its name", () => {
    const { text } = resultChart("bar", columns, rows);
    const bars = shapesIn(text).filter(({ kind }) => kind === "rect");
    expect(bars.map((bar) => [numberOf(bar, "x"), numberOf(bar, "width")])).toEqual([
      [20, 40],
      [0, 20],
      // Nothing is a hair, so that it is seen.
      [20, 0.2],
      [20, 80],
    ]);
    const names = shapesIn(text).filter(({ kind }) => kind === "text");
    expect(names.map((name, i) => numberOf(bars[i] as Shape, "y") - numberOf(name, "y"))).toEqual([6, 6, 6, 6]);
    expect(bars.map((bar) => numberOf(bar, "y"))).toEqual([19, 53, 87, 121]);
    expect(
      text
        .replaceAll(/<title>.*?<\/title>/g, "")
        .replaceAll(/<[^>]+>/g, " ")
        .split(/\s+/)
        .filter(Boolean),
    ).toEqual([...rows.flat(), ..."amount by name".split(" ")]);
  });

  test("a drawing needs numbers beside words", () => {
    expect(resultChart("bar", ["name"], [["up"]]).text).toContain("A chart needs");
  });

  test("a line is higher where the value is, and has the axis at zero", () => {
    const shapes = shapesIn(resultChart("line", columns, rows).text);
    const points = pointsOf(shapes.find(({ kind }) => kind === "polyline") as Shape);
    expect(points).toEqual([
      [0, 96],
      [266.7, 240],
      [533.3, 192],
      [800, 0],
    ]);
    const axis = shapes.find(({ kind }) => kind === "line") as Shape;
    expect([numberOf(axis, "y1"), numberOf(axis, "y2")]).toEqual([192, 192]);
  });
});
