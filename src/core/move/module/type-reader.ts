import type { MoveType } from "../types/make-type.ts";
import { abilitiesOf, functionType, parameterType, primitiveType, referenceType, structType, vectorType } from "../types/make-type.ts";
import type { Cursor } from "./cursor.ts";
import { SIGNATURE_SIZE_MAX, TYPE_DEPTH_MAX, TYPE_PARAMETER_COUNT_MAX, TYPE_PARAMETER_INDEX_MAX } from "./cursor.ts";
import type { Signature, StructHandle } from "./handles.ts";

const NO_TYPES: Signature = { types: [], parametersUsed: 0, textLength: 0 };

const VECTOR = 0x0a;
const REFERENCE = 0x06;
const MUTABLE_REFERENCE = 0x07;
const STRUCT = 0x08;
const TYPE_PARAMETER = 0x09;
const STRUCT_INSTANTIATION = 0x0b;
const FUNCTION = 0x10;

/** The types without parts, by their byte, and the version that brought each. Source: `SerializedType` in file_format_common.rs. */
const PRIMITIVES: readonly (readonly [byte: number, name: string, since: number])[] = [
  [0x01, "bool", 1],
  [0x02, "u8", 1],
  [0x03, "u64", 1],
  [0x04, "u128", 1],
  [0x05, "address", 1],
  [0x0c, "signer", 1],
  [0x0d, "u16", 6],
  [0x0e, "u32", 6],
  [0x0f, "u256", 6],
  [0x11, "i8", 9],
  [0x12, "i16", 9],
  [0x13, "i32", 9],
  [0x14, "i64", 9],
  [0x15, "i128", 9],
  [0x16, "i256", 9],
];

const primitives: readonly (MoveType | undefined)[] = Array.from({ length: 0x17 }, (_, byte) => {
  const row = PRIMITIVES.find(([known]) => known === byte);
  return row && primitiveType(row[1]);
});
const primitivesSince = Uint8Array.from({ length: 0x17 }, (_, byte) => PRIMITIVES.find(([known]) => known === byte)?.[2] ?? 0);

/**
 * Reads types out of a module's bytes, with the module's struct handles at hand, and checks on the way all that the
 * node's bounds checker demands of a type. Source: `load_signature_token` in deserializer.rs, `check_type` in check_bounds.rs.
 */
export class TypeReader {
  /** How many type parameters the types read since this was last set to 0 presuppose. */
  parametersUsed = 0;
  private readonly structs: readonly StructHandle[];
  private readonly version: number;

  constructor(structs: readonly StructHandle[], version: number) {
    this.structs = structs;
    this.version = version;
  }

  /** `depth` counts this type and those it is a part of; recursion is safe since the depth is bounded. */
  read(cursor: Cursor, depth = 1): MoveType {
    const at = cursor.at;
    const byte = cursor.u8();
    const primitive = primitives[byte];
    if (primitive) {
      if ((primitivesSince[byte] as number) > this.version) {
        cursor.fail(`type ${primitive.text} does not exist in bytecode version ${this.version}`, at);
      }
      return primitive;
    }
    switch (byte) {
      case STRUCT: {
        const handle = cursor.pick(this.structs, "struct handles");
        if (handle.typeParams.length > 0)
          cursor.fail(`${handle.plain.text} needs ${handle.typeParams.length} type arguments and has none`, at);
        return handle.plain;
      }
      case TYPE_PARAMETER: {
        const index = cursor.uleb(TYPE_PARAMETER_INDEX_MAX);
        if (index >= this.parametersUsed) this.parametersUsed = index + 1;
        return parameterType(index);
      }
      case VECTOR:
        return vectorType(this.part(cursor, depth));
      case REFERENCE:
        return referenceType(false, this.part(cursor, depth));
      case MUTABLE_REFERENCE:
        return referenceType(true, this.part(cursor, depth));
      case STRUCT_INSTANTIATION: {
        const handle = cursor.pick(this.structs, "struct handles");
        const count = cursor.uleb(TYPE_PARAMETER_COUNT_MAX);
        if (count === 0) cursor.fail("an instantiated struct without type arguments", at);
        if (count !== handle.typeParams.length) {
          cursor.fail(`${handle.plain.text} needs ${handle.typeParams.length} type arguments and has ${count}`, at);
        }
        return structType(handle.plain, this.parts(cursor, depth, count));
      }
      case FUNCTION:
        return this.readFunction(cursor, at, depth);
      default:
        return cursor.fail(`type 0x${byte.toString(16)} does not exist`, at);
    }
  }

  private readFunction(cursor: Cursor, at: number, depth: number): MoveType {
    if (this.version < 8) cursor.fail(`function types do not exist in bytecode version ${this.version}`, at);
    const abilities = abilitiesOf(cursor.uleb(15));
    const paramCount = cursor.uleb(TYPE_PARAMETER_COUNT_MAX);
    const resultCount = cursor.uleb(TYPE_PARAMETER_COUNT_MAX);
    const params = this.parts(cursor, depth, paramCount);
    return functionType(abilities, params, this.parts(cursor, depth, resultCount));
  }

  private part(cursor: Cursor, depth: number): MoveType {
    if (depth >= TYPE_DEPTH_MAX) cursor.fail(`a type nested more than ${TYPE_DEPTH_MAX} deep`);
    return this.read(cursor, depth + 1);
  }

  private parts(cursor: Cursor, depth: number, count: number): readonly MoveType[] {
    const parts = new Array<MoveType>(count);
    for (let i = 0; i < count; i++) parts[i] = this.part(cursor, depth);
    return parts;
  }
}

export function readSignature(cursor: Cursor, reader: TypeReader): Signature {
  const count = cursor.uleb(SIGNATURE_SIZE_MAX);
  reader.parametersUsed = 0;
  if (count === 0) return NO_TYPES;
  // Of its size from the start: a list that grows begins with room for 17.
  const types = new Array<MoveType>(count);
  let textLength = 0;
  for (let i = 0; i < count; i++) {
    const type = reader.read(cursor);
    types[i] = type;
    textLength += type.text.length;
  }
  return { types, parametersUsed: reader.parametersUsed, textLength };
}
