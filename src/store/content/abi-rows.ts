import type { Database } from "better-sqlite3";
import type { AttributeAbi, FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi } from "../../abi/model.ts";
import { formatNodeAbi } from "../../abi/node-json/format.ts";
import { formatSignature } from "../../abi/print/signature.ts";
import { sha256 } from "../../base/sha256.ts";
import type { ModuleId, MoveType } from "../../move/types/types.ts";
import { canonicalAbi, canonicalFunction, canonicalStruct } from "./abi-digest.ts";
import { prepareInterning } from "./interning.ts";
import { prepareIndexing } from "./search-index.ts";

/** Writes an ABI's rows unless they are there, and says which row of `abis` it is. Belongs inside a transaction. */
export type AbiWriter = (abi: ModuleAbi, decoder: string) => bigint;

/** The `variant` of fields that are a struct's own. */
const OWN_FIELDS = -1;

/**
 * Prepares the writer of ABI rows. Functions and structs are shared between ABIs by the digest of their canonical form,
 * so an upgrade that changes two functions of forty writes two functions and a list.
 */
export function prepareAbiWriter(database: Database): AbiWriter {
  const indexWords = prepareIndexing(database);
  const intern = prepareInterning(database, indexWords);
  const run = (sql: string) => {
    const statement = database.prepare(sql);
    return (...values: unknown[]): bigint => BigInt(statement.run(...values).lastInsertRowid);
  };
  const find = (sql: string) => {
    const statement = database.prepare<unknown[], bigint>(sql).pluck();
    return (...values: unknown[]): bigint | undefined => statement.get(...values);
  };
  const findAbi = find("SELECT id FROM abis WHERE digest = ? AND decoder = ?");
  const findFunction = find("SELECT id FROM functions WHERE digest = ?");
  const findStruct = find("SELECT id FROM structs WHERE digest = ?");
  const addAbi = run("INSERT INTO abis (digest, decoder, module_id, node_digest) VALUES (?, ?, ?, ?)");
  const addFunction = run(
    "INSERT INTO functions (digest, name, visibility, is_entry, is_view, is_native, signature, acquires) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addParam = run("INSERT INTO function_params (function_id, position, type_id) VALUES (?, ?, ?)");
  const addReturn = run("INSERT INTO function_returns (function_id, position, type_id) VALUES (?, ?, ?)");
  const addFunctionTypeParam = run("INSERT INTO function_type_params VALUES (?, ?, ?, ?, ?, ?, ?)");
  const addFunctionAttribute = run("INSERT INTO function_attributes (function_id, position, kind, args) VALUES (?, ?, ?, ?)");
  const addStruct = run(
    "INSERT INTO structs (digest, name, is_native, is_event, is_enum, has_copy, has_drop, has_store, has_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addStructTypeParam = run("INSERT INTO struct_type_params VALUES (?, ?, ?, ?, ?, ?, ?)");
  const addStructAttribute = run("INSERT INTO struct_attributes (struct_id, position, kind, args) VALUES (?, ?, ?, ?)");
  const addVariant = run("INSERT INTO variants (struct_id, position, name) VALUES (?, ?, ?)");
  const addField = run("INSERT INTO fields (struct_id, variant, position, name, type_id) VALUES (?, ?, ?, ?, ?)");
  const linkFunction = run("INSERT INTO abi_functions (abi_id, position, function_id) VALUES (?, ?, ?)");
  const linkStruct = run("INSERT INTO abi_structs (abi_id, position, struct_id) VALUES (?, ?, ?)");
  const linkFriend = run("INSERT INTO abi_friends (abi_id, position, module_id) VALUES (?, ?, ?)");
  const linkDependency = run("INSERT INTO abi_dependencies (abi_id, position, module_id) VALUES (?, ?, ?)");
  const linkErrorCode = run("INSERT INTO abi_error_codes (abi_id, position, error_code_id) VALUES (?, ?, ?)");

  const addTypeParams = (add: typeof addParam, owner: bigint, list: readonly TypeParameterAbi[]): void => {
    for (const [position, param] of list.entries()) add(owner, position, flag(param.isPhantom), ...abilityFlags(param.constraints));
  };
  const addAttributes = (add: typeof addParam, owner: bigint, list: readonly AttributeAbi[]): void => {
    for (const [position, { kind, args }] of list.entries()) add(owner, position, kind, JSON.stringify(args));
  };
  const addTypes = (add: typeof addParam, owner: bigint, list: readonly MoveType[]): void => {
    for (const [position, type] of list.entries()) add(owner, position, intern.type(type));
  };
  const addFields = (struct: bigint, variant: number, list: readonly FieldAbi[]): void => {
    for (const [position, { name, type }] of list.entries()) addField(struct, variant, position, name, intern.type(type));
  };
  const writeFunction = (item: FunctionAbi, digest: Uint8Array): bigint => {
    const { name, visibility, isEntry, isView, isNative, acquires } = item;
    const known = findFunction(digest);
    if (known !== undefined) return known;
    const signature = formatSignature(item);
    const id = addFunction(digest, name, visibility, flag(isEntry), flag(isView), flag(isNative), signature, JSON.stringify(acquires));
    addTypes(addParam, id, item.params);
    addTypes(addReturn, id, item.returns);
    addTypeParams(addFunctionTypeParam, id, item.typeParams);
    addAttributes(addFunctionAttribute, id, item.attributes);
    indexWords("function", id, [name]);
    return id;
  };
  const writeStruct = (item: StructAbi, digest: Uint8Array): bigint => {
    const known = findStruct(digest);
    if (known !== undefined) return known;
    const id = addStruct(digest, item.name, flag(item.isNative), flag(item.isEvent), flag(item.isEnum), ...abilityFlags(item.abilities));
    addTypeParams(addStructTypeParam, id, item.typeParams);
    addAttributes(addStructAttribute, id, item.attributes);
    addFields(id, OWN_FIELDS, item.fields);
    for (const [position, variant] of item.variants.entries()) {
      addVariant(id, position, variant.name);
      addFields(id, position, variant.fields);
    }
    const inside = [...item.fields, ...item.variants, ...item.variants.flatMap(({ fields }) => fields)];
    indexWords("struct", id, [item.name, ...inside.map(({ name }) => name)]);
    return id;
  };
  const link = <T>(add: typeof addParam, abi: bigint, list: readonly T[], idOf: (item: T, position: number) => bigint): void => {
    for (const [position, item] of list.entries()) add(abi, position, idOf(item, position));
  };

  return (abi, decoder) => {
    const functionDigests = abi.functions.map((item) => sha256(canonicalFunction(item)));
    const structDigests = abi.structs.map((item) => sha256(canonicalStruct(item)));
    const digest = sha256(canonicalAbi(abi, functionDigests, structDigests));
    const known = findAbi(digest, decoder);
    if (known !== undefined) return known;
    const id = addAbi(digest, decoder, intern.module(abi), sha256(JSON.stringify(formatNodeAbi(abi))));
    link(linkFunction, id, abi.functions, (item, position) => writeFunction(item, functionDigests[position] as Uint8Array));
    link(linkStruct, id, abi.structs, (item, position) => writeStruct(item, structDigests[position] as Uint8Array));
    link<ModuleId>(linkFriend, id, abi.friends, intern.module);
    link<ModuleId>(linkDependency, id, abi.dependencies, intern.module);
    link(linkErrorCode, id, abi.errors, intern.errorCode);
    return id;
  };
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

function abilityFlags(abilities: readonly string[]): number[] {
  return ["copy", "drop", "store", "key"].map((name) => flag(abilities.includes(name)));
}
