import type { ModuleId } from "../module-id.ts";
import { type Ability, abilitiesOf, type MoveType, plainStructType, type StructType } from "../types/make-type.ts";
import {
  ACCESS_SPECIFIER_COUNT_MAX,
  type Cursor,
  FUNCTION_ATTRIBUTE_COUNT_MAX,
  LOCAL_INDEX_MAX,
  TABLE_INDEX_MAX,
  TYPE_PARAMETER_COUNT_MAX,
} from "./cursor.ts";

/** A row of the signatures table: the types of parameters, of results, of locals, or of type arguments. */
export type Signature = {
  readonly types: readonly MoveType[];
  /** How many type parameters the types presuppose: their highest index plus one. */
  readonly parametersUsed: number;
  /** How many characters the texts of the types have together. */
  readonly textLength: number;
};

export type TypeParameter = { readonly constraints: readonly Ability[]; readonly isPhantom: boolean };

export type StructHandle = {
  /** Its type without arguments; of a generic struct only module, name and text are meaningful. */
  readonly plain: StructType;
  readonly abilities: readonly Ability[];
  readonly typeParams: readonly TypeParameter[];
};

/** The type parameters of an item without any: one shared list, since nearly all items have none. */
const NO_TYPE_PARAMETERS: readonly TypeParameter[] = [];

type HandlePools = { readonly version: number; readonly identifiers: readonly string[]; readonly modules: readonly ModuleId[] };

export function readStructHandle(cursor: Cursor, { version, identifiers, modules }: HandlePools): StructHandle {
  const module = cursor.pick(modules, "module handles");
  const name = cursor.pick(identifiers, "identifiers");
  const abilities = readAbilities(cursor, version, "struct");
  const typeParams = readTypeParameters(cursor, version, "structParameter");
  return { plain: plainStructType(module, name), abilities, typeParams };
}

/** The ability bits of version 1's kinds, by place and byte; 0xff where there is none. Source: `load_ability_set` in deserializer.rs. */
const KINDS = {
  struct: [0xff, 0b1100, 0b0111, 0xff],
  structParameter: [0xff, 0, 0b0011, 0b1000],
  functionParameter: [0xff, 0b0100, 0b0111, 0b1100],
} as const;

/** The abilities of a struct or type parameter: a set of bits, or in version 1 a kind. */
function readAbilities(cursor: Cursor, version: number, place: keyof typeof KINDS): readonly Ability[] {
  if (version > 1) return abilitiesOf(cursor.uleb(15));
  const at = cursor.at;
  const bits = KINDS[place][cursor.u8()] ?? 0xff;
  return bits === 0xff ? cursor.fail("a kind that does not exist in bytecode version 1", at) : abilitiesOf(bits);
}

function readTypeParameters(cursor: Cursor, version: number, place: keyof typeof KINDS): readonly TypeParameter[] {
  const count = cursor.uleb(TYPE_PARAMETER_COUNT_MAX);
  if (count === 0) return NO_TYPE_PARAMETERS;
  const mayBePhantom = place === "structParameter" && version >= 3;
  const params = new Array<TypeParameter>(count);
  for (let i = 0; i < count; i++) {
    const constraints = readAbilities(cursor, version, place);
    params[i] = { constraints, isPhantom: mayBePhantom && cursor.uleb(1) === 1 };
  }
  return params;
}

/** A function attribute in the bytecode, from version 8 on: its name, and the index of a field or variant if it has one. */
export type FunctionMark = { readonly name: string; readonly operand?: number };

export type FunctionHandle = {
  /** Its place among the module's function handles. */
  readonly row: number;
  readonly module: ModuleId;
  readonly name: string;
  readonly params: Signature;
  readonly returns: Signature;
  readonly typeParams: readonly TypeParameter[];
  readonly marks: readonly FunctionMark[];
};

type FunctionPools = HandlePools & { readonly signatures: readonly Signature[] };

