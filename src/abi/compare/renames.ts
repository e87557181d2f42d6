import { Disassembler } from "../../move/code/disassemble.ts";
import { type FunctionCode, parseCode } from "../../move/code/read-code.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { formatModuleId, itemNameOf } from "../../move/module-id.ts";
import { formatMoveType } from "../../move/types/format-type.ts";
import type { DecodedModule } from "../decode.ts";
import type { FieldAbi, FunctionAbi, StructAbi } from "../model.ts";
import { formatSignature } from "../print/signature.ts";
import { CodeComparison } from "./code-comparison.ts";

/** A function or struct that is gone, and the new one that is the same but for its name. */
export type Rename = { readonly kind: "function" | "struct"; readonly from: string; readonly to: string };

/** Functions and structs that are compared with each other; a module that replaces more of them at once is another module. */
const [FUNCTIONS_MAX, STRUCTS_MAX] = [200, 50];

type Bytes = Pick<DecodedModule, "abi"> & { readonly bytes: Uint8Array };

/** The functions of a module that only have another name now: the one old and the one new that are alike. */
export function renamedFunctions(before: Bytes, after: Bytes): Rename[] {
  const gone = missing(before.abi.functions, after.abi.functions);
  const come = missing(after.abi.functions, before.abi.functions);
  if (gone.length === 0 || come.length === 0 || gone.length + come.length > FUNCTIONS_MAX) return [];
  const renames = ifDecodable((): Rename[] => {
    const [old, now] = [codesOf(before.bytes, gone), codesOf(after.bytes, come)];
    const compare = new CodeComparison();
    const pairs = [...old].flatMap(([from, was]) =>
      [...now]
        .filter(([, is]) => was.shape === is.shape && compare.isSameFunction(was.code, is.code))
        .map(([to]) => ({ kind: "function" as const, from, to })),
    );
    const isOnly = (side: "from" | "to", name: string): boolean => pairs.filter((pair) => pair[side] === name).length === 1;
    return pairs.filter(({ from, to }) => isOnly("from", from) && isOnly("to", to));
  });
  return renames ?? [];
}

function missing<T extends { readonly name: string }>(these: readonly T[], those: readonly T[]): readonly T[] {
  const known = new Set(those.map(({ name }) => name));
  return these.filter(({ name }) => !known.has(name));
}

/** Functions with what they are but for their name. */
function codesOf(bytes: Uint8Array, functions: readonly FunctionAbi[]) {
  const found = new Map<string, { readonly shape: string; readonly code: FunctionCode }>();
  for (const code of parseCode(bytes).functions()) {
    const { name } = code.definition.handle;
    const fn = code.definition.isNative ? undefined : functions.find((one) => one.name === name);
    if (fn !== undefined) found.set(name, { shape: formatSignature({ ...fn, name: "" }), code });
  }
  return found;
}

/** Names with their module, as types and instructions have them. */
const NAMES = /0x[0-9a-f]+::[\w$]+::[\w$]+/g;

/**
 * The structs of a module that only have another name now: the one old and the one new that are declared alike, where functions that
 * stand on both sides name the new one wherever they named the old, and one of them says nothing else that is new.
 */
export function renamedStructs(before: Bytes, after: Bytes): Rename[] {
  const gone = missing(before.abi.structs, after.abi.structs).filter(({ isNative }) => !isNative);
  const come = missing(after.abi.structs, before.abi.structs).filter(({ isNative }) => !isNative);
  if (gone.length === 0 || come.length === 0 || gone.length + come.length > STRUCTS_MAX) return [];
  const [was, is] = [formatModuleId(before.abi), formatModuleId(after.abi)];
  const names = new Map<string, string>();
  const renamed = (text: string): string => text.replaceAll(NAMES, (name) => names.get(name) ?? name);
  // A struct with a field of another that has a new name is like its new one only once that is known.
  for (let known = -1; known < names.size; ) {
    known = names.size;
    const open = gone.filter(({ name }) => !names.has(`${was}::${name}`));
    const taken = new Set(names.values());
    const alike = open.flatMap((old) =>
      come.filter((now) => !taken.has(`${is}::${now.name}`) && renamed(declared(old)) === declared(now)).map((now) => ({ old, now })),
    );
    for (const { old, now } of alike)
      if (alike.filter((pair) => pair.old === old || pair.now === now).length === 1) names.set(`${was}::${old.name}`, `${is}::${now.name}`);
  }
  if (names.size === 0) return [];
  const renames = ifDecodable((): Rename[] => {
    const [old, now] = [functionTexts(before), functionTexts(after)];
    return [...names]
      .filter(([from, to]) => {
        const users = [...old].filter(([name, text]) => now.has(name) && mentions(text, from));
        const isOnlyThat = ([name, text]: readonly [string, string]): boolean => renamed(text) === now.get(name);
        return users.some(isOnlyThat) && users.every(([name]) => mentions(now.get(name) ?? "", to));
      })
      .map(([from, to]) => ({ kind: "struct", from: itemNameOf(from), to: itemNameOf(to) }));
  });
  return renames ?? [];
}

function declared({ isEnum, abilities, typeParams, fields, variants, attributes }: StructAbi): string {
  const typed = (list: readonly FieldAbi[]): string[][] => list.map(({ name, type }) => [name, formatMoveType(type)]);
  const cases = variants.map((variant) => [variant.name, typed(variant.fields)]);
  return JSON.stringify([isEnum, abilities, typeParams, typed(fields), cases, attributes]);
}

/** The signatures and instructions of a module's functions. @throws DecodeError */
function functionTexts({ abi, bytes }: Bytes): Map<string, string> {
  const signatures = new Map(abi.functions.map((fn) => [fn.name, formatSignature(fn)]));
  const disassembler = new Disassembler();
  const found = new Map<string, string>();
  for (const code of parseCode(bytes).functions()) {
    const { name } = code.definition.handle;
    const { locals, instructions } = disassembler.disassemble(code);
    found.set(name, [signatures.get(name), ...locals.map(({ type }) => type), ...instructions].join("\n"));
  }
  return found;
}

function mentions(text: string, name: string): boolean {
  return text.match(NAMES)?.includes(name) === true;
}
