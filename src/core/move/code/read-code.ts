import { Cursor, INSTRUCTION_COUNT_MAX, TABLE_INDEX_MAX } from "../module/cursor.ts";
import type { FunctionDefinition } from "../module/functions.ts";
import type { Signature } from "../module/handles.ts";
import { type CompiledModule, parseModule } from "../module/module.ts";
import { IMMEDIATE_BYTES, MASK, OPCODE_NAMES, OPERAND, operand } from "../module/opcodes.ts";
import type { Reference } from "../module/references.ts";
import type { MoveType } from "../types/make-type.ts";

/** One instruction. Which members are present depends on the opcode; see `OPERAND` and `IMMEDIATE_BYTES`. */
export type Instruction = {
  readonly opcode: number;
  /** Its name in the VM's sources, such as `CallGeneric`. */
  readonly name: string;
  /** A local variable, parameters first; or the instruction that a branch goes to. */
  readonly index: number | undefined;
  /** A literal, the number of a vector's elements, or the mask of a closure's captured arguments. */
  readonly value: bigint | undefined;
  readonly reference: Reference | undefined;
};

/** The code of one function. Native functions have none. Instructions are read when they are asked for, most are only compared. */
export class FunctionCode {
  readonly definition: FunctionDefinition;
  /** The types of the local variables after the parameters. */
  readonly locals: readonly MoveType[];
  /** How many instructions it has. */
  readonly length: number;
  /** What they name, by `operand` and index of the row. */
  readonly rows: readonly (readonly Reference[])[];
  private readonly bytes: Uint8Array;
  private readonly begin: number;
  private read: readonly Instruction[] | undefined;

  constructor(bytes: Uint8Array, { signatures, references }: CompiledModule, definition: FunctionDefinition) {
    const cursor = new Cursor(bytes, definition.codeAt);
    this.definition = definition;
    this.rows = references.rows;
    this.locals = definition.isNative ? [] : (signatures[cursor.uleb(TABLE_INDEX_MAX)] as Signature).types;
    this.length = definition.isNative ? 0 : cursor.uleb(INSTRUCTION_COUNT_MAX);
    this.bytes = bytes;
    this.begin = cursor.at;
  }

  /** A cursor at the first instruction. */
  open(): Cursor {
    return new Cursor(this.bytes, this.begin);
  }

  /** The instruction that begins at an offset of the module's bytes. */
  instructionAt(offset: number): Instruction {
    return readInstruction(new Cursor(this.bytes, offset), this.rows);
  }

  get instructions(): readonly Instruction[] {
    if (this.read !== undefined) return this.read;
    const cursor = this.open();
    const instructions: Instruction[] = [];
    for (let i = 0; i < this.length; i++) instructions.push(readInstruction(cursor, this.rows));
    this.read = instructions;
    return instructions;
  }
}

/** A module with its code. Functions are decoded one at a time, in the order of their definitions. */
export type ModuleCode = { readonly module: CompiledModule; readonly functions: () => Generator<FunctionCode> };

/** Reads a module with its code, versions 1 to 10. Constants are views of `bytes`. @throws DecodeError, from this call only */
export function parseCode(bytes: Uint8Array): ModuleCode {
  const module = parseModule(bytes);
  return { module, functions: () => functionsOf(bytes, module) };
}

/** No closure: by the hidden class of one, V8 would keep the module until it collects the old generation. */
function* functionsOf(bytes: Uint8Array, module: CompiledModule): Generator<FunctionCode> {
  for (const definition of module.functions) yield new FunctionCode(bytes, module, definition);
}

/** The code of a module's functions by their names. @throws DecodeError */
export function readFunctions(bytes: Uint8Array): ReadonlyMap<string, FunctionCode> {
  return new Map(Array.from(parseCode(bytes).functions(), (code) => [code.definition.handle.name, code]));
}

/** All members are there, undefined or not: objects of one shape are read several times as fast. */
function readInstruction(cursor: Cursor, rows: FunctionCode["rows"]): Instruction {
  const opcode = cursor.u8();
  const name = OPCODE_NAMES[opcode] as string;
  const kind = OPERAND[opcode] as number;
  const bytes = IMMEDIATE_BYTES[opcode] as number;
  const row = kind === operand.none ? undefined : cursor.uleb(TABLE_INDEX_MAX);
  const value = bytes === 0 ? undefined : bytes === MASK ? cursor.u64() : readLiteral(cursor, bytes, name);
  const isIndex = kind === operand.offset || kind === operand.local;
  const reference = row === undefined || isIndex ? undefined : (rows[kind]?.[row] as Reference);
  return { opcode, name, index: isIndex ? row : undefined, value, reference };
}

/** A little-endian integer of `size` bytes; the operands of `LdI8` to `LdI256` are signed. */
function readLiteral(cursor: Cursor, size: number, name: string): bigint {
  const at = cursor.skip(size);
  let value = 0n;
  for (let i = at + size - 1; i >= at; i--) value = (value << 8n) | BigInt(cursor.bytes[i] as number);
  return name.startsWith("LdI") ? BigInt.asIntN(size * 8, value) : value;
}
