/**
 * The groups of names that reach each other, from `roots` on, each behind those that it reaches: a name that does not reach itself is a
 * group alone.
 */
export function components(roots: Iterable<string>, next: (name: string) => readonly string[]): string[][] {
  const found: string[][] = [];
  const places = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  const enter = (name: string): { name: string; rest: string[] } => {
    places.set(name, places.size);
    lowest.set(name, places.get(name) as number);
    open.push(name);
    isOpen.add(name);
    return { name, rest: [...next(name)] };
  };
  const lower = (name: string, to: number): void => void lowest.set(name, Math.min(lowest.get(name) as number, to));
  for (const root of roots) {
    const path = places.has(root) ? [] : [enter(root)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const { name, rest } = at;
      const to = rest.pop();
      if (to !== undefined) {
        if (!places.has(to)) path.push(enter(to));
        else if (isOpen.has(to)) lower(name, places.get(to) as number);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) lower(above.name, lowest.get(name) as number);
      if (lowest.get(name) !== places.get(name)) continue;
      const group = open.splice(open.lastIndexOf(name));
      for (const member of group) isOpen.delete(member);
      found.push(group);
    }
  }
  return found;
}
