import type { Address } from "../address.ts";
import { DecodeError } from "../decode-error.ts";
import type { ModuleId } from "../module-id.ts";
import type { CodeBounds } from "./check-code.ts";
import { Cursor, FIELD_OFFSET_MAX, MODULE_SIZE_MAX, VARIANT_COUNT_MAX, VARIANT_OFFSET_MAX } from "./cursor.ts";
import { type FunctionDefinition, readFunctionDefinitions, readStructDefinitions, type StructDefinition } from "./definitions.ts";
import type { Signature } from "./handles.ts";
import { type FunctionHandle, readFunctionHandles, readStructHandles, type StructHandle } from "./handles.ts";
import { OPERAND_KINDS, operand } from "./opcodes.ts";
import { checkConstants, type MetadataEntry, readAddresses, readIdentifiers, readMetadataEntries, readModuleIds } from "./pools.ts";
import { countRows, openTable, readKnownVersion, readLayout, readRows, table } from "./tables.ts";
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
};

/**
 * Reads a module's bytecode, versions 1 to 10, as strictly as the node; bytes after the module are ignored. `metadata` are views
 * of `bytes`. Throws only `DecodeError`. Source: aptos-core `third_party/move/move-binary-format/src/deserializer.rs`,
 * `check_bounds.rs`.
 */
export function parseModule(bytes: Uint8Array): CompiledModule {
  const header = new Cursor(bytes);
  const version = readKnownVersion(header);
  if (bytes.length > MODULE_SIZE_MAX)
    throw new DecodeError("limit", `${bytes.length} bytes, and a module has at most ${MODULE_SIZE_MAX}`, 0);
  const layout = readLayout(header, version);
  const open = (kind: number): Cursor => openTable(bytes, layout, kind);

  // Each table is read after those that it points into.
  const identifiers = readIdentifiers(open(table.identifiers), version);
  const addresses: readonly Address[] = readAddresses(open(table.addresses));
  const modules = readModuleIds(open(table.moduleHandles), addresses, identifiers);
  const self = new Cursor(bytes, layout.contentEnd).pick(modules, "module handles");
  const pools = { version, identifiers, modules };
  const structHandles = readStructHandles(open(table.structHandles), pools);
  const types = new TypeReader(structHandles, version);
  const signatures = readRows(open(table.signatures), (cursor) => types.readSignature(cursor));
  const functionHandles = readFunctionHandles(open(table.functionHandles), pools, signatures);
  const structs = readStructDefinitions(open(table.structDefinitions), version, structHandles, identifiers, types);

  const constants = checkConstants(open(table.constants), types);
  const bounds = readCodeBounds(open, signatures, functionHandles, structs, constants);
  return {
    version,
    self,
    modules,
    friends: readModuleIds(open(table.friends), addresses, identifiers),
    structs,
    functions: readFunctionDefinitions(open(table.functionDefinitions), version, functionHandles, structs, bounds),
    structHandles,
    functionHandles,
    signatures,
    metadata: readMetadataEntries(open(table.metadata)),
  };
}

function readCodeBounds(
  open: (kind: number) => Cursor,
  signatures: readonly Signature[],
  functionHandles: readonly FunctionHandle[],
  structs: readonly StructDefinition[],
  constants: number,
): CodeBounds {
  const counts = new Uint32Array(OPERAND_KINDS);
  const parametersUsed: (readonly number[] | undefined)[] = new Array(OPERAND_KINDS).fill(undefined);
  /**
   * Counts the rows of a table and of that of its instantiations, whose operand is the next one and whose rows are an index into the
   * former and a signature, the type arguments. Returns the indexes.
   */
  const addItems = (kind: number, count: number, instantiations: number, name: string): readonly number[] => {
    const used: number[] = [];
    const instantiated = readRows(open(instantiations), (cursor) => {
      const index = cursor.index(count, name);
      used.push(cursor.pick(signatures, "signatures").parametersUsed);
      return index;
    });
    counts[kind] = count;
    counts[kind + 1] = instantiated.length;
    parametersUsed[kind + 1] = used;
    return instantiated;
  };
  counts[operand.constant] = constants;
  const instantiated = addItems(operand.functionHandle, functionHandles.length, table.functionInstantiations, "function handles");
  addItems(operand.structDefinition, structs.length, table.structInstantiations, "struct definitions");
  const fields = checkFieldHandles(open(table.fieldHandles), structs);
  addItems(operand.fieldHandle, fields, table.fieldInstantiations, "field handles");
  const variantFields = checkVariantFieldHandles(open(table.variantFieldHandles), structs);
  addItems(operand.variantFieldHandle, variantFields, table.variantFieldInstantiations, "variant field handles");
  const variants = checkStructVariantHandles(open(table.structVariantHandles), structs);
  addItems(operand.structVariantHandle, variants, table.structVariantInstantiations, "struct variant handles");
  counts[operand.signature] = signatures.length;
  parametersUsed[operand.signature] = signatures.map((signature) => signature.parametersUsed);
  return {
    signatures,
    counts,
    parametersUsed,
    functionHandles,
    instantiated,
    lastCaller: new Array<number>(functionHandles.length).fill(0),
  };
}

// Tables that only code refers to and that have no part in a module's interface. They are read in order to be as strict as
// the node, and because the operands of code are checked against their lengths. Source: check_bounds.rs.

/** Checks the field handles (a struct and the index of one of its fields) and returns their number. */
function checkFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    const owner = cursor.pick(structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    if (field >= owner.fields.length) cursor.fail(`field ${field} of ${owner.fields.length}`, at);
  });
}

/** Checks the variant field handles (an enum, the index of a field, the variants that have it) and returns their number. */
function checkVariantFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    const owner = cursor.pick(structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    const variants = cursor.uleb(VARIANT_COUNT_MAX);
    if (variants === 0) cursor.fail("a field handle of no variant", at);
    for (let i = 0; i < variants; i++) {
      const fields = readVariant(cursor, owner).fields.length;
      if (field >= fields) cursor.fail(`field ${field} of ${fields}`, at);
    }
  });
}

/** Checks the struct variant handles (an enum and the index of one of its variants) and returns their number. */
function checkStructVariantHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    readVariant(cursor, cursor.pick(structs, "struct definitions"));
  });
}

function readVariant(cursor: Cursor, owner: StructDefinition): StructDefinition["variants"][number] {
  const at = cursor.at;
  const index = cursor.uleb(VARIANT_OFFSET_MAX);
  return owner.variants[index] ?? cursor.fail(`variant ${index} of ${owner.variants.length}`, at);
}
