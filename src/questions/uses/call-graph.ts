import type { ItemId, ModuleId } from "../../move/module-id.ts";

/** A function that reaches the function asked about by `depth` calls; 0 is the function itself. */
export type Caller = ItemId & { readonly depth: number };

export type Call = { readonly caller: ItemId; readonly callee: ItemId };

export type CallGraph = {
  /** The functions, the nearest first; those that were asked about at the beginning. */
  readonly functions: readonly Caller[];
  /** The calls between them by which they reach what was asked about; of a graph that was cut perhaps not all. */
  readonly calls: readonly Call[];
  /** Modules that depend on one of these and whose bytecode cannot be read: they may call too. */
  readonly unreadable: readonly ModuleId[];
  /** Whether the graph was cut at the limit of functions or of depth, with more behind it. */
  readonly isCut: boolean;
};
