import type { MoveType } from "./types.ts";

/**
 * A type as Move's source code spells it. It differs from the node's spelling (`text`) in function types alone: those get
 * their abilities, a blank after each comma, and parentheses where there is more than one way to read them:
 * `|u64, (|bool|)|(u8, address) has copy + drop`.
 */
export function formatMoveType(type: MoveType): string {
  switch (type.kind) {
    case "vector":
      return `vector<${formatMoveType(type.element)}>`;
    case "reference":
      return `${type.mutable ? "&mut " : "&"}${formatInner(type.target)}`;
    case "struct":
      if (type.typeArguments.length === 0) return type.text;
      return `${type.module.address}::${type.module.name}::${type.name}<${type.typeArguments.map(formatMoveType).join(", ")}>`;
    case "function": {
      const results = type.results.map(formatInner).join(", ");
      const abilities = type.abilities.length === 0 ? "" : ` has ${type.abilities.join(" + ")}`;
      return `|${type.params.map(formatInner).join(", ")}|${type.results.length > 1 ? `(${results})` : results}${abilities}`;
    }
    default:
      return type.text;
  }
}

function formatInner(type: MoveType): string {
  return type.kind === "function" ? `(${formatMoveType(type)})` : formatMoveType(type);
}
