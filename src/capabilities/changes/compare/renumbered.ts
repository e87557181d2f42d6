import { allFields, type ModuleAbi } from "../../../core/abi/model.ts";
import { type CompiledModule, parseModule } from "../../../core/move/module/module.ts";
import { formatItemId } from "../../../core/move/module-id.ts";
import { partsOf } from "../../../core/move/types/format-type.ts";
import type { MoveType } from "../../../core/move/types/make-type.ts";
import { makeFinding, type RuleFinding } from "./finding.ts";

/**
 * Fields and functions whose types are the same, but hold function types over structs at another place in the table of handles,
 * which nodes of generation B compare. Source: aptos-core #17171, repaired by #17172.
 */
export function compareHandlePlaces(before: Bytes, after: Bytes): RuleFinding[] {
  const { structs, functions } = before.abi;
  const isOfFunctions = ({ text }: MoveType): boolean => text.includes("|");
  const isHeld = structs.some((struct) => allFields(struct).some(({ type }) => isOfFunctions(type)));
  if (!isHeld && !functions.some(({ params, returns }) => params.some(isOfFunctions) || returns.some(isOfFunctions))) return [];
  const [old, now] = [parseModule(before.bytes), parseModule(after.bytes)];
  const [oldPlaces, newPlaces] = [placesOf(old), placesOf(now)];
  const moved = (a: readonly MoveType[], b: readonly MoveType[]): string | undefined =>
    a
      .filter((type, i) => type.text === b[i]?.text)
      .flatMap((type) => [...structsInFunctions(type)])
      .find((name) => oldPlaces.get(name) !== newPlaces.get(name));
  const found = (kind: "struct" | "function", name: string, struct: string | undefined): RuleFinding[] => {
    const words = (places: ReadonlyMap<string, number>): string => `${struct} is struct handle ${places.get(struct ?? "")}`;
    return struct === undefined
      ? []
      : [makeFinding("function-type-renumbered", { kind, name }, { before: words(oldPlaces), after: words(newPlaces) })];
  };
  const typesOf = (struct: CompiledModule["structs"][number]): MoveType[] => allFields(struct).map(({ type }) => type);
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

function placesOf({ structHandles }: CompiledModule): ReadonlyMap<string, number> {
  return new Map(structHandles.map(({ plain }, i) => [formatItemId(plain), i]));
}

/** The structs that stand inside a function type, by their full names. */
function* structsInFunctions(type: MoveType, isInside = false): Generator<string> {
  if (type.kind === "struct" && isInside) yield formatItemId(type);
  for (const part of partsOf(type)) yield* structsInFunctions(part, isInside || type.kind === "function");
}
