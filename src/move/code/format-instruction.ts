import { formatHex, textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, formatAddress } from "../address.ts";
import type { Reference } from "../module/references.ts";
import { formatItemId } from "../module-id.ts";
import { formatMoveType } from "../types/format-type.ts";
import type { MoveType } from "../types/types.ts";
import type { Instruction } from "./read-code.ts";

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
      return `${formatItemId(reference.handle)}${formatTypeArguments(reference.typeArguments)}`;
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

/**
 * The value of a constant as a Move literal: `5`, `true`, `@0x1`, `b"text"`, `x"00ff"`. Undefined if the type is another
 * one, or the bytes are not exactly one value of it: the node's reader does not check that either.
 */
function formatConstant(type: MoveType, bytes: Uint8Array): string | undefined {
  if (type.kind === "primitive") return formatPrimitive(type.text, bytes);
  if (type.kind !== "vector" || type.element.text !== "u8") return undefined;
  const content = withoutLength(bytes);
  if (content === undefined) return undefined;
  const isText = content.length > 0 && content.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c);
  return isText ? `b"${textOf(content)}"` : `x"${formatHex(content)}"`;
}

function formatPrimitive(name: string, bytes: Uint8Array): string | undefined {
  if (name === "bool") return bytes.length === 1 && (bytes[0] as number) < 2 ? String(bytes[0] === 1) : undefined;
  if (name === "address") return bytes.length === ADDRESS_BYTES ? `@${formatAddress(bytes)}` : undefined;
  const [, sign, bits] = /^([ui])(\d+)$/.exec(name) ?? [];
  if (bits === undefined || bytes.length !== Number(bits) / 8) return undefined;
  const value = BigInt(`0x${formatHex(bytes.toReversed())}`);
  return String(sign === "i" ? BigInt.asIntN(Number(bits), value) : value);
}

/** The content of a BCS byte vector; undefined unless its length is exactly what follows. */
function withoutLength(bytes: Uint8Array): Uint8Array | undefined {
  let length = 0;
  for (const [i, byte] of bytes.entries()) {
    length += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) return bytes.length === i + 1 + length ? bytes.subarray(i + 1) : undefined;
  }
  return undefined;
}
