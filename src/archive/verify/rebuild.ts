import type { Engine } from "../../engine/engine.ts";
import { sql } from "../../schema/sql/sql.ts";
import { derivationQueries, forgetRows } from "../content/derive.ts";
import { judgeChanges } from "../judge/judge.ts";

const forgetJudgements = [sql`DELETE FROM _judged_renames`, sql`DELETE FROM _judged_upgrades`];

/**
 * Deletes all rows that follow from bytecode, derives them again and judges all changes again. The next command that writes goes on where
 * the signal ends it. @returns of how many bytecodes rows were made
 */
export async function rebuildRows(engine: Engine, signal: AbortSignal): Promise<number> {
  await engine.transaction(async (tx) => {
    await forgetRows(tx);
    for (const statement of forgetJudgements) await tx.run(statement);
  });
  const { derived } = await derivationQueries(engine).derive({ signal });
  await judgeChanges(engine, signal);
  return derived;
}
