import type { StructHandle } from "../../move/module/struct-handles.ts";
import { formatItemId } from "../../move/module-id.ts";
import { partsOf } from "../../move/types/mentioned-structs.ts";
import type { Ability, MoveType } from "../../move/types/types.ts";
import { lacking } from "../compare/type-parameters.ts";
import type { PublishRuleId } from "./rules.ts";

/** The structs that a module names, by `0x1::coin::Coin`. */
export type StructHandles = ReadonlyMap<string, Pick<StructHandle, "abilities" | "typeParams">>;

export type TypePlace = {
  readonly structs: StructHandles;
  readonly params: readonly (readonly Ability[])[];
  /** Which of them are phantom; undefined outside of structs. */
  readonly phantoms?: readonly boolean[];
};

export const ALL: readonly Ability[] = ["copy", "drop", "store", "key"];
const VALUE: readonly Ability[] = ["copy", "drop", "store"];

/** What each ability of a value demands of its parts. Source: `Ability::requires` in file_format.rs. */
export const REQUIRED: Readonly<Record<Ability, Ability>> = { copy: "copy", drop: "drop", store: "store", key: "store" };

export function handlesByName(handles: readonly StructHandle[]): StructHandles {
  return new Map(handles.map((handle) => [formatItemId(handle.plain), handle]));
}

/** The abilities of a type, as its own module declares what it names. Source: `abilities` in move-binary-format's module view. */
export function abilitiesIn(type: MoveType, place: TypePlace): readonly Ability[] {
  switch (type.kind) {
    case "primitive":
      return type.text === "signer" ? ["drop"] : VALUE;
    case "reference":
      return ["copy", "drop"];
    case "parameter":
      return place.params[type.index] ?? [];
    case "function":
      return type.abilities;
    case "vector":
      return kept(VALUE, [abilitiesIn(type.element, place)]);
    case "struct": {
      const handle = place.structs.get(formatItemId(type));
      const counted = type.typeArguments.filter((_, i) => handle?.typeParams[i]?.isPhantom !== true);
      return kept(
        handle?.abilities ?? [],
        counted.map((argument) => abilitiesIn(argument, place)),
      );
    }
    case "unknown":
      return ALL;
  }
}

/** The abilities that stay where each part has what they demand. */
function kept(declared: readonly Ability[], parts: readonly (readonly Ability[])[]): readonly Ability[] {
  return declared.filter((ability) => parts.every((part) => part.includes(REQUIRED[ability])));
}

/**
 * What no type may be where it stands: with a reference inside, with an argument that lacks an ability, or with a phantom
 * parameter that is used. Depth is bounded by the reader of types. Source: signature_v2.rs.
 */
export function* typeProblems(
  type: MoveType,
  place: TypePlace,
  mayBeReference: boolean,
  mayBePhantom = false,
): Generator<readonly [rule: PublishRuleId, reason: string]> {
  switch (type.kind) {
    case "reference":
      if (!mayBeReference) yield ["reference-inside-type", `${type.text} stands inside a type`];
      yield* typeProblems(type.target, place, false, mayBePhantom);
      break;
    case "vector":
      yield* typeProblems(type.element, place, false);
      break;
    case "function":
      for (const part of partsOf(type)) yield* typeProblems(part, place, true);
      break;
    case "parameter":
      if (!mayBePhantom && place.phantoms?.[type.index] === true) yield ["phantom-parameter-used", `${type.text} is phantom`];
      break;
    case "struct": {
      const handle = place.structs.get(formatItemId(type));
      for (const [i, argument] of type.typeArguments.entries()) {
        const declared = handle?.typeParams[i];
        const missing = lacking(abilitiesIn(argument, place), declared?.constraints ?? []);
        if (missing.length > 0) yield ["type-argument-lacks-ability", `${argument.text} in ${type.text} has no ${missing.join(", ")}`];
        yield* typeProblems(argument, place, false, declared?.isPhantom === true);
      }
      break;
    }
    case "primitive":
    case "unknown":
      break;
  }
}
