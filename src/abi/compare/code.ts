import { equalBytes } from "../../base/bytes.ts";
import { type FunctionCode, type Instruction, readCode } from "../../move/code/read-code.ts";
import type { Reference } from "../../move/code/references.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { Cursor } from "../../move/module/cursor.ts";
import { openTable, readKnownVersion, readLayout, table } from "../../move/module/tables.ts";
import { isSameModule } from "../../move/module-id.ts";
import { formatMoveType } from "../../move/types/format-type.ts";
import type { MoveType } from "../../move/types/types.ts";

/**
 * How the bytes of two modules differ. `metadata`: in the metadata table alone. `encoding`: they declare and execute the
 * same, but the bytecode version, the order of tables or unused rows differ. `code`: functions that both define have other
 * instructions or locals; `functions` are their names, undefined if the instructions could not be read.
 */
export type CodeDifference =
  | { readonly kind: "none" | "metadata" | "encoding" }
  | { readonly kind: "code"; readonly functions: readonly string[] | undefined };

/**
 * Compares what two modules execute. References are compared by what they name, not by their place in a table, so another
 * order of tables or a newer bytecode version is no difference. Never throws.
 *
 * Declarations are not compared: signatures, structs, native functions and functions that only one module has are up to
 * `compareModules`.
 */
export function compareCode(before: Uint8Array, after: Uint8Array): CodeDifference {
  if (equalBytes(before, after)) return { kind: "none" };
  try {
    if (isSameButMetadata(before, after)) return { kind: "metadata" };
    const functions = changedFunctions(before, after);
    return functions.length === 0 ? { kind: "encoding" } : { kind: "code", functions };
  } catch (error) {
    if (error instanceof DecodeError) return { kind: "code", functions: undefined };
    throw error;
  }
}

function isSameButMetadata(before: Uint8Array, after: Uint8Array): boolean {
  const [old, now] = [tablesOf(before), tablesOf(after)];
  return old.length === now.length && old.every((bytes, i) => equalBytes(bytes, now[i] as Uint8Array));
}

/** Everything but the metadata: the version, each table in the order of its kind, and what follows the tables. */
function tablesOf(bytes: Uint8Array): Uint8Array[] {
  const header = new Cursor(bytes);
  const layout = readLayout(header, readKnownVersion(header));
  const contents = layout.tables.map((_, kind) => {
    const { at, end } = openTable(bytes, layout, kind);
    return kind === table.metadata ? new Uint8Array() : bytes.subarray(at, end);
  });
  return [bytes.subarray(0, 8), ...contents, bytes.subarray(layout.contentEnd)];
}

function changedFunctions(before: Uint8Array, after: Uint8Array): string[] {
  const [old, now] = [readCode(before), readCode(after)];
  const codes = new Map(Array.from(old.functions(), (code) => [code.definition.handle.name, code]));
  const compare = new CodeComparison();
  const changed: string[] = [];
  for (const code of now.functions()) {
    const { name } = code.definition.handle;
    const was = codes.get(name);
    if (was === undefined || was.definition.isNative || code.definition.isNative) continue;
    if (!compare.isSameFunction(was, code)) changed.push(name);
  }
  return changed;
}

/** Characters of the types that one comparison may look at: real modules have some thousands, hostile ones gigabytes. */
const TYPES_SIZE_MAX = 16 * 1024 * 1024;

/** Compares functions of two modules. Lists of types are compared by number, so that each is spelled out once. */
class CodeComparison {
  private readonly numbers = new Map<string, number>();
  private readonly known = new WeakMap<readonly MoveType[], number>();
  private size = 0;

  isSameFunction(a: FunctionCode, b: FunctionCode): boolean {
    return (
      this.isSameTypes(a.locals, b.locals) &&
      a.instructions.length === b.instructions.length &&
      a.instructions.every((instruction, i) => this.isSameInstruction(instruction, b.instructions[i] as Instruction))
    );
  }

  private isSameInstruction(a: Instruction, b: Instruction): boolean {
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

  private isSameTypes(a: readonly MoveType[], b: readonly MoveType[]): boolean {
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
