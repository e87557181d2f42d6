/** A line of a graph, from a box to one that it uses. */
export type Edge = { readonly from: string; readonly to: string };

/** Where the boxes of a graph stand, each in its column, and how its lines run. Heights are those of the middle. */
export type GraphLayout = {
  readonly heights: ReadonlyMap<string, number>;
  readonly lines: readonly (Edge & {
    /** The heights at which it passes the columns in between; none of a line that leads back or is left out. */
    readonly passes: readonly number[];
    /** Whether other lines lead there too, by way of other boxes. */
    readonly isImplied: boolean;
  })[];
  readonly height: number;
};

/** Sweeps over all columns, which bound the time. */
const [ORDERINGS, SHIFTS] = [12, 8];

/** A box, or the track on which lines to a box pass a column. */
type Vertex = { readonly left: Set<Vertex>; readonly right: Set<Vertex>; readonly room: number; at: number };

/**
 * Orders the boxes of each column so that few lines cross (Sugiyama: barycentres, swept both ways, the best order kept), then moves them
 * towards what they are joined to. Lines to the same box share a track through each column; lines that follow from others take no part.
 */
export function layOut(
  columnOf: ReadonlyMap<string, number>,
  edges: readonly Edge[],
  room: { readonly box: number; readonly track: number },
): GraphLayout {
  const column = (key: string): number => columnOf.get(key) ?? 0;
  const vertices = new Map<string, Vertex>();
  const columns: Vertex[][] = [];
  const vertexOf = (key: string, at: number, size: number): Vertex => {
    const known = vertices.get(`${key} ${at}`);
    if (known !== undefined) return known;
    const vertex: Vertex = { left: new Set(), right: new Set(), room: size, at: 0 };
    vertices.set(`${key} ${at}`, vertex);
    for (let i = columns.length; i <= at; i++) columns.push([]);
    columns[at]?.push(vertex);
    return vertex;
  };
  const boxOf = (key: string): Vertex => vertexOf(key, column(key), room.box);
  for (const key of columnOf.keys()) boxOf(key);
  const ahead = edges.filter(({ from, to }) => column(from) < column(to));
  const implied = impliedAmong(ahead, column);
  const shown = ahead.filter((edge) => !implied.has(edge));
  const tracksOf = ({ from, to }: Edge): Vertex[] =>
    Array.from({ length: column(to) - column(from) - 1 }, (_, i) => vertexOf(to, column(from) + 1 + i, room.track));
  for (const edge of shown) {
    const way = [boxOf(edge.from), ...tracksOf(edge), boxOf(edge.to)];
    for (const [i, vertex] of way.entries()) {
      const next = way[i + 1];
      if (next === undefined) break;
      vertex.right.add(next);
      next.left.add(vertex);
    }
  }
  order(columns);
  const height = shift(columns);
  return {
    heights: new Map([...columnOf.keys()].map((key) => [key, boxOf(key).at])),
    lines: edges.map((edge) => ({
      ...edge,
      isImplied: implied.has(edge),
      passes: column(edge.from) >= column(edge.to) || implied.has(edge) ? [] : tracksOf(edge).map(({ at }) => at),
    })),
    height,
  };
}

/** Edges that say nothing which others do not: what they lead to is reached by way of another box. */
function impliedAmong(edges: readonly Edge[], column: (key: string) => number): ReadonlySet<Edge> {
  const next = Map.groupBy(edges, ({ from }) => from);
  const reached = new Map<string, Set<string>>();
  const rightFirst = [...next.keys()].sort((a, b) => column(b) - column(a));
  const implied = new Set<Edge>();
  for (const from of rightFirst) {
    const all = new Set<string>();
    for (const { to } of next.get(from) ?? []) for (const further of reached.get(to) ?? []) all.add(further);
    for (const edge of next.get(from) ?? []) if (all.has(edge.to)) implied.add(edge);
    for (const { to } of next.get(from) ?? []) all.add(to);
    reached.set(from, all);
  }
  return implied;
}

