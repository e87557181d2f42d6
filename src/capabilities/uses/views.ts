import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { named, type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { asInteger, integer, longAddress, text, type ViewData, view } from "../../core/db/schema/view.ts";

// Nearly every module stands once and never had another ABI: all rows of its functions and structs count once, and an index has their
// number. Of the other modules each function and struct is counted by itself, and how often it stands beyond once, or lacks, is added.
const odd = sql`held AS MATERIALIZED (SELECT b.abi_id, count(1) AS n FROM ${moduleSpans} s JOIN _bytecodes b ON b.id = s.bytecode_id
    WHERE s.to_version IS NULL AND b.abi_id IS NOT NULL GROUP BY b.abi_id),
  odd AS MATERIALIZED (SELECT z.id AS abi_id, coalesce(h.n, 0) AS n FROM _abis z LEFT JOIN held h ON h.abi_id = z.id WHERE z.module_id IN
    (SELECT o.module_id FROM _abis o LEFT JOIN held k ON k.abi_id = o.id GROUP BY o.module_id HAVING count(1) > 1 OR coalesce(sum(k.n), 0) <> 1))`;
const oddFunctions = sql`${odd}, odd_functions AS MATERIALIZED (SELECT l.function_id AS id, sum(o.n) - 1 AS n FROM odd o
    JOIN _abi_functions l ON l.abi_id = o.abi_id GROUP BY l.function_id HAVING sum(o.n) <> 1)`;
const oddStructs = sql`odd_structs AS MATERIALIZED (SELECT l.struct_id AS id, sum(o.n) - 1 AS n FROM odd o
    JOIN _abi_structs l ON l.abi_id = o.abi_id GROUP BY l.struct_id HAVING sum(o.n) <> 1)`;

/** For each value of `by` how many rows a table of parts of functions or structs has: `columns` of that number, in two lists. */
const counted = (table: string, by: string, item: "function" | "struct", columns: (count: Sql) => Sql): Sql => {
  const [parts, value] = [named(table), named(by)];
  return sql`SELECT ${value}, ${columns(sql`count(1)`)} FROM ${parts} GROUP BY ${value} UNION ALL SELECT x.${value}, ${columns(sql`sum(o.n)`)}
    FROM ${named(`odd_${item}s`)} o JOIN ${parts} x ON x.${named(`${item}_id`)} = o.id GROUP BY x.${value}`;
};

/** The same of types, which three tables name. */
const countedTypes = (params: (count: Sql) => Sql, returns: (count: Sql) => Sql, fields: (count: Sql) => Sql): Sql =>
  sql`${counted("_function_params", "type_id", "function", params)} UNION ALL ${counted("_function_returns", "type_id", "function", returns)}
    UNION ALL ${counted("_struct_fields", "type_id", "struct", fields)}`;

const ofTypes = sql`(WITH ${oddFunctions}, ${oddStructs} SELECT type_id, sum(params) AS params, sum(returns) AS returns, sum(fields) AS fields FROM (
    ${countedTypes(
      (n) => sql`${n} AS params, 0 AS returns, 0 AS fields`,
      (n) => sql`0, ${n}, 0`,
      (n) => sql`0, 0, ${n}`,
    )}) y GROUP BY type_id)`;
const asUses = (count: Sql): Sql => sql`${count} AS uses`;
// Not counted by type before: that would sort as many rows once more.
const ofStructs = sql`(WITH ${oddFunctions}, ${oddStructs} SELECT u.module_id, u.struct, sum(c.uses) AS uses FROM (
    ${countedTypes(asUses, asUses, asUses)}) c JOIN _type_structs u ON u.type_id = c.type_id GROUP BY u.module_id, u.struct)`;
// An index has calls in the order of what is called, so that only the few others are sorted.
const ofFunctions = sql`(WITH ${oddFunctions}, more AS MATERIALIZED (SELECT x.called_id, sum(o.n) AS n FROM odd_functions o
    JOIN _function_calls x ON x.function_id = o.id GROUP BY x.called_id) SELECT f.called_id, f.n + coalesce(o.n, 0) AS callers FROM
    (SELECT called_id, count(1) AS n FROM _function_calls GROUP BY called_id) f LEFT JOIN more o ON o.called_id = f.called_id)`;

/** How often what everybody asks for first stands in the `…_latest` views, without walking all their rows. */
export const countViews: readonly ViewData[] = [
  view({
    name: "type_counts_latest",
    meaning: "How often each type is taken, returned and held by what stands in the newest sealed snapshots of all accounts",
    of: "c",
    columns: {
      type: text("the type as the node prints it", "t.text"),
      params: integer("its rows in function_params_latest", asInteger(sql`c.params`)),
      returns: integer("its rows in function_returns_latest", asInteger(sql`c.returns`)),
      fields: integer("its rows in fields_latest", asInteger(sql`c.fields`)),
    },
    from: sql`FROM ${ofTypes} c JOIN _types t ON t.id = c.type_id WHERE c.params + c.returns + c.fields > 0`,
  }),
  view({
    name: "struct_counts_latest",
    meaning: "How often each struct is mentioned by what stands in the newest sealed snapshots of all accounts",
    of: "c",
    columns: {
      used_address: text("account that holds the used struct's module", "a.address"),
      used_module: text("name of that module", "m.name"),
      used_struct: text("name of the used struct", "c.struct"),
      uses: integer("its rows in type_uses_latest", asInteger(sql`c.uses`)),
      used_address_long: text("used_address as 0x and 64 digits", longAddress("a.address")),
    },
    from: sql`FROM ${ofStructs} c JOIN _modules m ON m.id = c.module_id JOIN _addresses a ON a.id = m.address_id WHERE c.uses > 0`,
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
