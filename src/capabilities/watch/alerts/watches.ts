import type { MadeAt } from "../../../core/db/archive/times/ledger-times.ts";
import type { Engine, Transaction } from "../../../core/db/engine/engine.ts";
import { addRow, orNull, rowOf, stored, text, version, whole } from "../../../core/db/engine/row-shape.ts";
import { writeChecksum } from "../../../core/db/schema/sql/checksum.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ChangeSummary, Rename } from "../../changes/compare/finding.ts";
import { type Audience, compareSeverities, type Severity } from "../../changes/compare/severity.ts";
import { judgedChange as change, type ModuleChange } from "../../changes/judge/changes.ts";
import { judgedChangeRows } from "../../changes/views.ts";
import type { OwnUses, Use } from "../../uses/reach.ts";
import type { WatchLevel } from "../receivers.ts";
import { usesOf, watchTables } from "../tables.ts";

/** A watch as it is kept. Moments in milliseconds since 1970. */
export type Watch = ReturnType<typeof watch.read>;

/** Accounts, modules and items to watch. */
export type NewWatch = Omit<Watch, "id" | "addedAt" | "removedAt">;

/** A change of a module with the sealed snapshot that showed it, and the judgement that is stored of it. */
export type WatchedChange = Omit<ModuleChange, keyof MadeAt> & { readonly shownBy: bigint; readonly summary?: ChangeSummary | undefined };

/** A finding of `diff` as an alert keeps it. */
export type AlertFinding = {
  readonly rule: string;
  readonly item_kind: string;
  readonly item: string | null;
  readonly worst: Severity;
  /** For each audience that the watch hears. */
  readonly severity: Readonly<Partial<Record<Audience, Severity>>>;
  readonly upgrade: string;
  readonly before: string | null;
  readonly after: string | null;
  /** How own modules use the item, where these are watched over. */
  readonly use?: Use;
  /** The calls by which a function is reached that is used through others: `0x1::coin::withdraw`, … */
  readonly chain?: readonly string[];
};

/** A function or struct that only has another name. */
export type AlertRename = { readonly item_kind: Rename["kind"]; readonly from_name: string; readonly to_name: string };

/** What an alert tells of its change: the worst findings first, and how many there are; `reason` where it could not be compared. */
export type AlertFindings = {
  readonly findings: readonly AlertFinding[];
  readonly total: number;
  readonly reason: string | null;
  /** What only has another name, where anything of that kind concerns the watch. */
  readonly renamed?: readonly AlertRename[];
};

export type NewJudgement = Pick<WatchedChange, "address" | "module" | "from" | "to" | "afterVersion" | "atOrBeforeVersion" | "shownBy"> & {
  readonly severity: Severity | "unclear";
  readonly isAlert: boolean;
  readonly findings: AlertFindings;
};

/** A judgement that is kept, as far as telling changes apart needs it. */
export type KnownJudgement = ReturnType<typeof judgement.read>;

/** Whether two stretches of ledger versions overlap: changes by the same bytes in such are one, however exactly each of them is known. */
export function overlap(a: Stretch, b: Stretch): boolean {
  return a.afterVersion < b.atOrBeforeVersion && b.afterVersion < a.atOrBeforeVersion;
}

/** Whether something as bad as this is to be told of from a level on. What could not be compared may be the worst. */
export function reachesLevel(severity: Severity | "unclear", level: WatchLevel): boolean {
  return level === "any" || severity === "unclear" || compareSeverities(severity, level) <= 0;
}

type Stretch = Pick<ModuleChange, "afterVersion" | "atOrBeforeVersion">;

/** A judgement whose change is known more exactly now, or is shown by an older snapshot than before. */
export type NarrowedJudgement = Pick<KnownJudgement, "id" | "afterVersion" | "atOrBeforeVersion" | "shownBy">;

