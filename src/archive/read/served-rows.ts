import type { Integer } from "../../engine/engine.ts";

/** Number of a row inside this database. */
export type RowId = Integer;

/** A module of a listing. */
export type ListedModule = { readonly name: string; readonly bytecode: RowId };
