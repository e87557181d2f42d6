import { expect } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/index.ts";
import { listsOf, sealModules, test } from "../../support/index.ts";

const spec: ModuleSpec = {
  version: 8,
  address: "0xcafe",
  name: "pool",
  friends: ["0xcafe::router"],
  structs: [
    {
      name: "Pool",
      abilities: ["key"],
      typeParams: ["phantom", "store + drop"],
      fields: [
        ["coins", "vector<0x1::coin::Coin<T0>>"],
        ["owner", "address"],
      ],
      attributes: [{ kind: 3, args: ["0x1::object::ObjectGroup"] }],
    },
    {
      name: "State",
      abilities: ["copy", "drop"],
      variants: [{ name: "Empty" }, { name: "Held", fields: [["pool", "0x1::option::Option<0xcafe::pool::Key>"]] }],
    },
    { name: "Key", abilities: ["copy", "drop", "store"], fields: [["id", "u64"]] },
  ],
  functions: [
    { name: "deposit", visibility: "public", entry: true, params: ["&signer", "u64"] },
    {
      name: "price",
      visibility: "public",
      typeParams: ["key"],
      params: ["&0xcafe::pool::Pool<T0, u64>"],
      returns: ["u128", "0xcafe::pool::Key"],
      attributes: [{ kind: 1 }],
    },
    { name: "rebalance", visibility: "friend" },
    { name: "secret", acquires: ["Pool"] },
    { name: "fast", native: true, visibility: "public" },
  ],
  errors: [
    { code: 1n, name: "EPOOR", description: "Not enough coins" },
    { code: 2n ** 64n - 1n, name: "ELAST", description: "" },
  ],
} as ModuleSpec;

test("the views of a module show all that its ABI holds", async ({ place }) => {
  const path = place.file("archive.db");
  await sealModules(path, [{ version: 10n, accounts: { "0xcafe": [writeModule(spec)] } }]);
  const rows = (view: string, columns: string, order = "1, 2, 3") =>
    listsOf<unknown[]>(path, `SELECT ${columns} FROM ${view} ORDER BY ${order}`).map((row) => row.join(" | "));
  const shown = {
    functions: rows("functions_at", "name, visibility, is_entry, is_view, is_native, signature"),
    params: rows("function_params_at", "function, position, type"),
    returns: rows("function_returns_at", "function, position, type"),
    typeParams: rows("type_params_at", "item, item_kind, position, is_phantom, has_copy, has_drop, has_store, has_key"),
    structs: rows("structs_at", "name, is_native, is_event, is_enum, has_copy, has_drop, has_store, has_key"),
    fields: rows("fields_at", "struct, variant, position, name, type"),
    variants: rows("variants_at", "struct, position, name"),
    attributes: rows("attributes_at", "item, item_kind, kind, args"),
    friends: rows("friends_at", "module, other_address, other_module"),
    dependencies: rows("dependencies_at", "module, other_address, other_module"),
    errors: rows("error_codes_at", "code, name, description, typeof(code)"),
    uses: rows("type_uses_at", "item, item_kind, place, used_address, used_module, used_struct", "1, 3, 5, 6"),
    first: rows("functions_latest", "chain_id, ledger_version, address, address_long, module, name", "name")[0],
  };
  await expect(JSON.stringify(shown, null, 1)).toMatchFileSnapshot("abi-rows.txt");
});
