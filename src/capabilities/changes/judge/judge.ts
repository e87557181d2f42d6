import { setImmediate } from "node:timers/promises";
import type { Engine, Transaction } from "../../../core/db/engine/engine.ts";
import { waitForTurn } from "../../../core/db/schema/sql/functions.ts";
import { named, sql } from "../../../core/db/schema/sql/sql.ts";
import type { TableData } from "../../../core/db/schema/table.ts";
import { judgedTables, RULES_VERSION } from "../tables.ts";
import { unjudgedPairs } from "../views.ts";
import type { Judgement } from "./classify-upgrade.ts";

/** Changes of one run, of some 100 bytes of memory each; the next run goes on. */
const MOST = 200_000;
const BATCH = 100;

const judgingTurn = waitForTurn("judging");
const tables = Object.entries(judgedTables) as [keyof Judgement, TableData][];
// The others refer to the first.
const forgetAll = tables.toReversed().map(([, { name }]) => sql`DELETE FROM ${named(name)}`);
const forget = forgetAll.map((all) => sql`${all} WHERE from_id = :from AND to_id = :to`);

/** Judges changes that have no judgement of these rules, the newest first, until the signal ends it. @returns how many */
export async function judgeChanges(engine: Engine, signal?: AbortSignal): Promise<number> {
  const pairs = await engine.all(unjudgedPairs, { rules: RULES_VERSION, limit: MOST });
  if (pairs.length === 0) return 0;
  // A night without changes does not need the rules.
  const { classifyUpgrade } = await import("./classify-upgrade.ts");
  const { readContents } = await import("../../../core/db/archive/content/stored-content.ts");
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
  await tx.all(judgingTurn);
  for (const [from, to] of judgements.flatMap(({ judged_upgrades }) => judged_upgrades))
    for (const statement of forget) await tx.run(statement, { from: Number(from), to: Number(to) });
  for (const [name, table] of tables)
    await tx.bulk(
      table,
      judgements.flatMap((judgement) => judgement[name]),
    );
}

export async function forgetJudgements(tx: Transaction): Promise<void> {
  for (const statement of forgetAll) await tx.run(statement);
}
