import type { Address } from "../address.ts";
import { DecodeError } from "../decode-error.ts";
import type { ModuleId } from "../types/types.ts";
import { CalledFunctions } from "./called-functions.ts";
import type { CodeBounds } from "./check-code.ts";
import { Cursor } from "./cursor.ts";
import { type FunctionDefinition, readFunctionDefinitions, readStructDefinitions, type StructDefinition } from "./definitions.ts";
import { type FunctionHandle, readFunctionHandles } from "./function-handles.ts";
import { FIELD_OFFSET_MAX, MODULE_SIZE_MAX, VARIANT_COUNT_MAX, VARIANT_OFFSET_MAX } from "./limits.ts";
import { OPERAND_KINDS, operand } from "./opcodes.ts";
import { checkConstants, type MetadataEntry, readAddresses, readIdentifiers, readMetadataEntries, readModuleIds } from "./pools.ts";
import { countRows, readRows } from "./rows.ts";
import { readStructHandles, type StructHandle } from "./struct-handles.ts";
import { pick, readIndex } from "./table-index.ts";
import { openTable, readKnownVersion, readLayout, table } from "./tables.ts";
import { type Signature, TypeReader } from "./type-reader.ts";

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
export function readModule(bytes: Uint8Array): CompiledModule {
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
  const self = modules[readIndex(new Cursor(bytes, layout.contentEnd), modules.length, "module handles")] as ModuleId;
  const pools = { version, identifiers, modules };
  const structHandles = readStructHandles(open(table.structHandles), pools);
  const types = new TypeReader(structHandles, version);
  const signatures = readRows(open(table.signatures), readSignature, types);
  const functionHandles = readFunctionHandles(open(table.functionHandles), pools, signatures);
  const structs = readStructDefinitions(open(table.structDefinitions), version, structHandles, identifiers, types);

  const bounds = readCodeBounds(open, signatures, functionHandles, structs, checkConstants(open(table.constants), types));
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
  const instantiations = (kind: number, tableKind: number, count: number, name: string): readonly number[] => {
    const rows = readInstantiations(open(tableKind), count, name, signatures);
    counts[kind] = rows.of.length;
    parametersUsed[kind] = rows.parametersUsed;
    return rows.of;
  };
  counts[operand.constant] = constants;
  counts[operand.functionHandle] = functionHandles.length;
  const ofFunctions = instantiations(
    operand.functionInstantiation,
    table.functionInstantiations,
    functionHandles.length,
    "function handles",
  );
  counts[operand.structDefinition] = structs.length;
  instantiations(operand.structInstantiation, table.structInstantiations, structs.length, "struct definitions");
  const fields = checkFieldHandles(open(table.fieldHandles), structs);
  counts[operand.fieldHandle] = fields;
  instantiations(operand.fieldInstantiation, table.fieldInstantiations, fields, "field handles");
  const variantFields = checkVariantFieldHandles(open(table.variantFieldHandles), structs);
  counts[operand.variantFieldHandle] = variantFields;
  instantiations(operand.variantFieldInstantiation, table.variantFieldInstantiations, variantFields, "variant field handles");
  const variants = checkStructVariantHandles(open(table.structVariantHandles), structs);
  counts[operand.structVariantHandle] = variants;
  instantiations(operand.structVariantInstantiation, table.structVariantInstantiations, variants, "struct variant handles");
  counts[operand.signature] = signatures.length;
  parametersUsed[operand.signature] = signatures.map(parametersUsedBy);
  return { signatures, counts, parametersUsed, called: new CalledFunctions(functionHandles, ofFunctions) };
}

function readSignature(cursor: Cursor, types: TypeReader): Signature {
  return types.readSignature(cursor);
}

function parametersUsedBy({ parametersUsed }: Signature): number {
  return parametersUsed;
}

// Tables that only code refers to and that have no part in a module's interface. They are read in order to be as strict as
// the node, and because the operands of code are checked against their lengths. Source: check_bounds.rs.

/** Checks the field handles (a struct and the index of one of its fields) and returns their number. */
function checkFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    const owner = pick(cursor, structs, "struct definitions");
    const at = cursor.at;
    const field = cursor.uleb(FIELD_OFFSET_MAX);
    if (field >= owner.fields.length) cursor.fail(`field ${field} of ${owner.fields.length}`, at);
  });
}

/** Checks the variant field handles (an enum, the index of a field, the variants that have it) and returns their number. */
function checkVariantFieldHandles(cursor: Cursor, structs: readonly StructDefinition[]): number {
  return countRows(cursor, () => {
    const owner = pick(cursor, structs, "struct definitions");
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
    readVariant(cursor, pick(cursor, structs, "struct definitions"));
  });
}

type Instantiations = {
  /** For each row the index of what it instantiates. */
  readonly of: readonly number[];
  /** For each row the number of type parameters that its arguments use. */
  readonly parametersUsed: readonly number[];
};

/** Reads a table of instantiations, whose rows are an index below `count` and a signature, the type arguments. */
function readInstantiations(cursor: Cursor, count: number, name: string, signatures: readonly Signature[]): Instantiations {
  const parametersUsed: number[] = [];
  const of = readRows(cursor, () => {
    const index = readIndex(cursor, count, name);
    parametersUsed.push(pick(cursor, signatures, "signatures").parametersUsed);
    return index;
  });
  return { of, parametersUsed };
}

function readVariant(cursor: Cursor, owner: StructDefinition): StructDefinition["variants"][number] {
  const at = cursor.at;
  const index = cursor.uleb(VARIANT_OFFSET_MAX);
  return owner.variants[index] ?? cursor.fail(`variant ${index} of ${owner.variants.length}`, at);
}