/** Brings the vertices of each column into an order with few crossings. */
function order(columns: Vertex[][]): void {
  const number = (vertices: readonly Vertex[]): void => {
    for (const [i, vertex] of vertices.entries()) vertex.at = i;
  };
  columns.forEach(number);
  let best = columns.map((vertices) => [...vertices]);
  let least = crossings(columns);
  for (let sweep = 0; sweep < ORDERINGS && least > 0; sweep++) {
    const isRightward = sweep % 2 === 0;
    for (const vertices of isRightward ? columns : columns.toReversed()) {
      const middles = new Map(vertices.map((vertex) => [vertex, meanOf([...(isRightward ? vertex.left : vertex.right)], vertex.at)]));
      vertices.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0));
      number(vertices);
    }
    const crossed = crossings(columns);
    if (crossed < least) [best, least] = [columns.map((vertices) => [...vertices]), crossed];
  }
  for (const [i, vertices] of best.entries()) columns[i] = vertices;
  columns.forEach(number);
}

/** The number of crossings between neighbouring columns: pairs of lines whose ends are in opposite order (counted by a Fenwick tree). */
function crossings(columns: readonly (readonly Vertex[])[]): number {
  let crossed = 0;
  for (const [i, vertices] of columns.entries()) {
    const size = columns[i + 1]?.length ?? 0;
    const sums = new Uint32Array(size + 1);
    let seen = 0;
    for (const vertex of vertices) {
      const ends = [...vertex.right].map(({ at }) => at);
      for (const end of ends) {
        let before = 0;
        for (let n = end + 1; n > 0; n -= n & -n) before += sums[n] ?? 0;
        crossed += seen - before;
      }
      for (const end of ends) for (let n = end + 1; n <= size; n += n & -n) sums[n] = (sums[n] ?? 0) + 1;
      seen += ends.length;
    }
  }
  return crossed;
}

/** Gives each vertex a height: near the middle of what it is joined to, in its order, without overlaps. Returns the height of all. */
function shift(columns: readonly (readonly Vertex[])[]): number {
  const tall = Math.max(0, ...columns.map((vertices) => vertices.reduce((sum, vertex) => sum + vertex.room, 0)));
  for (const vertices of columns) {
    let top = (tall - vertices.reduce((sum, vertex) => sum + vertex.room, 0)) / 2;
    for (const vertex of vertices) {
      vertex.at = top + vertex.room / 2;
      top += vertex.room;
    }
  }
  for (let sweep = 0; sweep < SHIFTS; sweep++) for (const vertices of sweep % 2 === 0 ? columns : columns.toReversed()) settle(vertices);
  const top = Math.min(0, ...columns.map(([first]) => (first === undefined ? 0 : first.at - first.room / 2)));
  for (const vertices of columns) for (const vertex of vertices) vertex.at -= top;
  return Math.max(0, ...columns.map((vertices) => (vertices.at(-1)?.at ?? 0) + (vertices.at(-1)?.room ?? 0) / 2));
}

/** Moves a column's vertices to where they want to be, as far as their order and room allow: the mean of pushing all down and all up. */
function settle(vertices: readonly Vertex[]): void {
  const wanted = vertices.map((vertex) => meanOf([...vertex.left, ...vertex.right], vertex.at));
  const gap = (i: number): number => ((vertices[i]?.room ?? 0) + (vertices[i - 1]?.room ?? 0)) / 2;
  const [down, up] = [[...wanted], [...wanted]];
  for (let i = 1; i < vertices.length; i++) down[i] = Math.max(down[i] ?? 0, (down[i - 1] ?? 0) + gap(i));
  for (let i = vertices.length - 2; i >= 0; i--) up[i] = Math.min(up[i] ?? 0, (up[i + 1] ?? 0) - gap(i + 1));
  for (const [i, vertex] of vertices.entries()) vertex.at = ((down[i] ?? 0) + (up[i] ?? 0)) / 2;
}

function meanOf(vertices: readonly Vertex[], otherwise: number): number {
  return vertices.length === 0 ? otherwise : vertices.reduce((sum, { at }) => sum + at, 0) / vertices.length;
}
