import { type FunctionAbi, isExposed, type ModuleAbi, type StructAbi, type TypeParameterAbi } from "../../../abi/model.ts";
import { formatSignature } from "../../../abi/print/signature.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import type { ItemId, ModuleId } from "../../../move/module-id.ts";
import type { MoveType } from "../../../move/types/make-type.ts";
import { abilityBits } from "../../../move/types/make-type.ts";
import { moduleKey } from "./module-ids.ts";

/** The first 16 bytes of a SHA-256 over content, in hex. Finding two contents with one digest takes 2^64 tries. */
export type ContentDigest = string;
const DIGEST_DIGITS = 32;

export type ModuleCalls = {
  /** Every called function once, in the order of their full names. */
  readonly callees: readonly ItemId[];
  /** By the caller's name the places of what it calls in `callees`, each once, ascending; functions that call nothing are left out. */
  readonly ofFunction: ReadonlyMap<string, readonly number[]>;
};

/** A function as it is stored: its ABI, its declaration and what it calls. */
export type FunctionRow = {
  readonly abi: FunctionAbi;
  /** With `!` for its name, and `~` for its module's address and `::`: no type has either. */
  readonly signature: string;
  /** Places of what it calls in the callees of its module, ascending. */
  readonly calls: readonly number[];
  readonly digest: ContentDigest;
};

export type StructRow = { readonly abi: StructAbi; readonly digest: ContentDigest };

/** The rows of an ABI, which name other modules and types. They follow from the ABI and the calls alone. */
export type AbiRows = {
  readonly abi: ModuleAbi;
  readonly digest: ContentDigest;
  readonly nodeJsonDigest: ContentDigest;
  /** What the functions call, each once; undefined where that is not known. */
  readonly callees: readonly ItemId[] | undefined;
  /** Each once: a chain accepts no module that has one of them twice. */
  readonly functions: readonly FunctionRow[];
  readonly structs: readonly StructRow[];
  readonly errorsDigest: ContentDigest | null;
};

const NOTHING: readonly never[] = [];

/** An ABI as rows. `calls` are those of the module's functions, undefined where they are not known. */
export function abiRows(abi: ModuleAbi, calls: ModuleCalls | undefined): AbiRows {
  const names = calls?.callees.map(({ module, name }) => `${moduleKey(module)}::${name}`) ?? NOTHING;
  const functions = eachOnce(
    abi.functions.map((fn) => functionRow(fn, `${abi.address}::`, calls?.ofFunction.get(fn.name) ?? NOTHING, names)),
  );
  const structs = eachOnce(abi.structs.map((struct): StructRow => ({ abi: struct, digest: digestOf(structContent(struct)) })));
  const errorsDigest =
    abi.errors.length === 0 ? null : digestOf(abi.errors.map(({ code, name, description }) => [`${code}`, name, description]));
  const digest = digestOf([
    calls !== undefined,
    namesOf(abi.friends),
    namesOf(abi.dependencies),
    errorsDigest,
    functions.map((row) => row.digest),
    structs.map((row) => row.digest),
  ]);
  return { abi, digest, nodeJsonDigest: nodeJsonDigest(abi), callees: calls?.callees, functions, structs, errorsDigest };
}

function eachOnce<Row extends FunctionRow | StructRow>(rows: readonly Row[]): readonly Row[] {
  const found = new Map(rows.map((row) => [row.digest, row]));
  return found.size === rows.length ? rows : [...found.values()];
}

/** All types of an ABI's parameters, results and fields by their text, parts of them left out. */
export function typesOf(abi: ModuleAbi, into: Map<string, MoveType>): void {
  const addAll = (types: readonly MoveType[]): void => {
    for (const type of types) into.set(type.text, type);
  };
  for (const { params, returns } of abi.functions) {
    addAll(params);
    addAll(returns);
  }
  for (const { fields, variants } of abi.structs) {
    for (const { type } of fields) into.set(type.text, type);
    for (const variant of variants) for (const { type } of variant.fields) into.set(type.text, type);
  }
}

function functionRow(abi: FunctionAbi, own: string, calls: readonly number[], names: readonly string[]): FunctionRow {
  const signature = formatSignature(abi);
  // The declaration has visibility, type parameters, parameters and results. Only an ABI from a node can have line breaks in names,
  // and JSON quotes all of its texts.
  let content = signature.includes("\n") ? JSON.stringify(signature) : signature;
  if (abi.isView) content += "\nview";
  if (abi.acquires.length > 0) content += `\nacquires ${JSON.stringify(abi.acquires)}`;
  if (abi.attributes.length > 0) content += `\nattributes ${JSON.stringify(attributesOf(abi))}`;
  // Function types are spelled otherwise in the declaration than in a list.
  if (signature.includes("|")) content += `\ntypes ${JSON.stringify([textsOf(abi.params), textsOf(abi.returns)])}`;
  for (const place of calls) content += `\ncalls ${names[place]}`;
  const name = signature.indexOf("fun ") + 4;
  const types = signature.slice(name + abi.name.length).replaceAll(own, "~");
  return { abi, signature: `${signature.slice(0, name)}!${types}`, calls, digest: shortDigest(content) };
}

function structContent(abi: StructAbi): unknown {
  const fields = (list: StructAbi["fields"]) => list.map(({ name, type }) => [name, type.text]);
  return [
    abi.name,
    [abi.isNative, abi.isEvent, abi.isEnum],
    abilityBits(abi.abilities),
    abi.typeParams.map(({ constraints, isPhantom }) => [abilityBits(constraints), isPhantom]),
    attributesOf(abi),
    fields(abi.fields),
    abi.variants.map((variant) => [variant.name, fields(variant.fields)]),
  ];
}

function attributesOf({ attributes }: FunctionAbi | StructAbi): unknown {
  return attributes.map(({ kind, args }) => [kind, args]);
}

function textsOf(types: readonly MoveType[]): readonly string[] {
  return types.map(({ text }) => text);
}

function namesOf(modules: readonly ModuleId[]): readonly string[] {
  return modules.map(moduleKey);
}

function digestOf(content: unknown): ContentDigest {
  return shortDigest(JSON.stringify(content));
}

function shortDigest(text: string): ContentDigest {
  return sha256Hex(text).slice(0, DIGEST_DIGITS);
}

/** The digest of what a 2026 node prints of a module: not its error codes, attributes and private functions. */
function nodeJsonDigest(abi: ModuleAbi): ContentDigest {
  const functions = abi.functions
    .filter(isExposed)
    .map((fn) => [fn.name, fn.visibility, fn.isEntry, fn.isView, constraintsOf(fn.typeParams), textsOf(fn.params), textsOf(fn.returns)]);
  const structs = abi.structs.map((struct) => {
    const flags = [struct.isNative, struct.isEvent, abilityBits(struct.abilities), constraintsOf(struct.typeParams)];
    // A node prints the framework's own option as the struct that it was before it became an enum.
    if (abi.address === "0x1" && abi.name === "option" && struct.isEnum && struct.variants.length === 2)
      return [struct.name, false, flags, ["vec", "vector<T0>"]];
    const variants = struct.variants.map(({ name, fields }) => [name, fields.map((field) => [field.name, field.type.text])]);
    return [struct.name, struct.isEnum, flags, ...struct.fields.map(({ name, type }) => [name, type.text]), ...variants];
  });
  return digestOf([abi.address, abi.name, namesOf(abi.friends), functions, structs]);
}

function constraintsOf(params: readonly TypeParameterAbi[]): readonly number[] {
  return params.map(({ constraints }) => abilityBits(constraints));
}
