import type { Dependency } from "../../archive/read/page-reads.ts";
import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { shortAddress, shortName } from "../html/texts.ts";

const [BOX_WIDTH, BOX_HEIGHT, GAP_X, GAP_Y] = [190, 26, 90, 12];

type Box = {
  readonly key: string;
  readonly words: string;
  readonly title: string;
  readonly href: string | undefined;
  readonly layer: number;
};

/**
 * Modules of an account as boxes, each in a column to the right of those that use it; other accounts are one box each, in the
 * last column. Modules that use each other in a circle stand where the walk met them first.
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
  const columns = Map.groupBy(boxes, ({ layer }) => layer);
  const height = Math.max(...[...columns.values()].map((column) => column.length)) * (BOX_HEIGHT + GAP_Y) + GAP_Y;
  const width = (last + 1) * BOX_WIDTH + last * GAP_X + 2;
  const places = new Map<string, { x: number; y: number }>();
  for (const [layer, column] of columns) {
    const top = (height - column.length * (BOX_HEIGHT + GAP_Y) + GAP_Y) / 2;
    for (const [i, box] of column.entries()) places.set(box.key, { x: layer * (BOX_WIDTH + GAP_X) + 1, y: top + i * (BOX_HEIGHT + GAP_Y) });
  }
  const line = ({ from, to }: { from: string; to: string }): Html => {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) return html``;
    const [x1, y1, x2, y2] = [a.x + BOX_WIDTH, a.y + BOX_HEIGHT / 2, b.x, b.y + BOX_HEIGHT / 2];
    return html`<path data-ends="${from} ${to}" d="${`M${x1} ${y1}C${x1 + GAP_X / 2} ${y1} ${x2 - GAP_X / 2} ${y2} ${x2} ${y2}`}"/>`;
  };
  const box = ({ key, words, title, href }: Box): Html => {
    const { x, y } = places.get(key) ?? { x: 0, y: 0 };
    const inside = html`<title>${title}</title><rect x="${x}" y="${y}" width="${BOX_WIDTH}" height="${BOX_HEIGHT}" rx="5"/><text x="${x + 10}" y="${y + 17}">${words}</text>`;
    return href === undefined ? html`<g>${inside}</g>` : html`<a data-box="${key}" href="${href}">${inside}</a>`;
  };
  return html`<div class="graph" tabindex="0" role="region" aria-label="Dependencies as a drawing"><svg width="${width}" height="${height}" viewBox="${`0 0 ${width} ${height}`}">${edges.map(line)}${boxes.map(box)}</svg></div>`;
}

/** The longest way from a module that nothing of the account uses, in steps; steps that close a circle do not count. */
function layersOf(names: readonly string[], edges: readonly { readonly from: string; readonly to: string }[]): ReadonlyMap<string, number> {
  const users = Map.groupBy(edges, ({ to }) => to);
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
  return layers;
}
