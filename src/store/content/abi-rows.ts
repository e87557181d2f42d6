import type { AttributeAbi, FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi, VariantAbi } from "../../abi/model.ts";
import { formatSignature } from "../../abi/print/signature.ts";
import { sha256 } from "../../base/sha256.ts";
import { abilityBits } from "../../move/types/abilities.ts";
import type { ModuleId, MoveType } from "../../move/types/types.ts";
import { structsIn } from "./mentioned-structs.ts";

/** Values of the columns of `functions` after `id`, in their order. */
export type FunctionRow = readonly [
  name: string,
  traits: number,
  typeParams: string | null,
  params: string | null,
  returns: string | null,
  acquires: string | null,
  attributes: string | null,
  signature: string | null,
];

/** Values of the columns of `structs` after `id`, in their order. */
export type StructRow = readonly [
  name: string,
  traits: number,
  typeParams: string | null,
  attributes: string | null,
  variants: string | null,
  fields: string | null,
];

/** The rows of an ABI, with other modules by what they are called: a function of the ABI and of nothing else. */
export type AbiRows = {
  readonly self: ModuleId;
  readonly faceDigest: Uint8Array;
  readonly errors: string | null;
  readonly functions: readonly FunctionRow[];
  readonly structs: readonly StructRow[];
  readonly friends: readonly ModuleId[];
  readonly dependencies: readonly ModuleId[];
  /** Structs that are none of the ABI's own, each once. */
  readonly uses: readonly { readonly module: ModuleId; readonly struct: string }[];
};

/** The bit of a row's type parameter after those of its abilities. */
const PHANTOM = 16;

/** What a function's visibility adds to its traits. */
const VISIBILITY = { private: 0, friend: 1, public: 2 } as const;
/** The bits of a function's traits after its visibility. */
const [ENTRY, VIEW, NATIVE] = [4, 8, 16];
/** The traits of a function that nodes print; where there are none, they do not print the function. */
const PRINTED = 15;

/** The bits of a struct's traits after its abilities. */
const [NATIVE_STRUCT, EVENT, ENUM] = [16, 32, 64];

/** An ABI as rows. */
export function abiRows(abi: ModuleAbi): AbiRows {
  const lists = new TypeLists();
  const functions = abi.functions.map((item) => functionRow(item, lists));
  const structs = abi.structs.map((item) => structRow(item, lists));
  return {
    self: { address: abi.address, name: abi.name },
    faceDigest: faceDigest(abi, functions, structs),
    errors: mappedText(abi.errors, ({ code, name, description }) => [code.toString(), name, description]),
    functions,
    structs,
    friends: abi.friends,
    dependencies: abi.dependencies,
    uses: foreignStructs(abi, lists.types),
  };
}

type ListText = { readonly text: string | null; readonly isPlain: boolean };

/** The text of a list without types. */
const EMPTY: ListText = { text: null, isPlain: true };

/** Texts of type lists. A module shares its lists between functions, so each is written once; and remembered are the types with parts that were met. */
class TypeLists {
  readonly types: MoveType[] = [];
  readonly #texts = new Map<readonly MoveType[], ListText>();

  of(list: readonly MoveType[]): ListText {
    if (list.length === 0) return EMPTY;
    const known = this.#texts.get(list);
    if (known !== undefined) return known;
    const made = this.#write(list);
    this.#texts.set(list, made);
    return made;
  }

  #write(list: readonly MoveType[]): ListText {
    const texts: string[] = [];
    let isPlain = true;
    for (const type of list) {
      texts.push(this.textOf(type));
      isPlain &&= type.kind === "primitive" || PLAIN.test(type.text);
    }
    return { text: isPlain ? `["${texts.join('","')}"]` : JSON.stringify(texts), isPlain };
  }

  textOf(type: MoveType): string {
    if (type.kind !== "primitive") this.types.push(type);
    return type.text;
  }
}

/** A type that is spelled in a declaration as it is in a list's JSON: no function type, and nothing escaped or to be escaped. */
const PLAIN = /^[\w$:<>&, ]*$/;

function functionRow(item: FunctionAbi, lists: TypeLists): FunctionRow {
  const params = lists.of(item.params);
  const returns = lists.of(item.returns);
  return [
    item.name,
    VISIBILITY[item.visibility] + (item.isEntry ? ENTRY : 0) + (item.isView ? VIEW : 0) + (item.isNative ? NATIVE : 0),
    typeParamsText(item.typeParams),
    params.text,
    returns.text,
    listText(item.acquires),
    attributesText(item.attributes),
    params.isPlain && returns.isPlain ? null : formatSignature(item),
  ];
}

