import { describe, expect, test } from "vitest";
import { relations, schemaMarkdown, schemaText } from "../../src/schema/documentation.ts";
import { tableList } from "../../src/schema/tables.ts";
import { viewList } from "../../src/schema/views.ts";

describe("relations", () => {
  test("describe every view and every table, and each of their columns", () => {
    expect(relations.map(({ name }) => name)).toEqual([...viewList, ...tableList].map(({ name }) => name));
    for (const { meaning, columns } of relations) {
      expect(meaning).toMatch(/^[A-Z].*[^.]$/);
      expect(columns.length).toBeGreaterThan(0);
      for (const column of columns) expect(column.meaning.length).toBeGreaterThan(3);
    }
  });
});

describe("schemaText", () => {
  test("prints one view by name", () => {
    expect(schemaText({ name: "modules_at" })).toMatchInlineSnapshot(`
      "modules_at: Modules at each sealed snapshot
        chain_id          integer  the chain
        ledger_version    integer  the sealed snapshot
        address           text     the account as the node prints it (0x1)
        address_long      text     the account as 0x and 64 digits, for joins with other data
        name              text     name of the module
        bytecode_sha256   text     SHA-256 of the bytecode, 64 hex digits
        bytecode_size     integer  size of the bytecode in bytes
        bytecode_version  integer  version of the binary format, null when the bytes do not say
      "
    `);
  });
  test("prints all views or all tables", () => {
    expect(schemaText({ kind: "view" })?.match(/^\w+:/gm)).toHaveLength(viewList.length);
    expect(schemaText({ kind: "table" })?.match(/^\w+:/gm)).toHaveLength(tableList.length);
  });
  test("is undefined for a name that is neither", () => {
    expect(schemaText({ name: "nothing" })).toBeUndefined();
  });
});

describe("schemaMarkdown", () => {
  test("has a section for each view that has its own columns", () => {
    const headings = schemaMarkdown().match(/^#### `\w+`/gm);
    expect(headings).toEqual(viewList.filter(({ name }) => !name.endsWith("_latest")).map(({ name }) => `#### \`${name}\``));
    expect(schemaMarkdown()).toContain("| `bytecode_sha256` | text |");
  });
});
