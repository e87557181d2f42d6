import { describe, expect, test } from "vitest";
import { relations } from "../../src/schema/documentation.ts";
import { relationsText } from "../../src/schema/relation-list.ts";
import { tableList } from "../../src/schema/tables/tables.ts";
import { viewList } from "../../src/schema/views/views.ts";

const named = (name: string) => relations.filter((relation) => relation.name === name);
const ofKind = (kind: "view" | "table") => relations.filter((relation) => relation.kind === kind);

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

describe("relationsText", () => {
  test("prints one view by name", () => {
    expect(relationsText(named("modules_at"))).toMatchInlineSnapshot(`
      "modules_at: Modules, at each sealed snapshot
        key: ledger_version, address, module
        chain_id          integer  the chain
        ledger_version    integer  the sealed snapshot
        address           text     the account as the node prints it (0x1)
        address_long      text     the account as 0x and 64 digits, for joins with other data
        module            text     name of the module
        bytecode_sha256   text     SHA-256 of the bytecode, 64 hex digits
        bytecode_size     integer  size of the bytecode in bytes
        bytecode_version  integer  version of the binary format; null if the bytes do not say
      "
    `);
  });

  test("breaks lines at the terminal's width, meanings below each other", () => {
    expect(relationsText(named("friends_at"), 60)).toMatchInlineSnapshot(`
      "friends_at: Friends that modules declare, at each sealed
        snapshot
        key: ledger_version, address, module, other_address,
             other_module
        chain_id            integer  the chain
        ledger_version      integer  the sealed snapshot
        address             text     the account as the node
                                     prints it (0x1)
        address_long        text     the account as 0x and 64
                                     digits, for joins with other
                                     data
        module              text     name of the module
        other_address       text     account that holds the other
                                     module
        other_module        text     name of the other module
        other_address_long  text     other_address as 0x and 64
                                     digits
      "
    `);
    for (const width of [60, 80, 100, 132]) {
      for (const line of relationsText(ofKind("view"), width).split("\n")) expect(line.length).toBeLessThanOrEqual(width);
    }
  });

  test("prints all views or all tables", () => {
    expect(relationsText(ofKind("view")).match(/^\w+:/gm)).toHaveLength(viewList.length);
    expect(relationsText(ofKind("table")).match(/^\w+:/gm)).toHaveLength(tableList.length);
  });
});
