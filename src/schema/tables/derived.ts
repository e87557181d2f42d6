import { abiTables, typeTables } from "./abi-rows.ts";
import { functionTables } from "./function-rows.ts";
import { structTables } from "./struct-rows.ts";

/**
 * What follows from bytecode and can be derived from it again. A function or struct is one row for all ABIs of its module; link
 * tables give the places. Tables that others refer to come first.
 */
export const derivedTables = { ...typeTables, ...functionTables, ...structTables, ...abiTables };
