import type { Address } from "../address.ts";
import { DecodeError } from "../decode-error.ts";
import type { ModuleId } from "../module-id.ts";
import { Cursor, MODULE_SIZE_MAX } from "./cursor.ts";
import { readStructDefinitions, type StructDefinition } from "./definitions.ts";
import { type FunctionDefinition, readFunctionDefinitions } from "./functions.ts";
import { type FunctionHandle, readFunctionHandles, readStructHandles, type Signature, type StructHandle } from "./handles.ts";
import { type MetadataEntry, readAddresses, readIdentifiers, readMetadataEntries, readModuleIds } from "./pools.ts";
import { type References, readReferences } from "./references.ts";
import { openTable, readKnownVersion, readLayout, readRows, table } from "./tables.ts";
import { TypeReader } from "./type-reader.ts";

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

  // Each table is read after those that it points into.
  const identifiers = readIdentifiers(open(table.identifiers), version);
  const addresses: readonly Address[] = readAddresses(open(table.addresses));
  const modules = readModuleIds(open(table.moduleHandles), { addresses, identifiers });
  const self = new Cursor(bytes, layout.contentEnd).pick(modules, "module handles");
  const pools = { version, identifiers, modules };
  const structHandles = readStructHandles(open(table.structHandles), pools);
  const types = new TypeReader(structHandles, version);
  const signatures = readRows(open(table.signatures), types, readSignature);
  const functionHandles = readFunctionHandles(open(table.functionHandles), { ...pools, signatures });
  const structs = readStructDefinitions(open(table.structDefinitions), { version, structHandles, identifiers, types });

  const references = readReferences(open, { structs, functionHandles, signatures, types });
  return {
    version,
    self,
    modules,
    friends: readModuleIds(open(table.friends), { addresses, identifiers }),
    structs,
    functions: readFunctionDefinitions(open(table.functionDefinitions), { version, functionHandles, structs, signatures, references }),
    structHandles,
    functionHandles,
    signatures,
    metadata: readMetadataEntries(open(table.metadata)),
    references,
  };
}

function readSignature(cursor: Cursor, types: TypeReader): Signature {
  return types.readSignature(cursor);
}
