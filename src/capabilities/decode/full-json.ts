import type { DecodedModule } from "../../core/abi/decode.ts";
import type { FieldAbi, FunctionAbi, StructAbi, TypeParameterAbi } from "../../core/abi/model.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { formatMoveType } from "../../core/move/types/format-type.ts";
import type { Ability } from "../../core/move/types/make-type.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Everything that a module's bytes declare, as plain JSON: the node's ABI and what it leaves out. Types are spelled as in Move
 * source, with the abilities of function types; abort codes are decimal text.
 */
export function formatFullModule({ abi, functionMarks, compilation }: DecodedModule): Json {
  return {
    address: abi.address,
    name: abi.name,
    friends: abi.friends.map(formatModuleId),
    dependencies: abi.dependencies.map(formatModuleId),
    functions: abi.functions.map((fn) => formatFunction(fn, functionMarks.get(fn.name) ?? [])),
    structs: abi.structs.map(formatStruct),
    errors: abi.errors.map(({ code, name, description }) => ({ code: code.toString(), name, description })),
    compilation: compilation ? { ...compilation } : null,
  };
}

function formatFunction(fn: FunctionAbi, marks: readonly { readonly name: string; readonly operand?: number }[]): Json {
  return {
    name: fn.name,
    visibility: fn.visibility,
    is_entry: fn.isEntry,
    is_view: fn.isView,
    is_native: fn.isNative,
    generic_type_params: fn.typeParams.map(formatTypeParameter),
    params: fn.params.map(formatMoveType),
    return: fn.returns.map(formatMoveType),
    acquires: fn.acquires,
    attributes: fn.attributes,
    bytecode_attributes: marks.map(({ name, operand }) => (operand === undefined ? { name } : { name, operand })),
  };
}

function formatStruct(struct: StructAbi): Json {
  return {
    name: struct.name,
    is_native: struct.isNative,
    is_event: struct.isEvent,
    is_enum: struct.isEnum,
    abilities: struct.abilities,
    generic_type_params: struct.typeParams.map(formatTypeParameter),
    fields: struct.fields.map(formatField),
    variants: struct.variants.map(({ name, fields }) => ({ name, fields: fields.map(formatField) })),
    attributes: struct.attributes,
  };
}

function formatTypeParameter({ constraints, isPhantom }: TypeParameterAbi): { constraints: readonly Ability[]; is_phantom: boolean } {
  return { constraints, is_phantom: isPhantom };
}

function formatField({ name, type }: FieldAbi): { name: string; type: string } {
  return { name, type: formatMoveType(type) };
}
