import { allFields, type ModuleAbi } from "../../../core/abi/model.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
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
  // Of what is newer than this decoder only the interface is known.
  const [old, now] = ifDecodable(() => [parseModule(before.bytes), parseModule(after.bytes)] as const) ?? [];
  if (old === undefined || now === undefined) return [];
  const [oldPlaces, newPlaces] = [placesOf(old), placesOf(now)];
  const found = (kind: "struct" | "function", name: string, was: readonly MoveType[], is: readonly MoveType[] = []): RuleFinding[] => {
    const alike = was.filter((type, i) => type.text === is[i]?.text).flatMap((type) => [...structsInFunctions(type)]);
    const struct = alike.find((one) => oldPlaces.get(one) !== newPlaces.get(one));
    const words = (places: ReadonlyMap<string, number>): string => `${struct} is struct handle ${places.get(struct ?? "")}`;
    const witness = { before: words(oldPlaces), after: words(newPlaces) };
    return struct === undefined ? [] : [makeFinding("function-type-renumbered", { kind, name }, witness)];
  };
  const fieldsOf = (struct: CompiledModule["structs"][number] | undefined) => struct && allFields(struct).map(({ type }) => type);
  return [
    ...old.structs.flatMap((struct) => {
      const { name } = struct.handle.plain;
      const is = now.structs.find(({ handle }) => handle.plain.name === name);
      return found("struct", name, fieldsOf(struct) ?? [], fieldsOf(is));
    }),
    ...old.functions.flatMap(({ handle: { name, marks, params, returns }, visibility, isEntry }) => {
      const is = now.functions.find(({ handle }) => handle.name === name)?.handle;
      const isChecked = visibility === "public" || isEntry || marks.some((mark) => mark.name === "persistent");
      if (!isChecked) return [];
      const ofParams = found("function", name, params.types, is?.params.types);
      return ofParams.length > 0 ? ofParams : found("function", name, returns.types, is?.returns.types);
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
