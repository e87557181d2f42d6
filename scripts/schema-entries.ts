import { writeFileSync } from "node:fs";
import { camelCase } from "../src/capabilities/drizzle/relations.ts";
import { contractOf, contractSentences } from "../src/capabilities/schema/contract.ts";
import { type ColumnType, type Kind, kinds } from "../src/core/db/schema/column.ts";
import { tableList } from "../src/core/db/schema/tables/tables.ts";
import { isNullable, type ViewData } from "../src/core/db/schema/view.ts";
import { viewList } from "../src/core/db/schema/views/views.ts";

// Writes `movedex/schema/sqlite`, `movedex/schema/postgresql` and the row types of `movedex/views` as text, since modules need their
// exports and types as text. At run time, src/capabilities/drizzle and src/capabilities/postgresql make the same tables and views.

/** What TypeScript calls the value of a column, as `DrizzleValue` says. */
const typeNames: Readonly<Record<Kind, string>> = {
  text: "string",
  int: "number",
  version: "number",
  u64: "bigint",
  bytes: "Uint8Array",
  json: "unknown",
  bool: "boolean",
  time: "Date",
};

/** What `archive.query` gives for a column of a view: an integer above 2^63 - 1 is text in a file, and a time is text. */
const cellNames: Readonly<Record<ColumnType, string>> = {
  text: "string",
  integer: "bigint",
  u64: "bigint | string",
  boolean: "0n | 1n",
  time: "string",
};

type Column = { readonly name: string; readonly type: string; readonly meaning: string };
type Relation = { readonly name: string; readonly meaning: string; readonly columns: readonly Column[] };

const contracts = Object.fromEntries(viewList.map(({ name }) => [name, contractOf(name)]));
const described = (view: ViewData): string => [view.meaning, ...contractSentences(view.name)].join(". ");

const views: readonly Relation[] = viewList.map(({ columns, ...view }) => ({
  name: view.name,
  meaning: described({ columns, ...view }),
  columns: Object.entries(columns).map(([column, about]) => ({
    name: column,
    type: typeNames[about.kind] + (isNullable(about) ? " | null" : ""),
    meaning: about.meaning,
  })),
}));

const tables: readonly Relation[] = tableList.map(({ name, meaning, columns }) => ({
  name,
  meaning,
  columns: Object.entries(columns).map(([column, about]) => ({
    name: column,
    type: typeNames[about.kind] + (about.nullable === true ? " | null" : ""),
    meaning: about.meaning,
  })),
}));

/** Writes the files that the package's entries for drizzle name, beside the bundles of src/capabilities/drizzle in the same folder. */
export function writeSchemaEntries(folder: string): void {
  const write = (file: string, text: string): void => writeFileSync(`${folder}/${file}`, text);
  write("schema-columns.d.ts", columnsText());
  write("views.d.ts", viewRowsText());
  write("views.js", `export const contracts = ${JSON.stringify(contracts)};\n`);
  write("schema-sqlite.d.ts", declarations("capabilities/drizzle/sqlite", "Sqlite"));
  write("schema-postgresql.d.ts", declarations("capabilities/drizzle/postgresql", "Postgresql") + inSchemaType());
  write(
    "schema-sqlite.js",
    `import { sqliteTables as tables, sqliteViews } from "./drizzle-sqlite.js";\nexport { tables };\n${taken("sqliteViews")}`,
  );
  write(
    "schema-postgresql.js",
    `import { postgresqlTables, postgresqlViews } from "./drizzle-postgresql.js";
export const inSchema = (name) => ({ ...postgresqlViews(name), tables: postgresqlTables(name) });
export const tables = postgresqlTables("movedex");
${taken('postgresqlViews("movedex")')}`,
  );
}

/** The rows of every view as `archive.query` gives them, by the view's name. */
function viewRowsText(): string {
  const rows = viewList.map((view) => {
    const { name, columns } = view;
    const members = Object.entries(columns).map(
      ([column, about]) =>
        `${doc(about.meaning, "    ")}    readonly ${column}: ${cellNames[kinds[about.kind].type]}${isNullable(about) ? " | null" : ""};\n`,
    );
    return `${doc(described(view), "  ")}  readonly ${name}: {\n${members.join("")}  };\n`;
  });
  const contract =
    "{ readonly key?: readonly string[]; readonly notNull: readonly string[]; readonly references: readonly { readonly columns: readonly string[]; readonly parent: keyof ViewRows }[] }";
  return `/** What holds of every row of each view: its key, columns that are never null, and columns that hold the key of another view. */
export declare const contracts: { readonly [View in keyof ViewRows]: ${contract} };
/** What \`SELECT *\` of each public view gives by \`archive.query\`. */\nexport type ViewRows = {\n${rows.join("")}};\n`;
}

function taken(from: string): string {
  return `export const {\n${views.map(({ name }) => `  ${camelCase(name)},\n`).join("")}} = ${from};\n`;
}

/** The columns of every view and table: what each is called in the database, and what its values are. */
function columnsText(): string {
  return [...views.map((view) => columnType(view, "View")), ...tables.map((table) => columnType(table, "Table"))].join("\n");
}

function columnType({ name, columns }: Relation, kind: "View" | "Table"): string {
  const lines = columns.map((column) => `${doc(column.meaning, "  ")}  ${camelCase(column.name)}: ["${column.name}", ${column.type}];\n`);
  return `export type ${typeName(name, kind)} = {\n${lines.join("")}};\n`;
}

function declarations(file: string, prefix: string): string {
  const declared = views.map(
    ({ name, meaning }) =>
      `${doc(meaning)}export declare const ${camelCase(name)}: ${prefix}View<"${name}", columns.${typeName(name, "View")}>;\n`,
  );
  const inside = tables.map(
    ({ name, meaning }) => `${doc(meaning, "  ")}  ${camelCase(name)}: ${prefix}Table<"${name}", columns.${typeName(name, "Table")}>;\n`,
  );
  return `import type { ${prefix}Table, ${prefix}View } from "./${file}.js";
import type * as columns from "./schema-columns.js";
${declared.join("")}/** The tables behind the views. They are no contract: a newer movedex may have others. */
export declare const tables: {
${inside.join("")}};
`;
}

function inSchemaType(): string {
  const members = ["tables", ...views.map(({ name }) => camelCase(name))];
  return `/** All of this in another schema than \`movedex\`. */
export declare function inSchema(name: string): {
${members.map((name) => `  ${name}: typeof ${name};\n`).join("")}};
`;
}

function typeName(name: string, kind: "View" | "Table"): string {
  const camel = camelCase(name);
  return `${(camel[0] as string).toUpperCase()}${camel.slice(1)}${kind}`;
}

function doc(text: string, indent = ""): string {
  return `${indent}/** ${text.replaceAll("*/", "* /")} */\n`;
}
