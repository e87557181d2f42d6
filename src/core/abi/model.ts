import type { Address } from "../move/address.ts";
import type { ModuleId } from "../move/module-id.ts";
import type { Ability, MoveType } from "../move/types/make-type.ts";

/** Who may call a function from code. `entry` is independent of it: only transactions can call a private entry function. */
export type Visibility = "private" | "friend" | "public";

/** One type parameter of a function or struct. Functions have no phantom parameters. */
export type TypeParameterAbi = { readonly constraints: readonly Ability[]; readonly isPhantom: boolean };

/**
 * An attribute from the module's metadata. Kinds 0 and 1 are view, 2 resource group (scope), 3 its member (container), 4 event, 5
 * randomness (max gas); others are kept. Source: aptos-core `types/src/vm/module_metadata.rs`.
 */
export type AttributeAbi = { readonly kind: number; readonly args: readonly string[] };

/** The kinds of attributes. Views had another number at first. */
export const attributeKinds = { firstView: 0, view: 1, group: 2, groupMember: 3, event: 4, randomness: 5 } as const;

export function isViewAttribute({ kind }: AttributeAbi): boolean {
  return kind === attributeKinds.view || kind === attributeKinds.firstView;
}

export type FunctionAbi = {
  readonly name: string;
  readonly visibility: Visibility;
  readonly isEntry: boolean;
  readonly isView: boolean;
  readonly isNative: boolean;
  readonly typeParams: readonly TypeParameterAbi[];
  readonly params: readonly MoveType[];
  readonly returns: readonly MoveType[];
  /** Names of this module's resources that the function accesses, in table order. */
  readonly acquires: readonly string[];
  readonly attributes: readonly AttributeAbi[];
};

/** Whether a node of today prints the function, among its `exposed_functions`: it can be called from outside its module. */
export function isExposed({ visibility, isEntry, isView }: FunctionAbi): boolean {
  return visibility !== "private" || isEntry || isView;
}

/** One field of a struct or of an enum's variant. */
export type FieldAbi = { readonly name: string; readonly type: MoveType };

export type VariantAbi = { readonly name: string; readonly fields: readonly FieldAbi[] };

/** One struct or enum definition. An enum has variants and no fields of its own. */
export type StructAbi = {
  readonly name: string;
  readonly isNative: boolean;
  readonly isEvent: boolean;
  readonly isEnum: boolean;
  readonly abilities: readonly Ability[];
  readonly typeParams: readonly TypeParameterAbi[];
  readonly fields: readonly FieldAbi[];
  readonly variants: readonly VariantAbi[];
  readonly attributes: readonly AttributeAbi[];
};

export function allFields({ fields, variants }: Pick<StructAbi, "fields" | "variants">): readonly FieldAbi[] {
  return [...fields, ...variants.flatMap((variant) => variant.fields)];
}

/** One row of a module's error map: an abort reason, the name of its constant and its description. */
export type ErrorCodeAbi = { readonly code: bigint; readonly name: string; readonly description: string };

/**
 * A module's interface. Lists keep the order of the bytecode's tables. If it was read from a node's JSON instead of the
 * bytecode (`decoder` in the store), everything that the JSON leaves out is empty.
 */
export type ModuleAbi = {
  readonly address: Address;
  readonly name: string;
  readonly friends: readonly ModuleId[];
  /** Other modules that the bytecode refers to, in the order of the module handles. */
  readonly dependencies: readonly ModuleId[];
  /** Every definition: public, friend, private and native. */
  readonly functions: readonly FunctionAbi[];
  readonly structs: readonly StructAbi[];
  readonly errors: readonly ErrorCodeAbi[];
};
