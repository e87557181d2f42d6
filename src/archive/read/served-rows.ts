import type { Integer } from "../../engine/engine.ts";

/** Number of a row inside this database. */
export type RowId = Integer;

export type ListedModule = { readonly name: string; readonly bytecode: RowId };
