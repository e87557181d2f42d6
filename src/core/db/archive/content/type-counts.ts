import type { Engine, Transaction } from "../../engine/engine.ts";
import { contentTurn, jsonEach, spansTurn } from "../../schema/sql/functions.ts";
import { uncounted } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { countedTypes, typesOfAbis } from "../../schema/sql/type-counts.ts";

const counted = sql`SELECT 1 FROM _type_counts LIMIT 1`;
// To count all again is faster than to follow a seal that changes more accounts than had modules before: the first one, as a rule.
const isFollowed = sql`SELECT 1 WHERE EXISTS (${counted}) AND (SELECT count(*) FROM listing_edits) <=
  (SELECT count(*) FROM _listing_spans WHERE to_version IS NULL AND listing_id IS NOT NULL)`;
const forget = sql`DELETE FROM _type_counts`;
const fill = sql`INSERT INTO _type_counts (type_id, params, returns, fields) ${countedTypes}`;
const add = sql`INSERT INTO _type_counts (type_id, params, returns, fields) ${typesOfAbis("count_edits")}
  ON CONFLICT (type_id) DO UPDATE SET params = _type_counts.params + excluded.params, returns = _type_counts.returns + excluded.returns,
    fields = _type_counts.fields + excluded.fields`;
const clear = sql`DELETE FROM _type_counts WHERE params = 0 AND returns = 0 AND fields = 0`;

const standing = sql`SELECT s.listing_id FROM _listing_spans s WHERE s.to_version IS NULL AND s.listing_id IS NOT NULL
  AND s.address_id IN (SELECT address_id FROM listing_edits)`;
const differing = sql`SELECT b.abi_id, sum(s.n) AS n FROM (SELECT listing_id, -1 AS n FROM stood UNION ALL SELECT listing_id, 1 FROM (${standing}) t) s
  CROSS JOIN _listing_modules m CROSS JOIN _bytecodes b WHERE m.listing_id = s.listing_id AND b.id = m.bytecode_id AND b.abi_id IS NOT NULL
  GROUP BY b.abi_id HAVING sum(s.n) <> 0`;
const derived = sql`SELECT b.abi_id, count(1) AS n FROM ${jsonEach(":ids::json", "j")} CROSS JOIN _bytecodes b CROSS JOIN _listing_modules m
  CROSS JOIN _listing_spans s WHERE b.id = CAST(j.value AS bigint) AND b.abi_id IS NOT NULL AND m.bytecode_id = b.id
  AND s.listing_id = m.listing_id AND s.to_version IS NULL GROUP BY b.abi_id`;

/** Counts the types of all that stands, where they are not counted yet (`uncounted`). */
export async function fillCounts(engine: Engine): Promise<void> {
  await engine.transaction(async (tx) => {
    await tx.all(contentTurn);
    await tx.all(spansTurn);
    if ((await tx.first(uncounted)) !== undefined) await tx.run(fill);
  });
}

/** Runs what changes the spans of the accounts of the staged `listing_edits`, and counts the types of what stands differently then. */
export async function countSeal(tx: Transaction, seal: () => Promise<void>): Promise<void> {
  const follows = (await tx.first(isFollowed)) !== undefined;
  if (follows) await tx.stageSelect("stood", standing);
  await seal();
  if (follows) return count(tx, differing);
  await tx.run(forget);
  await tx.run(fill);
}

/** Counts the types of stored bytecodes that have their rows only now. */
export async function countDerived(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  // Before the question: a seal that counts all now does not see these rows.
  await tx.all(spansTurn);
  if ((await tx.first(counted)) !== undefined) await count(tx, derived, { ids: JSON.stringify(ids) });
}

async function count(tx: Transaction, edits: Sql, values?: { readonly ids: string }): Promise<void> {
  await tx.stageSelect("count_edits", edits, values);
  await tx.run(add);
  await tx.run(clear);
}
