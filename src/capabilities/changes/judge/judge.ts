import { setImmediate } from "node:timers/promises";
import type { Engine, Transaction } from "../../../core/db/engine/engine.ts";
import { waitForTurn } from "../../../core/db/schema/sql/functions.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { judgedTables, RULES_VERSION } from "../tables.ts";
import { unjudgedPairs } from "../views.ts";
import type { Judgement } from "./classify-upgrade.ts";

/** Changes of one run, of some 100 bytes of memory each; the next run goes on. */
const MOST = 200_000;
const BATCH = 100;

const { judged_upgrades: table, judged_renames: renames, judged_findings: findings } = judgedTables;
const judgingTurn = waitForTurn("judging");
const pair = sql`from_id = :from AND to_id = :to`;
/** Those that refer to another before it. */
const forgetAll = [sql`DELETE FROM _judged_findings`, sql`DELETE FROM _judged_renames`, sql`DELETE FROM _judged_upgrades`];
const forget = forgetAll.map((all) => sql`${all} WHERE ${pair}`);

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
  const rows = judgements.map(({ row }) => row);
  for (const [from, to] of rows) for (const statement of forget) await tx.run(statement, { from: Number(from), to: Number(to) });
  await tx.bulk(table, rows);
  const of = (part: "renamed" | "findings") => judgements.flatMap((judgement) => judgement[part]);
  await tx.bulk(renames, of("renamed"));
  await tx.bulk(findings, of("findings"));
}

export async function forgetJudgements(tx: Transaction): Promise<void> {
  for (const statement of forgetAll) await tx.run(statement);
}
