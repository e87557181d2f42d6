import { setImmediate } from "node:timers/promises";
import { summarise } from "../../abi/compare/change-summary.ts";
import { RULES_VERSION } from "../../abi/compare/rules/rules.ts";
import { compareLoaded, type LoadedModule, missingReason } from "../../abi/compare/sides.ts";
import type { Engine, Integer, Transaction } from "../../engine/engine.ts";
import { lockToWrite } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";
import { judgedTables } from "../../schema/tables/judged.ts";
import { unjudgedPairs } from "../../schema/views/changes.ts";
import { loadContent, readContents, type StoredContent } from "../content/stored-content.ts";

/** Changes of one run, of some 100 bytes of memory each; the next run goes on. */
const MOST = 200_000;
/** Changes of one transaction. */
const BATCH = 100;

const { judged_upgrades: table, judged_renames: renames } = judgedTables;
const pair = sql`from_id = :from AND to_id = :to`;
const forget = [sql`DELETE FROM _judged_renames WHERE ${pair}`, sql`DELETE FROM _judged_upgrades WHERE ${pair}`];

/**
 * Judges the changes that no judgement of these rules stands of, the newest first: when a run's changes are stored, and all there are
 * after the rules changed. What is judged stays where the signal ends the work. @returns how many were judged
 */
export async function judgeChanges(engine: Engine, signal?: AbortSignal): Promise<number> {
  const pairs = await engine.all<[Integer, Integer]>(unjudgedPairs, { rules: RULES_VERSION, limit: MOST });
  let done = 0;
  while (done < pairs.length && signal?.aborted !== true) {
    const batch: Judgement[] = [];
    const next = pairs.slice(done, done + BATCH);
    const contentOf = await readContents(engine, next.flat());
    for (const [from, to] of next) {
      batch.push(classifyUpgrade(contentOf, from, to));
      // A file answers synchronously: others get their turn.
      await setImmediate();
    }
    await engine.transaction((tx) => store(tx, batch));
    done += batch.length;
  }
  return done;
}

async function store(tx: Transaction, judgements: readonly Judgement[]): Promise<void> {
  // Another process may judge the same.
  await tx.run(lockToWrite(table.name));
  const rows = judgements.map(({ row }) => row);
  for (const [from, to] of rows) for (const statement of forget) await tx.run(statement, { from: Number(from), to: Number(to) });
  await tx.bulk(table, rows);
  const renamed = judgements.flatMap((judgement) => judgement.renamed);
  await tx.bulk(renames, renamed);
}

type Row = readonly (string | number | null)[];

/** A row of `_judged_upgrades` and those of `_judged_renames`, their cells in the order of the columns. */
export type Judgement = { readonly row: Row; readonly renamed: readonly Row[] };

/** What the rules say of a bytecode that another replaced. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function classifyUpgrade(contentOf: (id: Integer) => StoredContent, from: Integer, to: Integer): Judgement {
  const load = (id: Integer): LoadedModule => loadContent(contentOf(id), `${id}`);
  const [was, is] = [load(from), load(to)];
  const reasons = [was, is].map(missingReason);
  const reason = reasons.flatMap((text, i) => (text === undefined ? [] : [`${i === 0 ? "before" : "after"}: ${text}`]))[0];
  const difference = compareLoaded(was, is);
  const { worst, forAudience, counts, refused, first, renamed } = summarise(difference?.findings ?? [], reason, difference?.renamed ?? []);
  const cells: Readonly<Record<string, string | number | null | undefined>> = {
    from_id: Number(from),
    to_id: Number(to),
    rules: RULES_VERSION,
    severity: worst ?? "unclear",
    ...forAudience,
    ...counts,
    refused,
    rule: first?.rule,
    item_kind: first?.item.kind,
    item: first?.item.name,
    reason,
  };
  return {
    row: Object.keys(table.columns).map((name) => cells[name] ?? null),
    renamed: renamed.map((item) => [Number(from), Number(to), item.kind, item.from, item.to]),
  };
}
