import type { ModuleId, MoveType } from "../../move/types/types.ts";

/**
 * Every struct that types mention, in no order that matters; parts that types share are looked at once. Depth is bounded
 * where types are read, not by the stack here.
 */
export function structsIn(types: Iterable<MoveType>): { readonly module: ModuleId; readonly name: string }[] {
  const found: { readonly module: ModuleId; readonly name: string }[] = [];
  const seen = new Set<MoveType>();
  const rest = [...types];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next.kind === "primitive" || seen.has(next)) continue;
    seen.add(next);
    switch (next.kind) {
      case "vector":
        rest.push(next.element);
        break;
      case "reference":
        rest.push(next.target);
        break;
      case "struct":
        found.push(next);
        rest.push(...next.typeArguments);
        break;
      case "function":
        rest.push(...next.params, ...next.results);
        break;
    }
  }
  return found;
}
