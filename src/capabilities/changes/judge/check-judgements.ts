import type { Cell } from "../../../core/base/cell.ts";
import { chunks } from "../../../core/base/chunks.ts";
import type { DerivedRows } from "../../../core/cli/hooks.ts";
import { unlessDamaged } from "../../../core/db/archive/content/read-code.ts";
import { readContents } from "../../../core/db/archive/content/stored-content.ts";
import { type Check, countRowsOf, inSlice, type Slice } from "../../../core/db/engine/check.ts";
import type { Integer, Session } from "../../../core/db/engine/engine.ts";
import { jsonEach } from "../../../core/db/schema/sql/functions.ts";
import { joined, named, sql, verbatim } from "../../../core/db/schema/sql/sql.ts";
import type { TableData } from "../../../core/db/schema/table.ts";
import { judgedTables, RULES_VERSION } from "../tables.ts";
import { classifyUpgrade } from "./classify-upgrade.ts";
import { forgetJudgements } from "./judge.ts";

type JudgedRow = readonly [from: Integer, to: Integer, ...Cell[]];

/** Changes whose bytecodes are read at once, still packed. */
const READ_AT_ONCE = 100;
const columnsOf = ({ columns }: { readonly columns: object }) => joined(Object.keys(columns).map(named), ", ");
const { judged_upgrades: upgrades, judged_renames, judged_findings } = judgedTables;
const partsIn = (table: TableData) => sql<JudgedRow>`SELECT ${columnsOf(table)} FROM ${named(table.name)}
  WHERE from_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":ids::json", "j")})`;

/** Every judgement of a change is made again, but for those of other rules, which the next run makes again. */
function judgementCheck(session: Session, slice: Slice): Check {
  const isLooked = inSlice(sql`j.from_id`, slice);
  // References that lead nowhere are found with all others.
  const from = sql`_judged_upgrades j WHERE ${isLooked} AND j.rules = ${verbatim(String(RULES_VERSION))}
    AND EXISTS (SELECT 1 FROM _bytecode_blobs b WHERE b.id = j.from_id) AND EXISTS (SELECT 1 FROM _bytecode_blobs b WHERE b.id = j.to_id)`;
  return {
    name: "judgements of changes",
    total: () => countRowsOf(session, from),
    steps: async function* () {
      const stored = await session.all(sql<JudgedRow>`SELECT ${columnsOf(upgrades)} FROM ${from}`);
      for (const rows of chunks(stored, READ_AT_ONCE)) {
        const contentOf = await readContents(
          session,
          rows.flatMap((row) => row.slice(0, 2) as Integer[]),
        );
        const ids = JSON.stringify(rows.map(([from]) => Number(from)));
        const parts = [...(await session.all(partsIn(judged_renames), { ids })), ...(await session.all(partsIn(judged_findings), { ids }))];
        const partsOf = Map.groupBy(parts, ([from, to]) => `${from} to ${to}`);
        for (const row of rows) {
          const pair = `${row[0]} to ${row[1]}`;
          // Bytes that are damaged are told by the check of bytecodes.
          const made = unlessDamaged(() => classifyUpgrade(contentOf, row[0], row[1]));
          const isSame =
            made === undefined || textOf([made.row, ...made.renamed, ...made.findings]) === textOf([row, ...(partsOf.get(pair) ?? [])]);
          yield isSame ? [] : [{ table: upgrades.name, row: pair, problem: "it is not what its bytecodes give" }];
        }
      }
    },
  };
}

function textOf(rows: readonly (readonly Cell[])[]): string {
  return JSON.stringify(rows.map((cells) => JSON.stringify(cells.map((cell) => (cell === null ? null : String(cell))))).sort());
}

/** The judgements of changes, for `verify`. */
export const judgedRows: DerivedRows = { table: upgrades.name, check: judgementCheck, forget: forgetJudgements };