const { watches, watch_uses, judgements, judgement_findings, judgement_finding_calls, judgement_renames } = watchTables;
const watch = rowOf({
  id: whole("id"),
  /** An account, a module, an item of one; or the folder and first module of your own package. */
  subject: text("subject"),
  /** All of them when it is null. */
  audience: orNull(text<Audience>("audience")),
  level: text<WatchLevel>("level"),
  /** Set where own modules are watched over, null for a subject of the ledger. */
  uses: orNull(stored<OwnUses>(usesOf("_watches"))),
  /** Changes above this ledger version count; null for all. */
  since: orNull(version("since_version")),
  addedAt: whole("added_at"),
  removedAt: orNull(whole("removed_at")),
});
const shownBy = version("ledger_version");
/** The fields of a judgement `j` of the account `a`: its change. */
export const judgedChange = {
  address: text<Address>("a.address"),
  module: text("j.name"),
  from: orNull(text("j.from_sha256")),
  to: orNull(text("j.to_sha256")),
  afterVersion: version("j.after_version"),
  atOrBeforeVersion: version("j.at_or_before_version"),
  shownBy: version("j.shown_by"),
};
const judgement = rowOf({ id: whole("j.id"), ...judgedChange });
/** Changes `c` of the view `module_changes` that an alert is of. */
export const isAlerted = sql`EXISTS (SELECT 1 FROM _judgements j JOIN _addresses a ON a.id = j.address_id WHERE j.is_alert AND a.address = c.address
  AND j.name = c.module AND j.after_version < c.at_or_before_version AND c.after_version < j.at_or_before_version)`;
const list = sql`SELECT ${watch.columns} FROM _watches
  WHERE :withRemoved OR removed_at IS NULL ORDER BY id`;
const alertCounts = sql<[number, number]>`SELECT watch_id, count(*) FROM _judgements WHERE is_alert GROUP BY watch_id`;
const insert = sql`INSERT INTO _watches (subject, audience, level, is_mine, since_version, added_at)
  VALUES (:subject, :audience::text, :level, :isMine, :since::version, :now::time) RETURNING id`;
const checkWatch = writeChecksum(watches);
// Also by this very call, whose COMMIT went unanswered.
const remove = sql`UPDATE _watches SET removed_at = :now::time WHERE id = :id AND (removed_at IS NULL OR removed_at = :now::time)`;
const changes = sql`SELECT ${change.columns}, ledger_version FROM (${judgedChangeRows}) changes
  WHERE address = :address AND at_or_before_version > :since ORDER BY module, at_or_before_version`;
const judgedBefore = sql`SELECT ${judgement.columns} FROM _judgements j JOIN _addresses a ON a.id = j.address_id
  WHERE j.watch_id = :watch AND a.address = :address ORDER BY j.name, j.at_or_before_version`;
const judge = sql`INSERT INTO _judgements (watch_id, address_id, name, from_sha256, to_sha256, after_version, at_or_before_version, shown_by, severity,
    is_alert, finding_count, reason, judged_at)
  VALUES (:watch, (SELECT id FROM _addresses WHERE address = :address), :module, :from::text, :to::text, :afterVersion::version, :atOrBeforeVersion::version,
    :shownBy::version, :severity, :isAlert, :total, :reason::text, :now::time) RETURNING id`;
const tighten = sql`UPDATE _judgements SET after_version = :afterVersion::version, at_or_before_version = :atOrBeforeVersion::version, shown_by = :shownBy::version
  WHERE id = :id`;
const checkJudgement = writeChecksum(judgements);

