import type { StructType } from "./make-type.ts";
import type { MoveType } from "./types.ts";

/**
 * A type as Move source spells it. Function types differ from the node's spelling (`text`): they have abilities, blanks, and
 * parentheses where needed: `|u64, (|bool|)|(u8, address) has copy + drop`.
 */
export function formatMoveType(type: MoveType): string {
  return type.text.includes("|") ? formatMoveTypeAs(type, fullName) : type.text;
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

function fullName({ module, name }: StructType): string {
  return `${module.address}::${module.name}::${name}`;
}
