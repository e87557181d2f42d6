import type { StructType } from "./make-type.ts";
import type { MoveType } from "./types.ts";

/** The types that a type is made of directly. */
export function partsOf(type: MoveType): readonly MoveType[] {
  switch (type.kind) {
    case "vector":
      return [type.element];
    case "reference":
      return [type.target];
    case "struct":
      return type.typeArguments;
    case "function":
      return [...type.params, ...type.results];
    default:
      return [];
  }
}

/**
 * Every struct that types mention, in no order that matters; parts that types share are looked at once. Depth is bounded
 * where types are read, not by the stack here.
 */
export function structsIn(types: Iterable<MoveType>): StructType[] {
  const found: StructType[] = [];
  const seen = new Set<MoveType>();
  const rest = [...types];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    if (next.kind === "primitive" || seen.has(next)) continue;
    seen.add(next);
    if (next.kind === "struct") found.push(next);
    rest.push(...partsOf(next));
  }
  return found;
}

/** The same of one type; most are a struct without arguments, or a reference to one. */
export function structsInType(type: MoveType): readonly StructType[] {
  const inner = type.kind === "reference" ? type.target : type;
  if (inner.kind === "struct" && inner.typeArguments.length === 0) return [inner];
  return structsIn([type]);
}
