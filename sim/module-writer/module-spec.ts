import type { FunctionMark } from "../../src/core/move/module/handles.ts";
import type { Ability, MoveType } from "../../src/core/move/types/make-type.ts";
import type { MetadataSpec } from "./module-metadata.ts";

/** A type: its text as the node prints it, or the type itself, which is needed where function types have abilities. */
export type TypeSpec = string | MoveType;

/** A type parameter in words: any of `phantom`, `copy`, `drop`, `store`, `key`, in any order, blanks or `+` between; may be empty. */
export type TypeParameterSpec = string;

/** Fields in their order: names and types. */
export type FieldsSpec = readonly (readonly [name: string, type: TypeSpec])[];

/** An attribute as the metadata holds it; kinds as in `AttributeAbi`. */
export type AttributeSpec = { readonly kind: number; readonly args?: readonly string[] };

/** A struct, or an enum when it has variants. */
export type StructSpec = {
  readonly name: string;
  readonly abilities?: readonly Ability[];
  readonly typeParams?: readonly TypeParameterSpec[];
  readonly fields?: FieldsSpec;
  readonly variants?: readonly { readonly name: string; readonly fields?: FieldsSpec }[];
  readonly native?: boolean;
  readonly attributes?: readonly AttributeSpec[];
};

/** A function. Its body, when it has one, aborts with `abortCode` (0), which is how two versions of one interface can differ. */
export type FunctionSpec = {
  readonly name: string;
  /** `private` when left out. */
  readonly visibility?: "private" | "public" | "friend";
  readonly entry?: boolean;
  readonly native?: boolean;
  readonly typeParams?: readonly TypeParameterSpec[];
  readonly params?: readonly TypeSpec[];
  readonly returns?: readonly TypeSpec[];
  /** Names of structs of this module. */
  readonly acquires?: readonly string[];
  /** `{ kind: 1 }` makes it a view function. */
  readonly attributes?: readonly AttributeSpec[];
  /** What the bytecode itself says of it, from version 8 on. */
  readonly marks?: readonly FunctionMark[];
  readonly abortCode?: number;
  /** Functions that such a body names in calls before it aborts, own or imported ones, such as `0x1::event::emit<0x1::coin::Deposited>`. */
  readonly calls?: readonly string[];
  /** Instructions instead of the abort, each with its opcode and operands; nothing is checked. */
  readonly code?: readonly Uint8Array[];
  /** Types of local variables after the parameters. */
  readonly locals?: readonly TypeSpec[];
};

/** A module to write. Names of other modules are `0x1::coin`. */
export type ModuleSpec = Omit<MetadataSpec, "structs" | "functions"> & {
  /** The bytecode version, 2 to 10; 7 when left out. */
  readonly version?: number;
  readonly address: string;
  readonly name: string;
  readonly friends?: readonly string[];
  /** Modules to refer to besides those whose types occur. */
  readonly dependencies?: readonly string[];
  readonly structs?: readonly StructSpec[];
  readonly functions?: readonly FunctionSpec[];
  /** Functions of other modules to refer to: their handles follow those of the own functions. */
  readonly imports?: readonly (Omit<FunctionSpec, "visibility" | "entry" | "native" | "code"> & { readonly module: string })[];
  /** The rows that generic calls name: a function handle with type arguments. */
  readonly instantiations?: readonly { readonly handle: number; readonly typeArguments: readonly TypeSpec[] }[];
};
