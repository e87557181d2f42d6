import { type DecodedModule, decodeModule } from "../../core/abi/decode.ts";
import type { FieldAbi, FunctionAbi, StructAbi, TypeParameterAbi } from "../../core/abi/model.ts";
import { formatNodeAbi } from "../../core/abi/node-json/format.ts";
import { printable } from "../../core/base/printable.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { Io } from "../../core/cli/io.ts";
import { FILE_SIZE_MAX, readModuleBytes } from "../../core/cli/options/module-file.ts";
import { ConfigError } from "../../core/errors.ts";
import { DecodeError } from "../../core/move/decode-error.ts";
import { isScript, readBytecodeVersion } from "../../core/move/module/self-id.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { formatMoveType } from "../../core/move/types/format-type.ts";
import type { Ability } from "../../core/move/types/make-type.ts";
import { bytecodesIn } from "./read-modules.ts";

/** Decodes the modules of one file, or of stdin for `-`: a line for each. Whatever the file is, it gives a line and throws nothing. */
export async function decodeFile(io: Pick<Io, "stdin">, file: string, full: boolean) {
  let input: Uint8Array;
  try {
    input = file === "-" ? await readStdin(io) : readModuleBytes(file);
  } catch (error) {
    const message = printable((error as Error).message);
    return [{ file, sha256: null, error: { code: "MOVEDEX_FILE_UNREADABLE", offset: null, message } }];
  }
  return bytecodesIn(input).map((bytes) => ({ file, ...decodeBytes(bytes, full) }));
}

function decodeBytes(bytes: Uint8Array, full: boolean) {
  const sha256 = sha256Hex(bytes);
  if (isScript(bytes)) return { sha256, bytecode_version: readBytecodeVersion(bytes), error: SCRIPT };
  try {
    const decoded = decodeModule(bytes);
    const line = { sha256, bytecode_version: decoded.bytecodeVersion, abi: formatNodeAbi(decoded.abi) };
    return full ? { ...line, module: formatFullModule(decoded) } : line;
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const version = readBytecodeVersion(bytes);
    const { code, offset, message } = error;
    return {
      sha256,
      ...(version === undefined ? {} : { bytecode_version: version }),
      error: { code, offset, message: version === undefined ? `${message}. ${WANTED}` : message },
    };
  }
}

const WANTED = "It is neither bytecode nor hex, base64 or a node's JSON of modules";
const SCRIPT = { code: "MOVEDEX_DECODE_MALFORMED", offset: 0, message: "it is a script, not a module; a script has no ABI" };

async function readStdin(io: Pick<Io, "stdin">): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin()) {
    bytes += chunk.length;
    if (bytes > FILE_SIZE_MAX) throw new ConfigError(`stdin has more than ${FILE_SIZE_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Everything that a module's bytes declare, as plain JSON: the node's ABI and what it leaves out. Types are spelled as in Move
 * source, with the abilities of function types; abort codes are decimal text.
 */
function formatFullModule({ abi, functionMarks, compilation }: DecodedModule): Json {
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
