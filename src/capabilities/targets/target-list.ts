import { frameworkAccounts, targetQueries } from "../../core/crawl/targets/targets.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { condition, orNull, rowOf, rowOfColumns, text, version, whole } from "../../core/db/engine/row-shape.ts";
import { checksumOf } from "../../core/db/schema/sql/checksum.ts";
import { includesVersion, internAddresses, moduleSpans, sealed } from "../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { workTables } from "../../core/db/schema/tables/work.ts";
import type { Address } from "../../core/move/address.ts";

/** Why an account is known. */
export type TargetReason = "default" | "given" | "imported" | "dependency" | "friend" | "type";

/**
 * An account to crawl. `via` is the module that led to it (`0x1::coin`), `depth` the steps from a target that was not discovered;
 * `addedBy` is who added it and `label` what they call it, where that was said.
 */
export type NewTarget = {
  readonly address: Address;
  readonly reason: TargetReason;
  readonly via: string | null;
  readonly depth: number;
  readonly addedBy?: string | null;
  readonly label?: string | null;
};

/** What the newest sealed snapshot with an answer about an account says of it. */
export type LastRead = { readonly version: bigint; readonly sealedAt: number; readonly hasModules: boolean };

/** A target of the list: its account's row, and when it was read last; undefined of one that never was or that was removed. */
export type ListedTarget = ReturnType<typeof listed.read>;

const stagedTargets = {
  name: "staged_targets",
  columns: {
    address: { kind: "text" },
    reason: { kind: "text" },
    via: { kind: "text" },
    depth: { kind: "int" },
    added_by: { kind: "text" },
    label: { kind: "text" },
  },
} as const;
const stagedAddresses = { name: "staged_addresses", columns: { address: { kind: "text" } } } as const;

const addAddresses = internAddresses(sql`staged_targets`);
const relabel = sql`UPDATE _targets SET label = s.label FROM staged_targets s JOIN _addresses a ON a.address = s.address
  WHERE a.id = _targets.address_id AND _targets.removed_at IS NULL AND s.label IS NOT NULL`;
const add = sql`INSERT INTO _targets (address_id, reason, via, depth, added_at, added_by, label)
  SELECT a.id, s.reason, s.via, s.depth, :now::time, s.added_by, s.label FROM staged_targets s JOIN _addresses a ON a.address = s.address WHERE true
  ON CONFLICT (address_id) DO UPDATE SET reason = excluded.reason, via = excluded.via, depth = excluded.depth, added_at = excluded.added_at,
    added_by = excluded.added_by, label = excluded.label, removed_at = NULL
  WHERE _targets.removed_at IS NOT NULL`;
// Those, too, that this very call has removed, whose COMMIT went unanswered.
const remove = sql`UPDATE _targets SET removed_at = :now::time WHERE (removed_at IS NULL OR removed_at = :now::time)
  AND address_id IN (SELECT a.id FROM _addresses a JOIN staged_addresses s ON s.address = a.address)`;
const checkIn = (staged: Sql): Sql => sql`UPDATE _targets SET checksum = ${checksumOf(workTables.targets)}
  WHERE address_id IN (SELECT a.id FROM _addresses a JOIN ${staged} s ON s.address = a.address)`;
const [checkAdded, checkRemoved] = [checkIn(sql`staged_targets`), checkIn(sql`staged_addresses`)];
// A stretch without an end reaches to the newest snapshot.
const newestCovering = sql`(SELECT coalesce(c.to_version, (SELECT max(n.ledger_version) FROM _all_snapshots n WHERE ${sealed("n")})) FROM _coverage c
    WHERE c.address_id = t.address_id ORDER BY c.from_version DESC LIMIT 1)`;
const hadModules = sql`EXISTS (SELECT 1 FROM _listing_spans s
    WHERE s.address_id = t.address_id AND s.listing_id IS NOT NULL AND ${includesVersion("s", "p.ledger_version")})`;
const target = rowOf({
  address: text<Address>("a.address"),
  reason: text<TargetReason>("t.reason"),
  via: orNull(text("t.via")),
  depth: whole("t.depth"),
  addedBy: orNull(text("t.added_by")),
  label: orNull(text("t.label")),
  addedAt: whole("t.added_at"),
  removedAt: orNull(whole("t.removed_at")),
  account: whole("t.address_id"),
  version: orNull(version("p.ledger_version")),
  sealedAt: orNull(whole("p.sealed_at")),
  hasModules: condition(sql`CASE WHEN ${hadModules} THEN 1 ELSE 0 END`),
});
const listed = rowOfColumns(target.columns, (row) => {
  const { version, sealedAt, hasModules, ...of } = target.read(row);
  const lastRead: LastRead | undefined = version === null ? undefined : { version, sealedAt: sealedAt ?? 0, hasModules };
  return { ...of, lastRead };
});
const list = sql`SELECT ${listed.columns}
  FROM _targets t JOIN _addresses a ON a.id = t.address_id LEFT JOIN _all_snapshots p ON t.removed_at IS NULL AND p.ledger_version = ${newestCovering}
  WHERE :withRemoved OR t.removed_at IS NULL ORDER BY length(a.address), a.address`;

/** Editing and listing the accounts to read. */
export function targetList(engine: Engine) {
  return {
    /**
     * Adds or restores accounts, each of which comes once; active ones keep their reason and take a new label if given. Returns how many
     * are new to the list. They are asked for again where the work has to be done again.
     */
    addTargets: (targets: Iterable<NewTarget>, now: number): Promise<number> =>
      engine.transaction(async (tx) => {
        await tx.stage(stagedTargets, rowsOf(targets));
        await tx.run(addAddresses);
        await tx.run(relabel);
        const added = await tx.run(add, { now });
        await tx.run(checkAdded);
        return added;
      }),
    /** Removes accounts from the list, not from the database; returns how many were on it. */
    removeTargets: (addresses: Iterable<Address>, now: number): Promise<number> => {
      const rows = [...new Set(addresses)].map((address) => [address]);
      return engine.transaction(async (tx) => {
        await tx.stage(stagedAddresses, rows);
        const removed = await tx.run(remove, { now });
        await tx.run(checkRemoved);
        return removed;
      });
    },
    /** Every target, in the order of addresses, in lists as they are read; removed ones only when wanted. */
    listTargets: async function* (options: { readonly withRemoved?: boolean } = {}): AsyncIterable<readonly ListedTarget[]> {
      const { withRemoved = false } = options;
      for await (const rows of engine.stream(list, { withRemoved })) yield rows.map(listed.read);
    },
  };
}

function* rowsOf(targets: Iterable<NewTarget>): Generator<readonly unknown[]> {
  for (const { address, reason, via, depth, addedBy = null, label = null } of targets) yield [address, reason, via, depth, addedBy, label];
}

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
