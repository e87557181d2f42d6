import { DecodeError } from "../decode-error.ts";
import type { ModuleId } from "../module-id.ts";
import { Cursor, MODULE_SIZE_MAX } from "./cursor.ts";
import { readStructDefinition, type StructDefinition } from "./definitions.ts";
import { type FunctionDefinition, readFunctionDefinition } from "./functions.ts";
import { type FunctionHandle, readFunctionHandle, readStructHandle, type Signature, type StructHandle } from "./handles.ts";
import { type References, readReferences } from "./references.ts";
import {
  type MetadataEntry,
  openTable,
  readAddress,
  readIdentifiers,
  readKnownVersion,
  readLayout,
  readMetadataEntry,
  readModuleId,
  readRows,
  table,
} from "./tables.ts";
import { readSignature, TypeReader } from "./type-reader.ts";

/** A decoded module, with all references between its tables resolved. */
export type CompiledModule = {
  readonly version: number;
  readonly self: ModuleId;
  /** Every module that the bytes refer to, including the module itself. */
  readonly modules: readonly ModuleId[];
  readonly friends: readonly ModuleId[];
  readonly structs: readonly StructDefinition[];
  readonly functions: readonly FunctionDefinition[];
  /** Every struct and function that the bytes refer to, including the module's own. */
  readonly structHandles: readonly StructHandle[];
  readonly functionHandles: readonly FunctionHandle[];
  /** Lists of types that functions, instructions and instantiations refer to. */
  readonly signatures: readonly Signature[];
  readonly metadata: readonly MetadataEntry[];
  /** What instructions refer to. */
  readonly references: References;
};

/** What was read last: a comparison asks for each of its two sides several times. */
let lately: readonly (readonly [Uint8Array, CompiledModule])[] = [];

/**
 * Reads a module's bytecode, versions 1 to 10, as strictly as the node; bytes after the module are ignored. `metadata` are views
 * of `bytes`. Throws only `DecodeError`. Source: aptos-core `third_party/move/move-binary-format/src/deserializer.rs`,
 * `check_bounds.rs`.
 */
export function parseModule(bytes: Uint8Array): CompiledModule {
  const known = lately.find(([of]) => of === bytes)?.[1];
  if (known !== undefined) return known;
  const module = readModule(bytes);
  lately = [[bytes, module], ...lately.slice(0, 1)];
  return module;
}

function readModule(bytes: Uint8Array): CompiledModule {
  const header = new Cursor(bytes);
  const version = readKnownVersion(header);
  if (bytes.length > MODULE_SIZE_MAX)
    throw new DecodeError("limit", `${bytes.length} bytes, and a module has at most ${MODULE_SIZE_MAX}`, 0);
  const layout = readLayout(header, version);
  const open = (kind: number): Cursor => openTable(bytes, layout, kind);
  const rowsOf = <T, Given>(kind: number, given: Given, read: (cursor: Cursor, given: Given, row: number) => T): T[] =>
    readRows(open(kind), given, read);

  // Each table is read after those that it points into.
  const identifiers = readIdentifiers(open(table.identifiers), version);
  const addresses = rowsOf(table.addresses, undefined, readAddress);
  const modules = rowsOf(table.moduleHandles, { addresses, identifiers }, readModuleId);
  const self = new Cursor(bytes, layout.contentEnd).pick(modules, "module handles");
  const pools = { version, identifiers, modules };
  const structHandles = rowsOf(table.structHandles, pools, readStructHandle);
  const types = new TypeReader(structHandles, version);
  const signatures = rowsOf(table.signatures, types, readSignature);
  const functionHandles = rowsOf(table.functionHandles, { ...pools, signatures }, readFunctionHandle);
  const structs = rowsOf(table.structDefinitions, { version, structHandles, identifiers, types }, readStructDefinition);
  const references = readReferences(open, { structs, functionHandles, signatures, types });
  const callers = new Array<number>(functionHandles.length).fill(0);
  const tables = { version, functionHandles, structs, signatures, references, callers };
  return {
    version,
    self,
    modules,
    friends: rowsOf(table.friends, { addresses, identifiers }, readModuleId),
    structs,
    functions: rowsOf(table.functionDefinitions, tables, readFunctionDefinition),
    structHandles,
    functionHandles,
    signatures,
    metadata: rowsOf(table.metadata, undefined, readMetadataEntry),
    references,
  };
}
