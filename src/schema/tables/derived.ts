import type { TableData } from "../table.ts";
import { abiTables } from "./abi-rows.ts";
import { functionTables } from "./function-rows.ts";
import { structTables } from "./struct-rows.ts";
import { typeTables } from "./type-rows.ts";

/**
 * What follows from bytecode, and can be derived from it again at any time. A function or struct of a module is one row however many
 * ABIs of that module have it: link tables say which ABI has it at which place. `verify` derives every row again.
 * Tables that others refer to come first.
 */
export const derivedTables = { ...typeTables, ...functionTables, ...structTables, ...abiTables } as const satisfies Record<
  string,
  TableData
>;