function structRow(item: StructAbi, lists: TypeLists): StructRow {
  // Here and below by index: of a pattern that takes a list apart V8 compiles an iterator with all its ends. In a first crawl these two
  // functions took 0.25 of the 1.6 s that it spent on optimizing.
  const fields: unknown[] = [];
  for (const { name, type } of item.fields) fields.push([name, lists.textOf(type)]);
  for (let variant = 0; variant < item.variants.length; variant++) {
    const own = (item.variants[variant] as VariantAbi).fields;
    for (let position = 0; position < own.length; position++) {
      const { name, type } = own[position] as FieldAbi;
      fields.push([name, lists.textOf(type), variant, position]);
    }
  }
  return [
    item.name,
    abilityBits(item.abilities) + (item.isNative ? NATIVE_STRUCT : 0) + (item.isEvent ? EVENT : 0) + (item.isEnum ? ENUM : 0),
    typeParamsText(item.typeParams),
    attributesText(item.attributes),
    mappedText(item.variants, ({ name }) => name),
    listText(fields),
  ];
}

function typeParamsText(list: readonly TypeParameterAbi[]): string | null {
  return mappedText(list, ({ constraints, isPhantom }) => abilityBits(constraints) + (isPhantom ? PHANTOM : 0));
}

function attributesText(list: readonly AttributeAbi[]): string | null {
  return mappedText(list, ({ kind, args }) => [kind, args]);
}

/** A list as JSON; null when it is empty, as most are. */
function listText(list: readonly unknown[]): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

/** The same, each item as what `map` makes of it. */
function mappedText<T>(list: readonly T[], map: (item: T) => unknown): string | null {
  return listText(list.map(map));
}

function foreignStructs(abi: ModuleAbi, types: readonly MoveType[]): AbiRows["uses"] {
  const own = new Set(abi.structs.map(({ name }) => name));
  const found = new Map<string, AbiRows["uses"][number]>();
  for (const { module, name } of structsIn(types)) {
    if (module.name === abi.name && module.address === abi.address && own.has(name)) continue;
    found.set(`${module.address}::${module.name}::${name}`, { module, struct: name });
  }
  return [...found.values()];
}

/**
 * The digest of what a node prints, made of rows: the node's JSON, of which it stands for every part, would take as long as
 * decoding. A line for each cell, as many for every friend, function and struct, whose first line tells them apart. No two
 * different faces make one text, since JSON has no line breaks, and a name none here.
 */
function faceDigest(abi: ModuleAbi, functions: readonly FunctionRow[], structs: readonly StructRow[]): Uint8Array {
  const face: (string | number | null)[] = [abi.address, nameCell(abi.name), abi.friends.length];
  for (const { address, name } of abi.friends) face.push(address, nameCell(name));
  for (const { 0: name, 1: traits, 2: typeParams, 3: params, 4: returns } of functions) {
    if ((traits & PRINTED) !== 0) face.push(traits & PRINTED, nameCell(name), typeParams, params, returns);
  }
  for (let place = 0; place < structs.length; place++) {
    const { 0: name, 1: traits, 2: typeParams, 4: variants, 5: fields } = structs[place] as StructRow;
    // A node prints the framework's own option as the struct that it was before it became an enum.
    const isOption = abi.address === "0x1" && abi.name === "option" && traits >= ENUM && abi.structs[place]?.variants.length === 2;
    face.push("struct", nameCell(name), isOption ? traits - ENUM : traits, constraintsCell(typeParams));
    if (isOption) face.push(null, '[["vec","vector<T0>"]]');
    else face.push(variants, fields);
  }
  return sha256(face.join("\n"));
}

/** Type parameters of a struct as a node prints them: without which of them are phantom. */
function constraintsCell(typeParams: string | null): string | null {
  return typeParams === null ? null : (JSON.parse(typeParams) as number[]).map((sum) => sum % PHANTOM).join(",");
}

/** A name in a line of its own. Those of bytecode have no line breaks; what a node told of may. */
function nameCell(name: string): string {
  return name.includes("\n") || name.includes('"') ? JSON.stringify(name) : name;
}
