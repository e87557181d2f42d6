import type { Cell } from "../../../core/base/cell.ts";
import { chunks } from "../../../core/base/lists.ts";
import type { DerivedRows } from "../../../core/cli/hooks.ts";
import { unlessDamaged } from "../../../core/db/archive/content/code-blobs.ts";
import { readContents } from "../../../core/db/archive/content/stored-content.ts";
import { type Check, countRowsOf, inSlice, type Slice } from "../../../core/db/engine/check.ts";
import type { Integer, Session } from "../../../core/db/engine/engine.ts";
import { jsonEach } from "../../../core/db/schema/sql/functions.ts";
import { joined, named, sql, verbatim } from "../../../core/db/schema/sql/sql.ts";
import { judgedTables, RULES_VERSION } from "../tables.ts";
import { classifyUpgrade } from "./classify-upgrade.ts";
import { forgetJudgements } from "./judge.ts";

type JudgedRow = readonly [from: Integer, to: Integer, ...Cell[]];

/** Changes whose bytecodes are read at once, still packed. */
const READ_AT_ONCE = 100;
const rowsFrom = Object.values(judgedTables).map(
  ({ name, columns }) => sql<JudgedRow>`SELECT ${joined(Object.keys(columns).map(named), ", ")} FROM ${named(name)}
    WHERE from_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":ids::json", "j")})`,
);
const table = judgedTables.judged_upgrades.name;

/** Every judgement of a change is made again, but for those of other rules, which the next run makes again. */
function judgementCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`j.from_id`, slice);
  // References that lead nowhere are found with all others.
  const from = sql`${named(table)} j WHERE ${isLooked} AND j.rules = ${verbatim(String(RULES_VERSION))}
    AND EXISTS (SELECT 1 FROM _bytecode_blobs b WHERE b.id = j.from_id) AND EXISTS (SELECT 1 FROM _bytecode_blobs b WHERE b.id = j.to_id)`;
  return {
    name: "judgements of changes",
    total: () => countRowsOf(session, from),
    steps: async function* () {
      for (const pairs of chunks(await session.all(sql<JudgedRow>`SELECT j.from_id, j.to_id FROM ${from}`), READ_AT_ONCE)) {
        const contentOf = await readContents(session, pairs.flat() as Integer[]);
        const ids = JSON.stringify(pairs.map(([from]) => Number(from)));
        const stored: JudgedRow[][] = [];
        for (const rows of rowsFrom) stored.push(await session.all(rows, { ids }));
        const storedOf = Map.groupBy(stored.flat(), ([from, to]) => `${from} to ${to}`);
        for (const [from, to] of pairs) {
          const row = `${from} to ${to}`;
          // Bytes that are damaged are told by the check of bytecodes.
          const made = unlessDamaged(() => classifyUpgrade(contentOf, from, to));
          const isSame = made === undefined || textOf(Object.values(made).flat()) === textOf(storedOf.get(row) ?? []);
          yield isSame ? [] : [{ table, row, problem: "it is not what its bytecodes give" }];
        }
      }
    },
  };
}

function textOf(rows: readonly (readonly Cell[])[]): string {
  return JSON.stringify(rows.map((cells) => JSON.stringify(cells.map((cell) => (cell === null ? null : String(cell))))).sort());
}

/** The judgements of changes, for `verify`. */
export const judgedRows: DerivedRows = { table, check: judgementCheck, forget: forgetJudgements };
