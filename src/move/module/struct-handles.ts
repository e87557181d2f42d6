import type { ModuleId } from "../module-id.ts";
import { abilitiesOf } from "../types/abilities.ts";
import { plainStructType, type StructType } from "../types/make-type.ts";
import type { Ability } from "../types/types.ts";
import type { Cursor } from "./cursor.ts";
import { TYPE_PARAMETER_COUNT_MAX } from "./limits.ts";
import { readRows } from "./rows.ts";

export type TypeParameter = { readonly constraints: readonly Ability[]; readonly isPhantom: boolean };

export type StructHandle = {
  /** Its type without arguments; of a generic struct only module, name and text are meaningful. */
  readonly plain: StructType;
  readonly abilities: readonly Ability[];
  readonly typeParams: readonly TypeParameter[];
};

/** The type parameters of an item without any: one shared list, since nearly all items have none. */
const NO_TYPE_PARAMETERS: readonly TypeParameter[] = [];

export type HandlePools = {
  readonly version: number;
  readonly identifiers: readonly string[];
  readonly modules: readonly ModuleId[];
};

export function readStructHandles(cursor: Cursor, pools: HandlePools): StructHandle[] {
  return readRows(cursor, () => {
    const module = cursor.pick(pools.modules, "module handles");
    const name = cursor.pick(pools.identifiers, "identifiers");
    const abilities = readAbilities(cursor, pools.version, "struct");
    const typeParams = readTypeParameters(cursor, pools.version, "structParameter");
    return { plain: plainStructType(module, name), abilities, typeParams };
  });
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

export function readTypeParameters(cursor: Cursor, version: number, place: keyof typeof KINDS): readonly TypeParameter[] {
  const count = cursor.uleb(TYPE_PARAMETER_COUNT_MAX);
  if (count === 0) return NO_TYPE_PARAMETERS;
  const mayBePhantom = place === "structParameter" && version >= 3;
  const params: TypeParameter[] = [];
  for (let i = 0; i < count; i++) {
    const constraints = readAbilities(cursor, version, place);
    params.push({ constraints, isPhantom: mayBePhantom && cursor.uleb(1) === 1 });
  }
  return params;
}
