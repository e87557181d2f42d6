import type { ErrorCodeAbi, FieldAbi, FunctionAbi, ModuleAbi, StructAbi } from "../../../abi/model.ts";
import { formatNodeAbi } from "../../../abi/node-json/format.ts";
import { formatSignature } from "../../../abi/print/signature.ts";
import { sha256Hex } from "../../../base/sha256.ts";
import { formatItemId, formatModuleId, type ItemId, type ModuleId } from "../../../move/module-id.ts";
import { abilityBits, type MoveType } from "../../../move/types/make-type.ts";

/** The first 16 bytes of a SHA-256 over content, in hex. Finding two contents with one digest takes 2^64 tries. */
export type ContentDigest = string;
const DIGEST_DIGITS = 32;

export type ModuleCalls = {
  /** Every called function. It stands here twice if two of the module's function handles name it. */
  readonly callees: readonly ItemId[];
  /** By the name of the caller: the positions in `callees` of what it calls. Functions that call nothing are left out. */
  readonly ofFunction: ReadonlyMap<string, readonly number[]>;
};

/** A function as it is stored: its ABI, its declaration and what it calls. */
export type FunctionRow = {
  readonly abi: FunctionAbi;
  /** With `!` for its name, and `~` for its module's address and `::`: no type has either. */
  readonly signature: string;
  /** The positions of what it calls in the `callees` of its module. */
  readonly calls: readonly number[];
};

/** The rows of an ABI, before modules and types have numbers. They follow from the ABI and the calls alone. */
export type AbiRows = {
  readonly abi: ModuleAbi;
  /** All that the functions call; undefined if that is not known. */
  readonly callees: readonly ItemId[] | undefined;
  /** Each once: a chain accepts no module that has one of them twice. */
  readonly functions: readonly FunctionRow[];
  readonly structs: readonly StructAbi[];
  readonly errorsDigest: ContentDigest | null;
};

const NOTHING: readonly never[] = [];

/** An ABI as rows. `calls` are those of the module's functions, undefined where they are not known. */
export function abiRows(abi: ModuleAbi, calls: ModuleCalls | undefined): AbiRows {
  const functions: FunctionRow[] = [];
  for (const fn of abi.functions) functions.push(functionRow(fn, `${abi.address}::`, calls?.ofFunction.get(fn.name) ?? NOTHING));
  return {
    abi,
    callees: calls?.callees,
    functions: eachOnce(functions, ({ abi }) => abi.name, functionContent),
    structs: eachOnce(abi.structs, ({ name }) => name, structContent),
    errorsDigest: abi.errors.length === 0 ? null : digestOf(abi.errors.map(errorCells)),
  };
}

/** What is said of an ABI, and of each of its functions and structs, as digests. */
export type AbiContent = {
  readonly abi: ContentDigest;
  readonly face: ContentDigest;
  readonly functions: readonly ContentDigest[];
  readonly structs: readonly ContentDigest[];
};

/** Tells which parts of two ABIs of one module are alike. */
export function contentOf({ abi, callees, functions, structs, errorsDigest }: AbiRows): AbiContent {
  const names = callees?.map(formatItemId) ?? NOTHING;
  const contents = {
    functions: functions.map((row) => digestOf([functionContent(row), [...new Set(row.calls.map((place) => names[place]))].sort()])),
    structs: structs.map((struct) => digestOf(structContent(struct))),
  };
  const digest = digestOf([callees !== undefined, namesOf(abi.friends), namesOf(abi.dependencies), errorsDigest, contents]);
  return { abi: digest, face: faceDigest(abi), ...contents };
}

function eachOnce<Row>(rows: readonly Row[], nameOf: (row: Row) => string, content: (row: Row) => unknown): readonly Row[] {
  if (new Set(rows.map(nameOf)).size === rows.length) return rows;
  return [...new Map(rows.map((row) => [JSON.stringify(content(row)), row])).values()];
}

/** The cells of an abort reason: its code as text, its name and its description. */
export function errorCells({ code, name, description }: ErrorCodeAbi): readonly string[] {
  return [`${code}`, name, description];
}

function functionRow(abi: FunctionAbi, own: string, calls: readonly number[]): FunctionRow {
  return { abi, signature: formatSignature(abi, "!").replaceAll(own, "~"), calls };
}

/** All that is stored of a function but what it calls. Function types are spelled otherwise in the declaration than in a list. */
function functionContent({ abi, signature }: FunctionRow): unknown {
  return [abi.name, signature, abi.isView, abi.acquires, attributesOf(abi), textsOf(abi.params), textsOf(abi.returns)];
}

function structContent(abi: StructAbi): unknown {
  return [
    abi.name,
    [abi.isNative, abi.isEvent, abi.isEnum],
    abilityBits(abi.abilities),
    abi.typeParams.map(({ constraints, isPhantom }) => [abilityBits(constraints), isPhantom]),
    attributesOf(abi),
    abi.fields.map(fieldContent),
    abi.variants.map(({ name, fields }) => [name, fields.map(fieldContent)]),
  ];
}

function fieldContent({ name, type }: FieldAbi): readonly string[] {
  return [name, type.text];
}

function attributesOf({ attributes }: FunctionAbi | StructAbi): unknown {
  return attributes.map(({ kind, args }) => [kind, args]);
}

function textsOf(types: readonly MoveType[]): readonly string[] {
  return types.map(({ text }) => text);
}

function namesOf(modules: readonly ModuleId[]): readonly string[] {
  return modules.map(formatModuleId);
}

function digestOf(content: unknown): ContentDigest {
  return sha256Hex(JSON.stringify(content)).slice(0, DIGEST_DIGITS);
}

/** The digest of what a 2026 node prints of a module: not its error codes, attributes and private functions. */
export function faceDigest(abi: ModuleAbi): ContentDigest {
  return digestOf(formatNodeAbi(abi));
}
