import type { ChangeInterval } from "../../archive/nodes/probes.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { assertHeld, fenced, type Lease, newOwner, releaseLease, type TakeOptions, takeLeaseWithin } from "../../engine/leases/leases.ts";
import { countOf, orNull, orUndefined, shapeOf, text, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { now, skipLocked } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import { sharingTables } from "../../schema/tables/sharing.ts";
import type { Search, TracedChange } from "./traced-change.ts";

/** Searches of one account in one interval that are made together, since one listing shows all modules at once. */
export type PlannedGroup = {
  readonly searches: readonly Search[];
  /** Whether all of these are searched before others are begun. */
  readonly isUrgent: boolean;
};

/** A group that this process searches, and no other. */
export type GroupInHand = ChangeInterval & {
  readonly trace: string;
  readonly position: number;
  readonly lease: Lease;
};

/** What became of a group: done, or given back as it is. */
export type GroupEnd = "done" | "given back";

/**
 * What came of a trace so far, by all who searched: the changes, the probes made, and the fewest that all intervals need, ⌈log2⌉ of the
 * length of each; modules that share an interval share its probes.
 */
export type TraceFindings = { readonly changes: readonly TracedChange[]; readonly probes: number; readonly leastProbes: number };

const written = {
  name: "written",
  columns: {
    position: { kind: "int" },
    address: { kind: "text" },
    after: { kind: "version" },
    at_or_before: { kind: "version" },
    least: { kind: "int" },
    is_urgent: { kind: "bool" },
  },
} as const;
const nextPosition = sql`SELECT max(position) + 1 FROM _trace_groups WHERE trace = :trace`;
const add = sql`INSERT INTO _trace_groups (trace, position, address_id, after_version, at_or_before_version, least, is_urgent, is_done, probes)
  SELECT :trace, w.position, a.id, w.after, w.at_or_before, w.least, w.is_urgent, :never::bool, 0
    FROM written w JOIN _addresses a ON a.address = w.address`;
const isHeld = (group: Sql) =>
  sql`EXISTS (SELECT 1 FROM _leases l WHERE l.name = 'trace:' || ${group}.trace || ':group:' || CAST(${group}.position AS text) AND l.until > ${now})`;
// What is in hand may cost at least so much of the budget.
const reserved = sql`(SELECT coalesce(sum(h.least), 0) FROM _trace_groups h WHERE h.trace = t.id AND NOT h.is_done AND ${isHeld(named("h"))})`;
const address = text<Address>("(SELECT a.address FROM _addresses a WHERE a.id = g.address_id)");
const chosen = shapeOf({
  position: whole("g.position"),
  address,
  after: version("g.after_version"),
  atOrBefore: version("g.at_or_before_version"),
});
const choose = sql`SELECT ${chosen.columns} FROM _trace_groups g
  WHERE g.trace = :trace AND NOT g.is_done AND g.position > :past AND NOT ${isHeld(named("g"))}
    AND (g.is_urgent OR NOT EXISTS (SELECT 1 FROM _trace_groups u WHERE u.trace = g.trace AND u.is_urgent AND NOT u.is_done))
    AND EXISTS (SELECT 1 FROM _traces t WHERE t.id = g.trace AND t.ended_at IS NULL AND (t.ends_at IS NULL OR t.ends_at > ${now})
      AND (t.requests_left IS NULL OR t.requests_left > ${reserved}))
  ORDER BY g.position LIMIT 1 ${skipLocked}`;
const sought = shapeOf({ module: orUndefined(text("module")) });
const modulesOf = sql`SELECT DISTINCT ${sought.columns} FROM _trace_changes WHERE trace = :trace AND group_position = :position`;
const settle = sql`UPDATE _trace_groups SET is_done = :done, probes = probes + :probes
  WHERE trace = :trace AND position = :position`;
const forget = sql`DELETE FROM _trace_changes WHERE trace = :trace AND group_position = :position`;
const finding = shapeOf({
  address,
  module: orUndefined(text("c.module")),
  after: version("c.after_version"),
  atOrBefore: version("c.at_or_before_version"),
  from: orNull(text("c.from_value")),
  to: orNull(text("c.to_value")),
  probes: whole("c.probes"),
  least: whole("c.least"),
  state: text<TracedChange["state"]>("c.state"),
  reason: orNull(text("c.reason")),
});
const findings = sql`SELECT ${finding.columns} FROM _trace_changes c JOIN _trace_groups g ON g.trace = c.trace AND g.position = c.group_position
  WHERE c.trace = :trace AND c.state IS NOT NULL ORDER BY c.group_position, c.position`;
const cost = shapeOf({
  probes: whole("CAST(coalesce(sum(g.probes), 0) AS bigint)"),
  leastProbes: whole("CAST(coalesce(sum(g.least), 0) AS bigint)"),
});
const costOfSearched = sql`SELECT ${cost.columns} FROM _trace_groups g WHERE g.trace = :trace
  AND NOT EXISTS (SELECT 1 FROM _trace_changes c WHERE c.trace = g.trace AND c.group_position = g.position AND c.state IS NULL)`;

/** Writes groups behind those that a trace has. */
export async function writeGroups(tx: Transaction, trace: string, groups: readonly PlannedGroup[]): Promise<void> {
  const next = await countOf(tx, nextPosition, { trace });
  const rows = groups.map(({ searches, isUrgent }, place) => {
    const { address, after, atOrBefore, least } = searches[0] as Search;
    return [next + place, address, after, atOrBefore, least, isUrgent];
  });
  await tx.stage(written, rows);
  await tx.run(add, { trace, never: false });
  await tx.bulk(
    sharingTables.trace_changes,
    groups.flatMap(({ searches }, place) => changeRows(trace, next + place, searches)),
  );
}

function changeRows(trace: string, group: number, changes: readonly (Search & Partial<TracedChange>)[]): unknown[][] {
  return changes.map(({ module = null, after, atOrBefore, from, to, probes, least, state = null, reason = null }, position) => {
    return [trace, group, position, module, after, atOrBefore, from, to, probes, least, state, reason];
  });
}

/** The groups of a trace, each searched by one process at a time. */
export function traceGroupQueries(engine: Engine, { owner = newOwner(), ...lease }: TakeOptions) {
  const take = async (tx: Transaction, trace: string, past: number): Promise<GroupInHand | undefined> => {
    const group = await chosen.first(tx, choose, { trace, past, now: lease.now() });
    if (group === undefined) return undefined;
    const taken = await takeLeaseWithin(tx, `trace:${trace}:group:${group.position}`, { ...lease, owner });
    // Another took it between the two statements: the next one may be had.
    if (taken === undefined) return take(tx, trace, group.position);
    const modules = (await sought.all(tx, modulesOf, { trace, position: group.position })).map(({ module }) => module);
    return { trace, ...group, modules, lease: taken };
  };

  return {
    /** Takes the next free group; urgent groups come first. Undefined if the budget is spent, or reserved by groups in progress. */
    takeTraceGroup: (id: string): Promise<GroupInHand | undefined> => engine.transaction((tx) => take(tx, id, -1)),
    /** Ends a group for this process. @throws StoreError `MOVEDEX_STORE_FENCED` */
    settleTraceGroup: async (
      { trace, position, lease: held }: GroupInHand,
      how: GroupEnd,
      changes: readonly TracedChange[],
      probes: number,
    ): Promise<void> => {
      await engine.transaction(async (tx) => {
        await assertHeld(tx, held);
        const values = { trace, position, done: how === "done", probes };
        if ((await tx.run(settle, values)) === 0) throw fenced(held);
        await tx.run(forget, { trace, position });
        await tx.bulk(sharingTables.trace_changes, changeRows(trace, position, changes));
      });
      await releaseLease(engine, held);
    },
    /** Gives a group up that was not begun. */
    releaseTraceGroup: ({ lease: held }: GroupInHand): Promise<void> => releaseLease(engine, held),
    traceFindings: (id: string): Promise<TraceFindings> =>
      engine.transaction(
        async (tx) => {
          const { probes = 0, leastProbes = 0 } = (await cost.first(tx, costOfSearched, { trace: id })) ?? {};
          return { changes: await finding.all(tx, findings, { trace: id }), probes, leastProbes };
        },
        { mode: "read" },
      ),
  };
}
