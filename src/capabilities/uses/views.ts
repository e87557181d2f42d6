import { sql } from "../../core/db/schema/sql/sql.ts";
import { oddFunctions } from "../../core/db/schema/sql/type-counts.ts";
import { asInteger, integer, longAddress, text, type ViewData, view } from "../../core/db/schema/view.ts";

const ofStructs = sql`(SELECT u.module_id, u.struct, sum(c.params + c.returns + c.fields) AS uses
    FROM _type_counts c JOIN _type_structs u ON u.type_id = c.type_id GROUP BY u.module_id, u.struct)`;
// Not by joins: who asks for the most used pays for the names of these alone.
const usedAddress = sql`(SELECT a.address FROM _modules m JOIN _addresses a ON a.id = m.address_id WHERE m.id = c.module_id)`;
// An index has calls in the order of what is called, so that only the few others are sorted.
const ofFunctions = sql`(WITH ${oddFunctions}, more AS MATERIALIZED (SELECT x.called_id, sum(o.n) AS n FROM odd_functions o
    CROSS JOIN _function_calls x WHERE x.function_id = o.id GROUP BY x.called_id) SELECT f.called_id, f.n + coalesce(o.n, 0) AS callers FROM
    (SELECT called_id, count(1) AS n FROM _function_calls GROUP BY called_id) f LEFT JOIN more o ON o.called_id = f.called_id)`;

/** How often what everybody asks for first stands in the `…_latest` views, without walking all their rows. */
export const countViews: readonly ViewData[] = [
  view({
    name: "type_counts_latest",
    meaning: "How often each type is taken, returned and held by what stands in the newest sealed snapshots of all accounts",
    of: "c",
    columns: {
      type: text("the type as the node prints it", "t.text"),
      params: integer("its rows in function_params_latest", "c.params"),
      returns: integer("its rows in function_returns_latest", "c.returns"),
      fields: integer("its rows in fields_latest", "c.fields"),
    },
    from: sql`FROM _type_counts c JOIN _types t ON t.id = c.type_id`,
  }),
  view({
    name: "struct_counts_latest",
    meaning: "How often each struct is mentioned by what stands in the newest sealed snapshots of all accounts",
    of: "c",
    columns: {
      used_address: text("account that holds the used struct's module", usedAddress),
      used_module: text("name of that module", sql`(SELECT m.name FROM _modules m WHERE m.id = c.module_id)`),
      used_struct: text("name of the used struct", "c.struct"),
      uses: integer("its rows in type_uses_latest", asInteger(sql`c.uses`)),
      used_address_long: text("used_address as 0x and 64 digits", longAddress(usedAddress)),
    },
    from: sql`FROM ${ofStructs} c`,
  }),
  view({
    name: "call_counts_latest",
    meaning: "How many functions call each function in the newest sealed snapshots of all accounts",
    of: "c",
    columns: {
      callee_address: text("account that holds the module of the called function", "a.address"),
      callee_module: text("name of that module", "m.name"),
      callee_function: text("name of the called function", "d.name"),
      callers: integer("its rows in function_calls_latest, one for each function that calls it", asInteger(sql`c.callers`)),
      callee_address_long: text("callee_address as 0x and 64 digits", longAddress("a.address")),
    },
    from: sql`FROM ${ofFunctions} c JOIN _called_functions d ON d.id = c.called_id JOIN _modules m ON m.id = d.module_id
      JOIN _addresses a ON a.id = m.address_id WHERE c.callers > 0`,
  }),
];
