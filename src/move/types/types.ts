import type { ModuleId } from "../module-id.ts";

export type Ability = "copy" | "drop" | "store" | "key";

/**
 * A Move type. `text` is the node's spelling (`&mut 0x1::coin::Coin<T0>`), which leaves out the abilities of function types.
 * Source: aptos-core `third_party/move/move-binary-format` (SignatureToken), `api/types/src/move_types.rs`.
 */
export type MoveType =
  | { readonly kind: "primitive"; readonly text: string }
  | { readonly kind: "vector"; readonly text: string; readonly element: MoveType }
  | { readonly kind: "reference"; readonly text: string; readonly mutable: boolean; readonly target: MoveType }
  | {
      readonly kind: "struct";
      readonly text: string;
      readonly module: ModuleId;
      readonly name: string;
      readonly typeArguments: readonly MoveType[];
    }
  | { readonly kind: "parameter"; readonly text: string; readonly index: number }
  | {
      readonly kind: "function";
      readonly text: string;
      readonly abilities: readonly Ability[];
      readonly params: readonly MoveType[];
      readonly results: readonly MoveType[];
    }
  /** Text from a node that `parseType` could not parse, unchanged. */
  | { readonly kind: "unknown"; readonly text: string };
