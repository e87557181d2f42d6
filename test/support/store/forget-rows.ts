import { contentTables, searchTables } from "../../../src/core/db/schema/tables/content.ts";
import { countTables, derivedTables } from "../../../src/core/db/schema/tables/derived.ts";
import { changeFile } from "./ask-file.ts";

/** Referring ones before those that they refer to. */
const derived = [...Object.values({ ...derivedTables, ...countTables, ...searchTables }).reverse(), contentTables.modules].map(
  ({ name }) => name,
);

/** Leaves a database as a run does that is killed after the bytecode was stored and before a row was derived. */
export function forgetRows(path: string): void {
  changeFile(
    path,
    "UPDATE _bytecodes SET derived_by = NULL, abi_id = NULL, error_code = NULL, error_offset = NULL, error_message = NULL",
    ...derived.map((table) => `DELETE FROM ${table}`),
  );
}
