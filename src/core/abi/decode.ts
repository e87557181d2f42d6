import { parseHex } from "../base/bytes.ts";
import { DecodeError } from "../move/decode-error.ts";
import type { StructDefinition } from "../move/module/definitions.ts";
import type { FunctionDefinition } from "../move/module/functions.ts";
import type { FunctionMark } from "../move/module/handles.ts";
import { type Attribute, type Compilation, type ModuleMetadata, readCompilation, readMetadata } from "../move/module/metadata.ts";
import { type CompiledModule, parseModule } from "../move/module/module.ts";
import { isSameModule, type ModuleId } from "../move/module-id.ts";
import {
  allFields,
  attributeKinds,
  type ErrorCodeAbi,
  type FunctionAbi,
  isViewAttribute,
  type ModuleAbi,
  type StructAbi,
} from "./model.ts";

/**
 * How large an interface may be, in characters of its names and types plus `PART` for each part. Bytecode repeats names by
 * reference: without a limit 64 KiB could become gigabytes. The largest real module has 17,998.
 */
export const INTERFACE_SIZE_MAX = 4 * 1024 * 1024;

const NONE: readonly never[] = [];

/** Added for each name, type, type parameter or attribute, besides its characters. */
const PART = 8;

/** Adds up the size of an interface. @throws DecodeError (`MOVEDEX_DECODE_LIMIT`) above `INTERFACE_SIZE_MAX` */
class InterfaceSize {
  private size = 0;

  addFunction({ handle, acquires }: FunctionDefinition, attributes: readonly Attribute[]): void {
    const { name, params, returns, typeParams } = handle;
    this.add(PART * (1 + params.types.length + returns.types.length + typeParams.length));
    this.add(name.length + params.textLength + returns.textLength);
    for (const struct of acquires) this.add(PART + struct.handle.plain.name.length);
    this.addAttributes(attributes);
  }

  addStruct({ handle, fields, variants }: StructDefinition, attributes: readonly Attribute[]): void {
    this.add(PART * (1 + handle.typeParams.length) + handle.plain.name.length);
    for (const { name } of variants) this.add(PART + name.length);
    this.addAttributes(attributes);
    for (const { name, type } of allFields({ fields, variants })) this.add(PART + name.length + type.text.length);
  }

  addModules(modules: readonly ModuleId[]): void {
    for (const { address, name } of modules) this.add(PART + address.length + name.length);
  }

  private addAttributes(attributes: readonly Attribute[]): void {
    for (const { args } of attributes) {
      this.add(PART);
      for (const text of args) this.add(PART + text.length);
    }
  }

  private add(size: number): void {
    this.size += size;
    if (this.size > INTERFACE_SIZE_MAX) {
      throw new DecodeError("limit", `its interface has more than ${INTERFACE_SIZE_MAX} characters`, undefined);
    }
  }
}

/** A compiled module: the bytes of a `.mv` file, or a module as a node answers it in JSON. */
export type ModuleSource = Uint8Array | { readonly bytecode: string };

/** The bytes of a module. @throws DecodeError when the JSON holds no hex text */
export function bytesOf(source: ModuleSource): Uint8Array {
  if (source instanceof Uint8Array) return source;
  const bytes = typeof source.bytecode === "string" ? parseHex(source.bytecode) : undefined;
  if (bytes === undefined) throw new DecodeError("malformed", "the bytecode is not hex text", 0);
  return bytes;
}

export type DecodedModule = {
  /** 1 to 10. */
  readonly bytecodeVersion: number;
  readonly abi: ModuleAbi;
  /** Function attributes of the bytecode itself, as opposed to the metadata, by function name; functions without any are left out. */
  readonly functionMarks: ReadonlyMap<string, readonly FunctionMark[]>;
  /** The compiler that built the module, if its metadata names one. */
  readonly compilation: Compilation | undefined;
};

/**
 * Decodes a module's bytecode, versions 1 to 10, into its ABI. No bytes cause another error. @throws DecodeError with the byte
 * offset: `MOVEDEX_DECODE_MALFORMED`, `MOVEDEX_DECODE_UNSUPPORTED_VERSION`, `MOVEDEX_DECODE_LIMIT`
 */
export function decodeModule(bytes: Uint8Array): DecodedModule {
  const module = parseModule(bytes);
  return {
    bytecodeVersion: module.version,
    abi: moduleAbi(module),
    functionMarks: new Map(
      module.functions.filter(({ handle }) => handle.marks.length > 0).map(({ handle }) => [handle.name, handle.marks] as const),
    ),
    compilation: readCompilation(module.metadata),
  };
}

/** The ABI of a module whose tables have been read. @throws DecodeError `MOVEDEX_DECODE_LIMIT` */
export function moduleAbi(module: CompiledModule): ModuleAbi {
  const metadata = readMetadata(module.metadata, module.version);
  const { address, name } = module.self;
  const size = new InterfaceSize();
  size.addModules(module.friends);
  size.addModules(module.modules);
  return {
    address,
    name,
    friends: module.friends,
    dependencies: module.modules.filter((id) => !isSameModule(id, module.self)),
    functions: module.functions.map((definition) => functionAbi(definition, metadata, size)),
    structs: module.structs.map((definition) => structAbi(definition, metadata, size)),
    errors: errorCodes(metadata),
  };
}

function functionAbi(definition: FunctionDefinition, metadata: ModuleMetadata, size: InterfaceSize): FunctionAbi {
  const { handle } = definition;
  const attributes = attributesIn(metadata.functionAttributes, handle.name);
  size.addFunction(definition, attributes);
  return {
    name: handle.name,
    visibility: definition.visibility,
    isEntry: definition.isEntry,
    isView: attributes.some(isViewAttribute),
    isNative: definition.isNative,
    typeParams: handle.typeParams,
    params: handle.params.types,
    returns: handle.returns.types,
    acquires: definition.acquires.length === 0 ? NONE : definition.acquires.map((struct) => struct.handle.plain.name),
    attributes,
  };
}

function structAbi(definition: StructDefinition, metadata: ModuleMetadata, size: InterfaceSize): StructAbi {
  const { name } = definition.handle.plain;
  const attributes = attributesIn(metadata.structAttributes, name);
  size.addStruct(definition, attributes);
  return {
    name,
    isNative: definition.kind === "native",
    isEvent: attributes.some(({ kind }) => kind === attributeKinds.event),
    isEnum: definition.kind === "enum",
    abilities: definition.handle.abilities,
    typeParams: definition.handle.typeParams,
    fields: definition.fields,
    variants: definition.variants,
    attributes,
  };
}

function errorCodes(metadata: ModuleMetadata): readonly ErrorCodeAbi[] {
  return Array.from(metadata.errors, ([code, { code_name, code_description }]) => ({
    code,
    name: withoutNul(code_name),
    description: withoutNul(code_description),
  }));
}

function attributesIn(of: ModuleMetadata["functionAttributes"], name: string): readonly Attribute[] {
  return of.get(name)?.map(({ kind, args }) => ({ kind, args: args.map(withoutNul) })) ?? NONE;
}

/** Anybody's text, with a picture for U+0000: PostgreSQL keeps no text that has it, and SQLite's functions end at it. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\u2400");
}
