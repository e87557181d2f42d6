import { formatItemId } from "../module-id.ts";
import type { MoveType, StructType } from "./make-type.ts";

/**
 * A type as Move source spells it. Function types differ from the node's spelling (`text`): they have abilities, blanks, and
 * parentheses where needed: `|u64, (|bool|)|(u8, address) has copy + drop`.
 */
export function formatMoveType(type: MoveType): string {
  return type.text.includes("|") ? formatMoveTypeAs(type, formatItemId) : type.text;
}

/** The same with struct names from `nameOf`, as source code writes them after `use` lines: `Coin<T0>`. */
export function formatMoveTypeAs(type: MoveType, nameOf: (struct: StructType) => string): string {
  switch (type.kind) {
    case "vector":
      return `vector<${formatMoveTypeAs(type.element, nameOf)}>`;
    case "reference":
      return `${type.mutable ? "&mut " : "&"}${formatInner(type.target, nameOf)}`;
    case "struct":
      return formatStruct(type, nameOf);
    case "function": {
      const results = formatList(type.results, nameOf);
      const abilities = type.abilities.length === 0 ? "" : ` has ${type.abilities.join(" + ")}`;
      return `|${formatList(type.params, nameOf)}|${type.results.length > 1 ? `(${results})` : results}${abilities}`;
    }
    default:
      return type.text;
  }
}

function formatStruct(type: StructType, nameOf: (struct: StructType) => string): string {
  if (type.typeArguments.length === 0) return nameOf(type);
  return `${nameOf(type)}<${type.typeArguments.map((argument) => formatMoveTypeAs(argument, nameOf)).join(", ")}>`;
}

function formatList(types: readonly MoveType[], nameOf: (struct: StructType) => string): string {
  return types.map((type) => formatInner(type, nameOf)).join(", ");
}

function formatInner(type: MoveType, nameOf: (struct: StructType) => string): string {
  const text = formatMoveTypeAs(type, nameOf);
  return type.kind === "function" ? `(${text})` : text;
}

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
