import { derivationQueries } from "../../../archive/content/derive.ts";
import { judgeChanges } from "../../../archive/judge/judge.ts";
import { repairQueries } from "../../../archive/verify/repair.ts";
import { packageVersion } from "../../../base/files/package-file.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { type Repair, repairCode } from "../../../crawl/check/repair.ts";
import type { StopReason } from "../../../crawl/run/stop.ts";
import type { Engine } from "../../../engine/engine.ts";
import { damagedFile, StoreError } from "../../../engine/errors.ts";
import { derivedTables } from "../../../schema/tables/derived.ts";
import { judgedTables } from "../../../schema/tables/judged.ts";
import { searchTables } from "../../../schema/tables/search.ts";
import { viewNames } from "../../../schema/view-statements.ts";
import { openStore } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { withStore } from "../../jobs/change-beside-runs.ts";
import { withNode } from "../../options/node-session.ts";
import type { NodeFlags } from "../../options/shared-flags.ts";
import { keepTexts } from "../../output/keep-texts.ts";

/**
 * What was repaired. `views`: views that differed. `derived`: bytecodes whose rows were derived again. `isLeft`: derived rows stay damaged,
 * because some bytes are lost and their rows exist nowhere else. `stoppedBy`: the reason why the work ended early.
 */
export type Repaired = Repair & {
  readonly views: number;
  readonly derived: number;
  readonly isLeft: boolean;
  readonly stoppedBy: StopReason | undefined;
};

const follows = new Set(
  [derivedTables, judgedTables, searchTables].flatMap((tables) => Object.values(tables).map(({ name }): string => name)),
);

const shown = new Set([...viewNames("sqlite"), "documentation"]);

/** Recreates damaged views, fetches damaged bytecode from a node, then derives all rows again if tables of derived rows have damage. */
export async function repairDamage(io: Io, flags: NodeFlags & { readonly db: string }, damaged: ReadonlySet<string>): Promise<Repaired> {
  const { db: path } = flags;
  const views = [...damaged].filter((table) => shown.has(table)).length;
  return await withNode(io, flags, async ({ node, stop }) => {
    if (views > 0)
      await (await openStore(path, { mode: "write", now: io.clock.now, appVersion: packageVersion(), viewsAnew: true })).close();
    return await withStore(io, path, "write", async (engine) => {
      const repair = await repairCode({ engine, node, stop });
      const isWanted = [...damaged].some((table) => follows.has(table));
      if (!isWanted || repair.lost.size > 0) return { ...repair, views, derived: 0, isLeft: isWanted, stoppedBy: stop.reason };
      const derived = await makeRowsAgain(engine, path, stop.signal);
      return { ...repair, views, derived, isLeft: false, stoppedBy: stop.reason };
    });
  });
}

/**
 * Derives all rows again. @returns the number of bytecodes.
 * @throws StoreError `MOVEDEX_STORE_DAMAGED` where damage hides old rows that clash with the new
 */
async function makeRowsAgain(engine: Engine, path: string, signal: AbortSignal): Promise<number> {
  try {
    await repairQueries(engine).forgetDerived();
    const { derived, undecodable } = await derivationQueries(engine).derive({ signal });
    await judgeChanges(engine, signal);
    return derived + undecodable;
  } catch (error) {
    if (!isClash(error)) throw error;
    const instead = `Restore a backup, or save what can be read: \`movedex import ${printable(path)} --db NEW.db\``;
    throw damagedFile(
      path,
      `pages of it cannot be repaired, and stand in the way of new rows. ${instead}. What was found: ${error.message}`,
      error,
    );
  }
}

/** Whether a row was refused since another one is there or is not: by SQLite's code, or PostgreSQL's class of codes. */
function isClash(error: unknown): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  const { sqliteCode, sqlState } = error.facts as { readonly sqliteCode?: string; readonly sqlState?: string };
  return sqliteCode?.startsWith("SQLITE_CONSTRAINT") === true || sqlState?.startsWith("23") === true;
}

export function repairText({ views, restored, lost, derived, isLeft, stoppedBy }: Repaired): string {
  const isNothing = views + restored.length + lost.size + derived === 0 && stoppedBy === undefined;
  const lines = keepTexts([
    views > 0 && `${plural(views, "view")} made anew`,
    restored.length > 0 && `${plural(restored.length, "bytecode")} read again from the node`,
    derived > 0 && `the rows of ${plural(derived, "bytecode")} made again`,
    ...[...lost].map(([sha256, reason]) => `bytecode ${sha256} could not be read again: ${reason}`),
    isLeft && "damaged derived rows were left as they are: rows of the bytecode that is lost could not be made again",
    stoppedBy && `stopped by ${stoppedBy} before its end: run it again`,
    isNothing && "nothing of it can be repaired: restore a backup",
  ]);
  return `\nrepair:\n${lines.map((line) => `  ${line}\n`).join("")}\n`;
}