export function watchQueries(engine: Engine) {
  return {
    listWatches: ({ withRemoved = false }: { readonly withRemoved?: boolean } = {}): Promise<readonly Watch[]> =>
      watch.all(engine, list, { withRemoved }),
    alertsByWatch: async (): Promise<ReadonlyMap<number, number>> => new Map(await engine.all(alertCounts)),
    /** Adds a watch; the number of one that stands and says the same is given back instead. */
    addWatch: (
      { subject, audience, level, uses, since }: NewWatch,
      now: number,
    ): Promise<{ readonly id: number; readonly isNew: boolean }> =>
      engine.transaction(async (tx) => {
        // What own modules use is the same watch from whatever folder it comes.
        const isSame = (known: Watch) =>
          (uses !== null || known.subject === subject) &&
          known.audience === audience &&
          known.level === level &&
          JSON.stringify(known.uses) === JSON.stringify(uses);
        const same = (await watch.all(tx, list, { withRemoved: false })).find(isSame);
        if (same !== undefined) return { id: same.id, isNew: false };
        const values = { subject, audience, level, isMine: uses !== null, since, now };
        return { id: await addRow(tx, insert, values, checkWatch, (id) => addUses(tx, id, uses)), isNew: true };
      }),
    /** Ends a watch; false when none of that number stands. What it found stays. */
    removeWatch: (id: number, now: number): Promise<boolean> =>
      engine.transaction(async (tx) => {
        const removed = await tx.run(remove, { id, now });
        if (removed > 0) await tx.run(checkWatch, { id });
        return removed > 0;
      }),
    /** Changes of an account's modules above a ledger version (all when it is null), by module, the oldest first. */
    watchedChanges: async (address: Address, since: bigint | null): Promise<readonly WatchedChange[]> =>
      (await engine.all(changes, { address, since: since ?? -1n })).map((row) => ({
        ...change.read(row),
        shownBy: shownBy.read(row.at(-1) ?? null),
      })),
    /** What was made of an account's changes for a watch, by module, the oldest change first. */
    judgementsOf: (watch: number, address: Address): Promise<readonly KnownJudgement[]> =>
      judgement.all(engine, judgedBefore, { watch, address }),
    /** Keeps what was made of a watch's changes, in one transaction. */
    addJudgements: async (
      watch: number,
      { judged, tightened }: { readonly judged: readonly NewJudgement[]; readonly tightened: readonly NarrowedJudgement[] },
      now: number,
    ): Promise<void> => {
      if (judged.length + tightened.length === 0) return;
      await engine.transaction(async (tx) => {
        for (const { id, ...known } of tightened) {
          await tx.run(tighten, { id, ...known });
          await tx.run(checkJudgement, { id });
        }
        for (const { findings, ...change } of judged) {
          const { total, reason } = findings;
          await addRow(tx, judge, { ...change, watch, total, reason, now }, checkJudgement, (id) => addFindings(tx, id, findings));
        }
      });
    },
  };
}

async function addUses(tx: Transaction, watch: number, uses: OwnUses | null): Promise<void> {
  const { own = [], modules = [], functions = [], structs = [] } = uses ?? {};
  for (const [kind, names] of Object.entries({ own, module: modules, function: functions, struct: structs })) {
    await tx.bulk(
      watch_uses,
      names.map((name, i) => [watch, kind, i, name]),
    );
  }
}

async function addFindings(tx: Transaction, judgement: number, { findings, renamed = [] }: AlertFindings): Promise<void> {
  const rows = findings.map(({ rule, item_kind, item, worst, severity: { callers, clients, readers }, upgrade, before, after, use }, i) =>
    [judgement, i, rule, item_kind, item, worst, callers, clients, readers, upgrade, before, after, use].map((cell) =>
      // Texts of the ledger may hold U+0000, which PostgreSQL's do not.
      typeof cell === "string" ? cell.replaceAll("\0", "\ufffd") : (cell ?? null),
    ),
  );
  await tx.bulk(judgement_findings, rows);
  const calls = findings.flatMap(({ chain = [] }, finding) => chain.map((name, i) => [judgement, finding, i, name]));
  await tx.bulk(judgement_finding_calls, calls);
  await tx.bulk(
    judgement_renames,
    renamed.map(({ item_kind, from_name, to_name }, i) => [judgement, i, item_kind, from_name, to_name]),
  );
}
