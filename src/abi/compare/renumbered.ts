import type { CompiledModule } from "../../move/module/module.ts";
import { readModule } from "../../move/module/module.ts";
import { formatItemId } from "../../move/module-id.ts";
import type { MoveType } from "../../move/types/types.ts";
import type { ModuleAbi } from "../model.ts";
import { makeFinding, type RuleFinding } from "./finding.ts";

/**
 * Fields and functions whose types are the same, but hold function types over structs at another place in the table of handles,
 * which nodes of generation B compare. Source: aptos-core #17171, repaired by #17172.
 */
export function compareHandlePlaces(before: Bytes, after: Bytes): RuleFinding[] {
  if (!before.abi.structs.some(hasFunctionField) && !before.abi.functions.some(hasFunctionType)) return [];
  const [old, now] = [readModule(before.bytes), readModule(after.bytes)];
  const [oldPlaces, newPlaces] = [placesOf(old), placesOf(now)];
  const moved = (a: readonly MoveType[], b: readonly MoveType[]): string | undefined =>
    a
      .filter((type, i) => type.text === b[i]?.text)
      .flatMap((type) => [...structsInFunctions(type, false)])
      .find((name) => oldPlaces.get(name) !== newPlaces.get(name));
  const found = (kind: "struct" | "function", name: string, struct: string | undefined): RuleFinding[] => {
    const words = (places: ReadonlyMap<string, number>): string => `${struct} is struct handle ${places.get(struct ?? "")}`;
    return struct === undefined
      ? []
      : [makeFinding("function-type-renumbered", { kind, name }, { before: words(oldPlaces), after: words(newPlaces) })];
  };
  const typesOf = ({ fields, variants }: CompiledModule["structs"][number]): MoveType[] =>
    [...fields, ...variants.flatMap((variant) => variant.fields)].map(({ type }) => type);
  return [
    ...old.structs.flatMap((struct) => {
      const { name } = struct.handle.plain;
      const is = now.structs.find(({ handle }) => handle.plain.name === name);
      return is === undefined ? [] : found("struct", name, moved(typesOf(struct), typesOf(is)));
    }),
    ...old.functions.flatMap(({ handle, visibility, isEntry }) => {
      const is = now.functions.find((candidate) => candidate.handle.name === handle.name)?.handle;
      const isChecked = visibility === "public" || isEntry || handle.marks.some(({ name }) => name === "persistent");
      if (is === undefined || !isChecked) return [];
      return found("function", handle.name, moved(handle.params.types, is.params.types) ?? moved(handle.returns.types, is.returns.types));
    }),
  ];
}

type Bytes = { readonly abi: ModuleAbi; readonly bytes: Uint8Array };

function hasFunctionField({ fields, variants }: ModuleAbi["structs"][number]): boolean {
  return [...fields, ...variants.flatMap((variant) => variant.fields)].some(({ type }) => type.text.includes("|"));
}

function hasFunctionType({ params, returns }: ModuleAbi["functions"][number]): boolean {
  return [...params, ...returns].some(({ text }) => text.includes("|"));
}

function placesOf({ structHandles }: CompiledModule): ReadonlyMap<string, number> {
  return new Map(structHandles.map(({ plain }, i) => [formatItemId(plain), i]));
}

function* structsInFunctions(type: MoveType, isInside: boolean): Generator<string> {
  switch (type.kind) {
    case "struct":
      if (isInside) yield formatItemId(type);
      for (const argument of type.typeArguments) yield* structsInFunctions(argument, isInside);
      break;
    case "vector":
      yield* structsInFunctions(type.element, isInside);
      break;
    case "reference":
      yield* structsInFunctions(type.target, isInside);
      break;
    case "function":
      for (const part of [...type.params, ...type.results]) yield* structsInFunctions(part, true);
      break;
    case "primitive":
    case "parameter":
    case "unknown":
      break;
  }
}
