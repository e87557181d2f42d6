import { Disassembler } from "../../move/code/disassemble.ts";
import { readCode } from "../../move/code/read-code.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { formatMoveType } from "../../move/types/format-type.ts";
import type { DecodedModule } from "../decode.ts";
import type { FieldAbi, StructAbi } from "../model.ts";
import { formatSignature } from "../print/signature.ts";
import type { Rename } from "./renames.ts";

type Bytes = Pick<DecodedModule, "abi"> & { readonly bytes: Uint8Array };

/** Structs that are compared with each other; a module that replaces more of them at once is another module. */
const STRUCTS_MAX = 50;

/** Names with their module, as types and instructions have them. */
const NAMES = /0x[0-9a-f]+::[\w$]+::[\w$]+/g;

/**
 * The structs of a module that only have another name now: the one old and the one new that are declared alike, where functions that
 * stand on both sides name the new one wherever they named the old, and one of them says nothing else that is new.
 */
export function renamedStructs(before: Bytes, after: Bytes): Rename[] {
  const [gone, come] = [missing(before, after), missing(after, before)];
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
    const nameOf = (full: string): string => full.slice(full.lastIndexOf("::") + 2);
    return [...names]
      .filter(([from, to]) => {
        const users = [...old].filter(([name, text]) => now.has(name) && mentions(text, from));
        const isOnlyThat = ([name, text]: readonly [string, string]): boolean => renamed(text) === now.get(name);
        return users.some(isOnlyThat) && users.every(([name]) => mentions(now.get(name) ?? "", to));
      })
      .map(([from, to]) => ({ kind: "struct", from: nameOf(from), to: nameOf(to) }));
  });
  return renames ?? [];
}

function missing({ abi: { structs: these } }: Bytes, { abi: { structs: those } }: Bytes): readonly StructAbi[] {
  const known = new Set(those.map(({ name }) => name));
  return these.filter(({ name, isNative }) => !known.has(name) && !isNative);
}

/** All that a struct declares but its name. */
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
  for (const code of readCode(bytes).functions()) {
    const { name } = code.definition.handle;
    const { locals, instructions } = disassembler.disassemble(code);
    found.set(name, [signatures.get(name), ...locals.map(({ type }) => type), ...instructions].join("\n"));
  }
  return found;
}

function mentions(text: string, name: string): boolean {
  return text.match(NAMES)?.includes(name) === true;
}
