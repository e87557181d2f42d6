/**
 * The groups of nodes that reach each other, each with more than one node or with a node that leads to itself; in one walk, so
 * that a long chain costs no more than its length (Tarjan's algorithm, without recursion). Edges to other names are ignored.
 */
export function circlesIn(edges: ReadonlyMap<string, Iterable<string>>): string[][] {
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const circles: string[][] = [];
  const enter = (node: string): { readonly node: string; readonly next: Iterator<string> } => {
    order.set(node, order.size);
    low.set(node, order.size - 1);
    open.push(node);
    isOpen.add(node);
    return { node, next: (edges.get(node) ?? [])[Symbol.iterator]() };
  };
  const lower = (node: string, to: number): void => void low.set(node, Math.min(low.get(node) as number, to));
  for (const start of edges.keys()) {
    if (order.has(start)) continue;
    const path = [enter(start)];
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const { value: next, done } = here.next.next();
      if (done !== true) {
        if (!edges.has(next)) continue;
        if (!order.has(next)) path.push(enter(next));
        else if (isOpen.has(next)) lower(here.node, order.get(next) as number);
        continue;
      }
      path.pop();
      const { node } = here;
      const above = path.at(-1)?.node;
      if (above !== undefined) lower(above, low.get(node) as number);
      if (low.get(node) !== order.get(node)) continue;
      const group = open.splice(open.lastIndexOf(node));
      for (const member of group) isOpen.delete(member);
      if (group.length > 1 || [...(edges.get(node) ?? [])].includes(node)) circles.push(group);
    }
  }
  return circles;
}
