import { randomUUID } from "node:crypto";
import type { OpenChangeRequest } from "../../archive/nodes/probes.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { type TakeOptions, takeLease } from "../../engine/leases/leases.ts";
import { condition, countOf, orUndefined, shapeOf, text, textsOf, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { flag, later, now } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { type PlannedGroup, writeGroups } from "./trace-groups.ts";

/** Which changes are wanted, and which of them come first: those above a version, before older ones. */
export type TraceRequest = OpenChangeRequest & { readonly firstAbove?: bigint | undefined };

/** What all processes together may spend on a trace from now on; undefined for any number of requests, any time. */
export type TraceBudget = { readonly requests: number | undefined; readonly ms: number | undefined };

export type OpenTrace = { readonly id: string; readonly request: TraceRequest };

export type TraceState = ReturnType<typeof progress.read>;

const isSpent = sql`(coalesce(t.requests_left, 1) <= 0 OR coalesce(t.ends_at <= ${now}, FALSE))`;
const trace = shapeOf({
  id: text("t.id"),
  address: orUndefined(text<Address>("t.address")),
  module: orUndefined(text("t.module")),
  from: orUndefined(version("t.from_version")),
  to: orUndefined(version("t.to_version")),
  firstAbove: orUndefined(version("t.first_above")),
});
const open = sql`SELECT ${trace.columns} FROM _traces t
  WHERE t.ended_at IS NULL AND NOT ${isSpent} ORDER BY t.opened_at, t.id LIMIT 1`;
const begin = sql`INSERT INTO _traces (id, address, module, from_version, to_version, first_above, requests_left, ends_at, rounds, opened_at, ended_at)
  SELECT :id, :address::text, :module::text, :from::version, :to::version, :above::version, :requests::int,
    CASE WHEN :ms::int IS NOT NULL THEN ${later(now, ":ms::int")} END, 0, ${now}, NULL`;
const countRound = sql`UPDATE _traces SET rounds = rounds + 1 WHERE id = :id`;
const hands = sql`SELECT count(*) FROM _leases l WHERE l.name LIKE 'trace:' || t.id || ':group:%' AND l.until > ${now}`;
const progress = shapeOf({
  groups: whole("(SELECT count(*) FROM _trace_groups g WHERE g.trace = t.id)"),
  /** Groups that are not done, and those of them that processes have in hand. */
  open: whole("(SELECT count(*) FROM _trace_groups g WHERE g.trace = t.id AND NOT g.is_done)"),
  inHand: whole(sql`(${hands})`),
  rounds: whole("t.rounds"),
  /** Whether nothing more of it is begun: its budget is spent. */
  isSpent: condition(flag(isSpent)),
  isEnded: condition(flag(sql`t.ended_at IS NOT NULL`)),
});
const state = sql`SELECT ${progress.columns} FROM _traces t WHERE t.id = :id`;
const end = sql`UPDATE _traces SET ended_at = ${now} WHERE id = :id AND ended_at IS NULL`;
const spend = sql`UPDATE _traces SET requests_left = requests_left - :requests WHERE id = :id AND requests_left IS NOT NULL`;
const isAttended = sql`EXISTS (SELECT 1 FROM _leases l WHERE l.name LIKE 'trace:' || t.id || ':at:%' AND l.until > ${now})`;
const leave = sql`DELETE FROM _leases WHERE name = :name AND owner = :owner`;
const forsaken = sql`SELECT t.id FROM _traces t WHERE NOT ${isAttended}`;
const isOver = sql`SELECT t.id FROM _traces t WHERE t.id = :id AND (t.ended_at IS NOT NULL OR ${isSpent}) AND NOT ${isAttended}`;
const others = sql`SELECT count(*) FROM _leases l WHERE l.name LIKE 'trace:' || :id || ':at:%' AND l.owner <> :owner AND l.until > ${now}`;
const removals = [
  sql`DELETE FROM _trace_changes WHERE trace = :id`,
  sql`DELETE FROM _trace_groups WHERE trace = :id`,
  sql`DELETE FROM _traces WHERE id = :id`,
  sql`DELETE FROM _leases WHERE name LIKE 'trace:' || :id || ':%'`,
];

/** Traces that several processes search together. Who opens, plans and ends has the turn `trace`. */
export function traceQueries(engine: Engine, { owner = "", ...lease }: TakeOptions) {
  const at = (id: string) => `trace:${id}:at:${owner}`;
  const remove = async (tx: Transaction, id: string) => {
    for (const removal of removals) await tx.run(removal, { id });
  };
  return {
    openTrace: async (): Promise<OpenTrace | undefined> => {
      const row = await trace.first(engine, open, { now: lease.now() });
      if (row === undefined) return undefined;
      const { id, ...request } = row;
      return { id, request };
    },
    /** Opens a trace in place of those that nobody is at. @returns its name */
    beginTrace: (
      { address, module, from, to, firstAbove }: TraceRequest,
      { requests, ms }: TraceBudget,
      groups: readonly PlannedGroup[],
    ): Promise<string> =>
      engine.transaction(async (tx) => {
        const now = lease.now();
        const bounds = { address: address ?? null, module: module ?? null, from: from ?? null, to: to ?? null, above: firstAbove ?? null };
        for (const id of await textsOf(tx, forsaken, { now })) await remove(tx, id);
        const id = randomUUID();
        await tx.run(begin, { id, ...bounds, requests: requests ?? null, ms: ms ?? null, now });
        await writeGroups(tx, id, groups);
        await tx.run(countRound, { id });
        return id;
      }),
    /** Adds a round of groups that probes have shown to be there. */
    addTraceRound: (id: string, groups: readonly PlannedGroup[]): Promise<void> =>
      engine.transaction(async (tx) => {
        await writeGroups(tx, id, groups);
        await tx.run(countRound, { id });
      }),
    /** Undefined when there is no such trace any more. */
    traceState: (id: string): Promise<TraceState | undefined> => progress.first(engine, state, { id, now: lease.now() }),
    endTrace: async (id: string): Promise<void> => {
      await engine.run(end, { id, now: lease.now() });
    },
    /** Counts requests against its budget. */
    spendOnTrace: async (id: string, requests: number): Promise<void> => {
      if (requests > 0) await engine.run(spend, { id, requests });
    },
    /** Says that this process is at a trace, until it leaves or dies. */
    comeToTrace: async (id: string): Promise<void> => {
      await takeLease(engine, at(id), { ...lease, owner });
    },
    /** Leaves a trace; the last one clears it away when it is over. */
    leaveTrace: async (id: string): Promise<void> => {
      await engine.run(leave, { name: at(id), owner });
      await engine.transaction(async (tx) => {
        if ((await tx.first(isOver, { id, now: lease.now() })) !== undefined) await remove(tx, id);
      });
    },
    /** How many other processes are at a trace. */
    othersAtTrace: (id: string): Promise<number> => countOf(engine, others, { id, owner, now: lease.now() }),
  };
}
