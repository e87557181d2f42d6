import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/base/random.ts";
import { type Edge, layOut } from "../../../src/pages/account/graph-layout.ts";

const room = { box: 38, track: 12 };
const columns = (...names: readonly string[][]) => new Map(names.flatMap((some, i) => some.map((name) => [name, i] as const)));
const edges = (text: string): Edge[] =>
  text.split(" ").map((pair) => {
    const [from = "", to = ""] = pair.split(">");
    return { from, to };
  });

/** Pairs of drawn lines whose ends stand in opposite orders, between neighbouring columns. */
function crossed(columnOf: ReadonlyMap<string, number>, { heights, lines }: ReturnType<typeof layOut>): number {
  const steps = new Map<string, readonly [column: number, left: number, right: number]>();
  for (const { from, to, passes, isImplied } of lines) {
    if (isImplied) continue;
    const way = [heights.get(from) ?? 0, ...passes, heights.get(to) ?? 0];
    for (const [i, left] of way.entries())
      if (i > 0)
        steps.set(`${(columnOf.get(from) ?? 0) + i} ${way[i - 1]} ${left}`, [(columnOf.get(from) ?? 0) + i, way[i - 1] ?? 0, left]);
  }
  const all = [...steps.values()];
  return all.flatMap((a, i) => all.slice(i + 1).filter((b) => a[0] === b[0] && (a[1] - b[1]) * (a[2] - b[2]) < 0)).length;
}

describe("the layout of a graph", () => {
  test("turns columns until no line crosses another, where that can be", () => {
    const of = columns(["a", "b", "c", "d"], ["w", "x", "y", "z"], ["p", "q"]);
    const laid = layOut(of, edges("a>z b>y c>x d>w z>q y>q x>p w>p"), room);
    expect(crossed(of, laid)).toBe(0);
  });

  test("leaves out a line to what is also reached by way of another box, and marks it", () => {
    const { lines } = layOut(columns(["a"], ["b"], ["c"], ["d"]), edges("a>b b>c a>c c>d a>d"), room);
    expect(lines.filter(({ isImplied }) => isImplied).map(({ from, to }) => `${from}>${to}`)).toEqual(["a>c", "a>d"]);
  });

  test("a line over several columns has a place in each, clear of the boxes; lines to one box share it", () => {
    const of = columns(["a", "b"], ["x", "y"], ["z"], ["end"]);
    const { heights, lines } = layOut(of, edges("a>x b>y x>z a>end b>end"), room);
    const [one, other] = lines.filter(({ to }) => to === "end");
    expect(one?.passes).toHaveLength(2);
    expect(one?.passes).toEqual(other?.passes);
    for (const name of ["x", "y"]) expect(Math.abs((heights.get(name) ?? 0) - (one?.passes[0] ?? 0))).toBeGreaterThanOrEqual(25 - 1e-6);
  });

  test("boxes of a column never overlap, and stay within the height; lines that lead back are drawn straight", () => {
    const random = seededRandom(7);
    const names = Array.from({ length: 8 }, (_, column) => Array.from({ length: 12 }, (_, i) => `m${column}_${i}`));
    const of = columns(...names);
    const all = names.flat();
    const some = Array.from({ length: 300 }, () => ({
      from: all[Math.floor(random() * all.length)] ?? "",
      to: all[Math.floor(random() * all.length)] ?? "",
    })).filter(({ from, to }) => from !== to);
    const laid = layOut(of, some, room);
    expect(laid).toEqual(layOut(of, some, room));
    for (const column of names) {
      const heights = column.map((name) => laid.heights.get(name) ?? Number.NaN).sort((a, b) => a - b);
      for (const [i, height] of heights.entries()) {
        if (i > 0) expect(height - (heights[i - 1] ?? 0)).toBeGreaterThanOrEqual(room.box - 1e-6);
        expect(height).toBeGreaterThanOrEqual(room.box / 2 - 1e-6);
        expect(height).toBeLessThanOrEqual(laid.height - room.box / 2 + 1e-6);
      }
    }
    for (const { from, to, passes } of laid.lines) if ((of.get(from) ?? 0) >= (of.get(to) ?? 0)) expect(passes).toEqual([]);
  });
});
