import { formatHex, textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, formatAddress } from "../address.ts";
import { DecodeError } from "../decode-error.ts";
import { OPERAND, operand } from "../module/opcodes.ts";
import type { Reference } from "../module/references.ts";
import { formatItemId } from "../module-id.ts";
import { formatMoveType } from "../types/format-type.ts";
import type { MoveType } from "../types/make-type.ts";
import type { FunctionCode, Instruction } from "./read-code.ts";

export type Disassembly = {
  /** The local variables after the parameters, the first of which is `loc2` if there are two parameters. */
  readonly locals: readonly { readonly name: string; readonly type: string }[];
  /** The instructions in their order: `MoveLoc arg0`, `BrFalse L6`. */
  readonly instructions: readonly string[];
  /** The instructions that branches go to: the one at index 6 is called `L6`. */
  readonly targets: ReadonlySet<number>;
};

/**
 * Characters of one module in words. The largest real framework module has a quarter of a million; as names are repeated by
 * reference, one that was built for it could have gigabytes.
 */
const DISASSEMBLY_SIZE_MAX = 16 * 1024 * 1024;

/** Puts functions of one module into words. What several instructions name is spelled out once. */
export class Disassembler {
  private readonly references = new Map<Reference, string>();
  private size = 0;

  /** @throws DecodeError (`MOVEDEX_DECODE_LIMIT`) when all functions together become larger than `DISASSEMBLY_SIZE_MAX` */
  disassemble({ definition, locals, instructions }: FunctionCode): Disassembly {
    const params = definition.handle.params.types.length;
    return {
      locals: locals.map((type, i) => {
        this.add(type.text.length);
        return { name: localName(params + i, params), type: formatMoveType(type) };
      }),
      instructions: instructions.map((instruction) => {
        const text = this.format(instruction, params);
        this.add(text.length);
        return text;
      }),
      targets: new Set(instructions.filter(isBranch).map(({ index = 0 }) => index)),
    };
  }

  /** An instruction on one line with its references resolved: `CallGeneric 0x1::coin::value<T0>`, `LdU64 5`, `MoveLoc loc2`. */
  private format(instruction: Instruction, params: number): string {
    const { name, index, value, reference } = instruction;
    const parts = [name];
    if (reference !== undefined) parts.push(this.spellOut(reference));
    if (index !== undefined) parts.push(isBranch(instruction) ? `L${index}` : localName(index, params));
    if (value !== undefined) parts.push(name.startsWith("PackClosure") ? `captures 0b${value.toString(2)}` : String(value));
    return parts.join(" ");
  }

  private spellOut(reference: Reference): string {
    const known = this.references.get(reference);
    if (known !== undefined) return known;
    // Before its types are joined to one text, which may be the largest that there is.
    for (const { text } of typesOf(reference)) this.add(text.length);
    const text = formatReference(reference);
    this.references.set(reference, text);
    return text;
  }

  private add(length: number): void {
    this.size += length;
    if (this.size > DISASSEMBLY_SIZE_MAX)
      throw new DecodeError("limit", `its instructions in words have more than ${DISASSEMBLY_SIZE_MAX} characters`, undefined);
  }
}

/** Whether an instruction's index is the instruction that it goes to, rather than a local variable. */
export function isBranch({ opcode }: Instruction): boolean {
  return OPERAND[opcode] === operand.offset;
}

/** Parameters are the first local variables; bytecode keeps no names of either. */
function localName(index: number, params: number): string {
  return index < params ? `arg${index}` : `loc${index}`;
}

function typesOf(reference: Reference): readonly MoveType[] {
  if (reference.kind === "constant") return [reference.type];
  return reference.kind === "types" ? reference.types : reference.typeArguments;
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
