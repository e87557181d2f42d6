import { equalBytes } from "../../../core/base/bytes.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import { DecodeError } from "../../../core/move/decode-error.ts";
import { TABLE_INDEX_MAX } from "../../../core/move/module/cursor.ts";
import { IMMEDIATE_BYTES, MASK, OPERAND, OPERAND_KINDS, operand } from "../../../core/move/module/opcodes.ts";
import type { Reference } from "../../../core/move/module/references.ts";
import { isSameModule } from "../../../core/move/module-id.ts";
import { formatMoveType } from "../../../core/move/types/format-type.ts";
import type { MoveType } from "../../../core/move/types/make-type.ts";

/** Characters of the types that one comparison may look at: real modules have some thousands, hostile ones gigabytes. */
const TYPES_SIZE_MAX = 16 * 1024 * 1024;

/**
 * Compares functions of one module with those of another by what their instructions name. Rows are compared once, and lists of types by
 * number, so that each is spelled out once. Its methods throw `DecodeError` when the types are too large.
 */
export class CodeComparison {
  private readonly numbers = new Map<string, number>();
  private readonly known = new Map<readonly MoveType[], number>();
  /** By kind, for each row of the one module the row of the other that is the same. */
  private readonly sameRows: readonly Map<number, number>[] = Array.from({ length: OPERAND_KINDS }, () => new Map());
  private size = 0;

  isSameFunction(a: FunctionCode, b: FunctionCode): boolean {
    if (a.length !== b.length || a.locals.length !== b.locals.length) return false;
    const [old, now] = [a.open(), b.open()];
    for (let i = 0; i < a.length; i++) {
      const opcode = old.u8();
      if (opcode !== now.u8()) return false;
      const kind = OPERAND[opcode] as number;
      if (kind !== operand.none) {
        const was = old.uleb(TABLE_INDEX_MAX);
        const is = now.uleb(TABLE_INDEX_MAX);
        const isNumber = kind === operand.offset || kind === operand.local;
        if (isNumber ? was !== is : !this.isSameRow(kind, was, is, a, b)) return false;
      }
      const bytes = IMMEDIATE_BYTES[opcode] as number;
      if (bytes === MASK && old.u64() !== now.u64()) return false;
      for (let n = 0; bytes !== MASK && n < bytes; n++) if (old.u8() !== now.u8()) return false;
    }
    return this.isSameTypes(a.locals, b.locals);
  }

  private isSameRow(kind: number, was: number, is: number, a: FunctionCode, b: FunctionCode): boolean {
    const same = this.sameRows[kind];
    if (same?.get(was) === is) return true;
    const isSame = this.isSameReference(a.rows[kind]?.[was] as Reference, b.rows[kind]?.[is] as Reference);
    if (isSame) same?.set(was, is);
    return isSame;
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
