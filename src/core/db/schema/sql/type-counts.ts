import { joined, named, type Sql, sql } from "./sql.ts";

// Nearly every module stands once and never had another ABI: all rows of its functions and structs count once, and an index has their
// number. Of the other modules each function and struct is counted by itself, and how often it stands beyond once, or lacks, is added.
const odd = sql`held AS MATERIALIZED (SELECT b.abi_id, count(1) AS n FROM _listing_spans s CROSS JOIN _listing_modules m CROSS JOIN _bytecodes b
    WHERE s.to_version IS NULL AND m.listing_id = s.listing_id AND b.id = m.bytecode_id AND b.abi_id IS NOT NULL GROUP BY b.abi_id),
  odd AS MATERIALIZED (SELECT z.id AS abi_id, coalesce(h.n, 0) AS n FROM _abis z LEFT JOIN held h ON h.abi_id = z.id WHERE z.module_id IN
    (SELECT o.module_id FROM _abis o LEFT JOIN held k ON k.abi_id = o.id GROUP BY o.module_id HAVING count(1) > 1 OR coalesce(sum(k.n), 0) <> 1))`;
/** How often functions stand now beyond once, as two steps of a WITH: `id` and `n`, of all whose number is not 1. */
export const oddFunctions = sql`${odd}, odd_functions AS MATERIALIZED (SELECT l.function_id AS id, sum(o.n) - 1 AS n FROM odd o
    JOIN _abi_functions l ON l.abi_id = o.abi_id GROUP BY l.function_id HAVING sum(o.n) <> 1)`;
const oddStructs = sql`odd_structs AS MATERIALIZED (SELECT l.struct_id AS id, sum(o.n) - 1 AS n FROM odd o
    JOIN _abi_structs l ON l.abi_id = o.abi_id GROUP BY l.struct_id HAVING sum(o.n) <> 1)`;

/** The lists that name types: the column that counts it, its table, and whose list it is. */
const lists = [
  ["params", "_function_params", "function"],
  ["returns", "_function_returns", "function"],
  ["fields", "_struct_fields", "struct"],
] as const;

/** Sums up rows of types that have a number in the column of one list each. */
const summed = (rowsOf: (list: (typeof lists)[number], columns: (count: Sql) => Sql) => Sql): Sql => {
  const columnsOf = (own: string) => (count: Sql) =>
    joined(
      lists.map(([column]) => sql`${column === own ? count : sql`0`} AS ${named(column)}`),
      ", ",
    );
  const rows = joined(
    lists.map((list) => rowsOf(list, columnsOf(list[0]))),
    " UNION ALL ",
  );
  return sql`SELECT type_id, sum(params) AS params, sum(returns) AS returns, sum(fields) AS fields FROM (${rows}) y GROUP BY type_id`;
};

/** How often each type is taken, returned and held by what stands now, counted: `type_id`, `params`, `returns`, `fields`. */
export const countedTypes = sql`SELECT * FROM (WITH ${oddFunctions}, ${oddStructs} ${summed(
  ([, table, item], columns) => sql`SELECT type_id, ${columns(sql`count(1)`)} FROM ${named(table)} GROUP BY type_id
    UNION ALL SELECT x.type_id, ${columns(sql`o.n`)} FROM ${named(`odd_${item}s`)} o CROSS JOIN ${named(table)} x WHERE x.${named(`${item}_id`)} = o.id`,
)}) c WHERE params + returns + fields > 0`;

/** The same for ABIs of a table `edits`, as often as it says (`abi_id`, `n`). */
export const typesOfAbis = (edits: string): Sql =>
  summed(([, table, item], columns) => {
    const key = named(`${item}_id`);
    return sql`SELECT x.type_id, ${columns(sql`e.n`)} FROM ${named(edits)} e CROSS JOIN ${named(`_abi_${item}s`)} l CROSS JOIN ${named(table)} x
      WHERE l.abi_id = e.abi_id AND x.${key} = l.${key}`;
  });
