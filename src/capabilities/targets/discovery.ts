import { frameworkAccounts, targetQueries } from "../../core/crawl/targets/targets.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { rowOf, text, whole } from "../../core/db/engine/row-shape.ts";
import { moduleSpans } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import type { Address } from "../../core/move/address.ts";
import type { NewTarget } from "./target-list.ts";

/** An account that a stored module refers to and that is no target. */
const discovery = rowOf({
  address: text<Address>("address"),
  reason: text<"dependency" | "friend" | "type">("reason"),
  /** The module that refers to it, as `0x1::coin`. */
  via: text("holder || '::' || module"),
  /** Steps of that module's account from a target that was not discovered; 0 when it is no target itself. */
  viaDepth: whole("depth"),
});

const typesOf = (list: Sql, item: Sql, table: Sql): Sql => sql`SELECT l.abi_id, 'type', 3, u.module_id FROM ${list} l
  JOIN ${table} x ON x.${item} = l.${item} JOIN _type_structs u ON u.type_id = x.type_id`;
const references = sql`SELECT abi_id, 'dependency' AS reason, 1 AS rank, module_id FROM _abi_dependencies
  UNION ALL SELECT abi_id, 'friend', 2, module_id FROM _abi_friends
  UNION ALL ${typesOf(sql`_abi_functions`, sql`function_id`, sql`_function_params`)}
  UNION ALL ${typesOf(sql`_abi_functions`, sql`function_id`, sql`_function_returns`)}
  UNION ALL ${typesOf(sql`_abi_structs`, sql`struct_id`, sql`_struct_fields`)}`;
const found = sql`SELECT ${discovery.columns} FROM (
    SELECT a.address, r.reason, h.address AS holder, s.name AS module, coalesce(t.depth, 0) AS depth,
      row_number() OVER (PARTITION BY a.id ORDER BY r.rank, coalesce(t.depth, 0), length(h.address), h.address, s.name) AS place
    FROM ${moduleSpans} s JOIN _bytecodes b ON b.id = s.bytecode_id JOIN (${references}) r ON r.abi_id = b.abi_id
    JOIN _modules m ON m.id = r.module_id JOIN _addresses a ON a.id = m.address_id JOIN _addresses h ON h.id = s.address_id
    LEFT JOIN _targets t ON t.address_id = s.address_id WHERE s.to_version IS NULL AND a.id NOT IN (SELECT address_id FROM _targets)
  ) found WHERE place = 1 ORDER BY length(address), address`;

/**
 * The accounts that stored modules depend on, befriend or mention, at most `depth` steps from a target. The first discoveries
 * bring the framework accounts, which `sync` reads only while the list is empty.
 */
export async function findTargets(engine: Engine, depth: number): Promise<NewTarget[]> {
  const targets = (await discovery.all(engine, found))
    .map(({ address, reason, via, viaDepth }): NewTarget => ({ address, reason, via, depth: viaDepth + 1 }))
    .filter((target) => target.depth <= depth);
  if (await targetQueries(engine).hasTargets()) return targets;
  const defaults = frameworkAccounts.map((address): NewTarget => ({ address, reason: "default", via: null, depth: 0 }));
  const isDefault = new Set(frameworkAccounts);
  return [...defaults, ...targets.filter(({ address }) => !isDefault.has(address))];
}
