import { formatHex } from "../../base/hex.ts";
import { formatModuleId } from "../module-id.ts";
import { formatMoveType } from "../types/format-type.ts";
import type { MoveType } from "../types/types.ts";
import { formatConstant } from "./format-constant.ts";
import type { Instruction } from "./read-code.ts";
import type { Reference } from "./references.ts";

/** The words for an instruction's operands. */
export type OperandWords = {
  /** A local variable, or the instruction that a branch goes to. */
  readonly index: (instruction: Instruction, index: number) => string;
  readonly reference: (reference: Reference) => string;
};

const PLAIN: OperandWords = { index: (_, index) => String(index), reference: formatReference };

/**
 * An instruction on one line with its references resolved: `CallGeneric 0x1::coin::value<T0>`, `LdU64 5`, `MoveLoc 2`.
 * Without `words`, local variables and the targets of branches are shown as their indexes.
 */
export function formatInstruction(instruction: Instruction, words: OperandWords = PLAIN): string {
  const { name, index, value, reference } = instruction;
  const parts = [name];
  if (reference !== undefined) parts.push(words.reference(reference));
  if (index !== undefined) parts.push(words.index(instruction, index));
  if (value !== undefined) parts.push(name.startsWith("PackClosure") ? `captures 0b${value.toString(2)}` : String(value));
  return parts.join(" ");
}

/** What an instruction refers to, with full names: `0x1::coin::Coin<T0>.value`, `0x1::m::Shape::Circle`, `u64 5`. */
export function formatReference(reference: Reference): string {
  switch (reference.kind) {
    case "constant":
      return `${formatMoveType(reference.type)} ${formatConstant(reference.type, reference.bytes) ?? `0x${formatHex(reference.bytes)}`}`;
    case "function":
      return `${formatModuleId(reference.handle.module)}::${reference.handle.name}${formatTypeArguments(reference.typeArguments)}`;
    case "struct":
      return formatOwner(reference);
    case "field": {
      const names = reference.variants.map(({ name }) => name);
      const variants = names.length === 0 ? "" : `::${names.length === 1 ? names[0] : `{${names.join(", ")}}`}`;
      return `${formatOwner(reference)}${variants}.${reference.field.name}`;
    }
    case "variant":
      return `${formatOwner(reference)}::${reference.variant.name}`;
    case "types":
      return reference.types.map(formatMoveType).join(", ");
  }
}

function formatOwner({ struct, typeArguments }: Pick<Extract<Reference, { kind: "struct" }>, "struct" | "typeArguments">): string {
  return `${struct.handle.plain.text}${formatTypeArguments(typeArguments)}`;
}

function formatTypeArguments(types: readonly MoveType[]): string {
  return types.length === 0 ? "" : `<${types.map(formatMoveType).join(", ")}>`;
}
