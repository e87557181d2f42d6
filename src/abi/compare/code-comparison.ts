import { equalBytes } from "../../base/bytes.ts";
import type { FunctionCode, Instruction } from "../../move/code/read-code.ts";
import { DecodeError } from "../../move/decode-error.ts";
import type { Reference } from "../../move/module/references.ts";
import { isSameModule } from "../../move/module-id.ts";
import { formatMoveType } from "../../move/types/format-type.ts";
import type { MoveType } from "../../move/types/make-type.ts";

/** Characters of the types that one comparison may look at: real modules have some thousands, hostile ones gigabytes. */
const TYPES_SIZE_MAX = 16 * 1024 * 1024;

/**
 * Compares functions of two modules by what their instructions name. Lists of types are compared by number, so that each
 * is spelled out once. Its methods throw `DecodeError` when the types are too large.
 */
export class CodeComparison {
  private readonly numbers = new Map<string, number>();
  private readonly known = new Map<readonly MoveType[], number>();
  private size = 0;

  isSameFunction(a: FunctionCode, b: FunctionCode): boolean {
    if (a.instructions.length !== b.instructions.length || a.locals.length !== b.locals.length) return false;
    for (let i = 0; i < a.instructions.length; i++)
      if (!this.isSameInstruction(a.instructions[i] as Instruction, b.instructions[i] as Instruction)) return false;
    return this.isSameTypes(a.locals, b.locals);
  }

  isSameInstruction(a: Instruction, b: Instruction): boolean {
    if (a.opcode !== b.opcode || a.index !== b.index || a.value !== b.value) return false;
    return a.reference === undefined || b.reference === undefined || this.isSameReference(a.reference, b.reference);
  }

  private isSameReference(a: Reference, b: Reference): boolean {
    if (a.kind === "constant") return b.kind === "constant" && equalBytes(a.bytes, b.bytes) && this.isSameTypes([a.type], [b.type]);
    if (a.kind === "types") return b.kind === "types" && this.isSameTypes(a.types, b.types);
    if (b.kind === "constant" || b.kind === "types" || !this.isSameTypes(a.typeArguments, b.typeArguments)) return false;
    if (a.kind === "function")
      return b.kind === "function" && a.handle.name === b.handle.name && isSameModule(a.handle.module, b.handle.module);
    if (b.kind === "function" || a.struct.handle.plain.text !== b.struct.handle.plain.text) return false;
    switch (a.kind) {
      case "struct":
        return b.kind === "struct";
      case "field":
        return b.kind === "field" && a.index === b.index && isSameNames(a.variants, b.variants);
      case "variant":
        return b.kind === "variant" && a.variant.name === b.variant.name;
    }
  }

  isSameTypes(a: readonly MoveType[], b: readonly MoveType[]): boolean {
    return a.length === b.length && (a.length === 0 || this.numberOf(a) === this.numberOf(b));
  }

  private numberOf(types: readonly MoveType[]): number {
    const known = this.known.get(types);
    if (known !== undefined) return known;
    this.size += types.reduce((sum, { text }) => sum + text.length, 0);
    if (this.size > TYPES_SIZE_MAX) throw new DecodeError("limit", `its types have more than ${TYPES_SIZE_MAX} characters`, undefined);
    const text = types.map(formatMoveType).join(";");
    const number = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, number);
    this.known.set(types, number);
    return number;
  }
}

function isSameNames(a: readonly { readonly name: string }[], b: readonly { readonly name: string }[]): boolean {
  return a.length === b.length && a.every(({ name }, i) => name === b[i]?.name);
}
