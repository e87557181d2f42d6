import type { Dependency } from "../../archive/read/page-reads.ts";
import { plural } from "../../base/plural.ts";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { shortAddress, shortName } from "../html/texts.ts";
import { type Edge, type GraphLayout, layOut } from "./graph-layout.ts";

const [BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y] = [190, 26, 90, 12];

type Box = {
  readonly key: string;
  readonly words: string;
  readonly title: string;
  readonly href: string | undefined;
  readonly layer: number;
};

/**
 * An account's modules as boxes, each in a column to the right of its users; other accounts are one box each in the last column. An edge
 * that also follows from a path is drawn only while the pointer is on a box. In a cycle, modules stay in the order of the walk.
 */
export function dependencyGraph(dependencies: readonly Dependency[], address: Address, links: Links, unread: ReadonlySet<Address>): Html {
  const keyOf = (id: ModuleId): string => (id.address === address ? id.name : `${id.address}::`);
  const edges = [
    ...new Map(dependencies.map(({ from, to }) => [`${keyOf(from)} ${keyOf(to)}`, { from: keyOf(from), to: keyOf(to) }])).values(),
  ];
  const own = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].filter((key) => !key.endsWith("::"));
  const layers = layersOf(own, edges);
  const last = Math.max(0, ...layers.values()) + 1;
  const others = [...new Set(edges.map(({ to }) => to))].filter((key) => key.endsWith("::"));
  const boxes: Box[] = [
    ...own.map((name) => ({
      key: name,
      words: shortName(name, 22),
      title: `${address}::${name}`,
      href: links.module({ address, name }),
      layer: layers.get(name) ?? 0,
    })),
    ...others.map((key) => {
      const account = key.slice(0, -2) as Address;
      return {
        key,
        words: shortAddress(account),
        title: account,
        href: unread.has(account) ? undefined : links.account(account),
        layer: last,
      };
    }),
  ];
  const { heights, lines, height } = layOut(new Map(boxes.map(({ key, layer }) => [key, layer])), edges, {
    box: BOX_HEIGHT + GAP_Y,
    track: GAP_Y,
  });
  const width = (last + 1) * BOX_WIDTH + last * GAP_X + 2;
  const places = new Map(
    boxes.map(({ key, layer }) => [key, { x: layer * (BOX_WIDTH + GAP_X) + 1, y: (heights.get(key) ?? 0) - BOX_HEIGHT / 2, layer }]),
  );
  const line = ({ from, to, passes, isImplied }: GraphLayout["lines"][number]): Html => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return html``;
    let [x, y] = [a.x + BOX_WIDTH, a.y + BOX_HEIGHT / 2];
    let d = `M${x} ${Math.round(y)}`;
    const bendTo = (x2: number, y2: number): void => {
      d += `C${x + GAP_X / 2} ${Math.round(y)} ${x2 - GAP_X / 2} ${Math.round(y2)} ${x2} ${Math.round(y2)}`;
      [x, y] = [x2, y2];
    };
    for (const [i, at] of passes.entries()) {
      bendTo((a.layer + 1 + i) * (BOX_WIDTH + GAP_X) + 1, at);
      x += BOX_WIDTH;
      d += `H${x}`;
    }
    bendTo(b.x, b.y + BOX_HEIGHT / 2);
    return html`<path${isImplied ? html` class="implied"` : ""} data-ends="${from} ${to}" d="${d}"/>`;
  };
  const box = ({ key, words, title, href }: Box): Html => {
    const { x, y } = places.get(key) ?? { x: 0, y: 0 };
    const inside = html`<title>${title}</title><rect x="${x}" y="${Math.round(y)}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="5"/><text x="${x + 10}" y="${Math.round(y) + 17}">${words}</text>`;
    return href === undefined ? html`<g>${inside}</g>` : html`<a data-box="${key}" href="${href}">${inside}</a>`;
  };
  const left = lines.filter(({ isImplied }) => isImplied).length;
  return html`<div class="graph" tabindex="0" role="region" aria-label="Dependencies as a drawing"><svg width="${width}" height="${height}" viewBox="${`0 0 ${width} ${height}`}">${lines.map(line)}${boxes.map(box)}</svg></div>${left === 0 ? "" : html`<p class="small dim">${plural(left, "line")} left out: another box on the way leads there too. Point at a box to see all of its lines.</p>`}`;
}

/**
 * The column of each module: the longest way from one that nothing of the account uses, in steps; steps that close a circle do not count.
 * What nothing uses stands just before the first that it uses itself.
 */
function layersOf(names: readonly string[], edges: readonly Edge[]): ReadonlyMap<string, number> {
  const [users, used] = [Map.groupBy(edges, ({ to }) => to), Map.groupBy(edges, ({ from }) => from)];
  const layers = new Map<string, number>();
  const underWay = new Set<string>();
  const layerOf = (name: string): number => {
    const known = layers.get(name);
    if (known !== undefined) return known;
    if (underWay.has(name)) return -1;
    underWay.add(name);
    const layer = Math.max(-1, ...(users.get(name) ?? []).map(({ from }) => layerOf(from))) + 1;
    underWay.delete(name);
    layers.set(name, layer);
    return layer;
  };
  for (const name of names) layerOf(name);
  for (const name of names.filter((one) => !users.has(one))) {
    const first = Math.min(...(used.get(name) ?? []).flatMap(({ to }) => layers.get(to) ?? []));
    if (first < Number.POSITIVE_INFINITY) layers.set(name, Math.max(0, first - 1));
  }
  return layers;
}
