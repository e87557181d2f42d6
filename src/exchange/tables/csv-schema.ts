import { harmlessJson } from "../json-text.ts";
import type { ColumnType, Table } from "./table.ts";

/** Each type as the Table Schema names it, and as DuckDB does. Texts of digits, such as the address 0x1, are no numbers. */
const types = {
  text: [{ type: "string" }, "VARCHAR"],
  integer: [{ type: "integer" }, "BIGINT"],
  u64: [{ type: "integer" }, "UBIGINT"],
  bytes: [{ type: "string" }, "VARCHAR"],
  boolean: [{ type: "boolean", trueValues: ["true"], falseValues: ["false"] }, "BOOLEAN"],
  time: [{ type: "datetime", format: "default" }, "TIMESTAMP WITH TIME ZONE"],
} as const satisfies Record<ColumnType, readonly [field: object, duckdb: string]>;

/**
 * The columns of a CSV file with their types and meanings, in JSON: a Table Schema of the Data Package standard. `duckdb_types`
 * is an addition, for the option `types` of DuckDB's `read_csv`.
 * Source: https://datapackage.org/standard/table-schema/
 */
export function csvSchema({ name, meaning, columns }: Table): string {
  const fields = columns.map((column) => ({
    name: column.name,
    ...types[column.type][0],
    description: column.meaning,
    ...(column.isNullable ? {} : { constraints: { required: true } }),
  }));
  const schema = {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    title: name,
    description: meaning,
    fields,
    missingValues: [""],
    duckdb_types: Object.fromEntries(columns.map((column) => [column.name, types[column.type][1]])),
  };
  return `${harmlessJson(schema, 2)}\n`;
}