export function readFunctionHandle(cursor: Cursor, pools: FunctionPools, row: number): FunctionHandle {
  const { version, modules, identifiers, signatures } = pools;
  const at = cursor.at;
  const module = cursor.pick(modules, "module handles");
  const name = cursor.pick(identifiers, "identifiers");
  const params = cursor.pick(signatures, "signatures");
  const returns = cursor.pick(signatures, "signatures");
  const typeParams = readTypeParameters(cursor, version, "functionParameter");
  if (Math.max(params.parametersUsed, returns.parametersUsed) > typeParams.length) {
    cursor.fail(`${name} has ${typeParams.length} type parameters and its types use more`, at);
  }
  if (version >= 7) skipAccessSpecifiers(cursor);
  const marks = version >= 8 ? readMarks(cursor, version) : NO_MARKS;
  return { row, module, name, params, returns, typeParams, marks };
}

const NO_MARKS: readonly FunctionMark[] = [];

/**
 * Function attributes by their byte: the version that introduced each, and whether a two-byte index follows.
 * Source: `load_function_attributes` in deserializer.rs, which refuses them in older versions.
 */
const MARKS: readonly (readonly [mark: FunctionMark, since: number, operand: boolean] | undefined)[] = [
  undefined,
  [{ name: "persistent" }, 8, false],
  [{ name: "module_lock" }, 8, false],
  [{ name: "pack" }, 10, false],
  [{ name: "pack_variant" }, 10, true],
  [{ name: "unpack" }, 10, false],
  [{ name: "unpack_variant" }, 10, true],
  [{ name: "test_variant" }, 10, true],
  [{ name: "borrow" }, 10, true],
  [{ name: "borrow_mut" }, 10, true],
];

function readMarks(cursor: Cursor, version: number): readonly FunctionMark[] {
  const count = cursor.uleb(FUNCTION_ATTRIBUTE_COUNT_MAX);
  if (count === 0) return NO_MARKS;
  const marks = new Array<FunctionMark>(count);
  for (let i = 0; i < count; i++) {
    const at = cursor.at;
    const kind = cursor.u8();
    const [mark, since, operand] = MARKS[kind] ?? cursor.fail(`function attribute ${kind} does not exist`, at);
    if (since > version) cursor.fail(`function attribute ${mark.name} does not exist in bytecode version ${version}`, at);
    marks[i] = operand ? { ...mark, operand: cursor.u16() } : mark;
  }
  return marks;
}

/**
 * Skips the access specifiers of a function handle (from version 7): which storage the function may touch. Indexes are
 * bounded but not looked up, as in the node's reader. Source: `load_access_specifiers` in deserializer.rs.
 */
function skipAccessSpecifiers(cursor: Cursor): void {
  if (!readOption(cursor)) return;
  const count = cursor.uleb(ACCESS_SPECIFIER_COUNT_MAX);
  for (let i = 0; i < count; i++) {
    readChoice(cursor, 2, "access kind");
    readChoice(cursor, 2, "boolean");
    skipResource(cursor);
    skipAddress(cursor);
  }
}

function skipResource(cursor: Cursor): void {
  const choice = readChoice(cursor, 5, "resource specifier");
  // 1 any; 2 an address, 3 a module, 4 a struct; 5 a struct and a signature.
  if (choice > 1) cursor.uleb(TABLE_INDEX_MAX);
  if (choice === 5) cursor.uleb(TABLE_INDEX_MAX);
}

function skipAddress(cursor: Cursor): void {
  const choice = readChoice(cursor, 3, "address specifier");
  if (choice === 2) cursor.uleb(TABLE_INDEX_MAX);
  if (choice === 3) {
    cursor.uleb(LOCAL_INDEX_MAX);
    if (readOption(cursor)) cursor.uleb(TABLE_INDEX_MAX);
  }
}

function readOption(cursor: Cursor): boolean {
  return readChoice(cursor, 2, "option") === 2;
}

/** One byte from 1 to `choices`. */
function readChoice(cursor: Cursor, choices: number, what: string): number {
  const at = cursor.at;
  const choice = cursor.u8();
  return choice >= 1 && choice <= choices ? choice : cursor.fail(`${what} ${choice} does not exist`, at);
}
