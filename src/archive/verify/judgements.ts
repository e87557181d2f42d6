import { RULES_VERSION } from "../../abi/compare/rules/rule.ts";
import type { Cell } from "../../base/cell.ts";
import { type Check, countRowsOf, type Damage, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { joined, named, sql, verbatim } from "../../schema/sql/sql.ts";
import { judgedTables } from "../../schema/tables/judged.ts";
import { unlessDamaged } from "../content/read-code.ts";
import { readContents } from "../content/stored-content.ts";
import { classifyUpgrade } from "../judge/classify-upgrade.ts";

const { name: table, columns } = judgedTables.judged_upgrades;
const { name: renames } = judgedTables.judged_renames;
const names = Object.keys(columns);
/** Changes whose bytecodes are read at once, still packed. */
type JudgedRow = readonly [from: Integer, to: Integer, ...Cell[]];

const READ_AT_ONCE = 100;
const current = verbatim(String(RULES_VERSION));

/** Every judgement of a change is made again, but for those of other rules, which the next run makes again. */
export function judgementCheck(session: Session, slice: Slice): Check {
  // References that lead nowhere are found with all others.
  const from = sql`_judged_upgrades j WHERE ${inSlice(sql`j.from_id`, slice)} AND j.rules = ${current}
    AND EXISTS (SELECT 1 FROM _bytecode_blobs b WHERE b.id = j.from_id) AND EXISTS (SELECT 1 FROM _bytecode_blobs b WHERE b.id = j.to_id)`;
  return {
    name: "judgements of changes",
    total: () => countRowsOf(session, from),
    steps: async function* () {
      const stored = await session.all(sql<JudgedRow>`SELECT ${joined(names.map(named), ", ")} FROM ${from}`);
      const found = await session.all(
        sql<JudgedRow>`SELECT r.from_id, r.to_id, r.item_kind, r.from_name, r.to_name FROM _judged_renames r WHERE ${inSlice(sql`r.from_id`, slice)}`,
      );
      const namedBy = Map.groupBy(found, ([from, to]) => `${from} to ${to}`);
      for (let start = 0; start < stored.length; start += READ_AT_ONCE) {
        const rows = stored.slice(start, start + READ_AT_ONCE);
        const ids = [...rows.map(([from]) => from), ...rows.map(([, to]) => to)];
        const contentOf = await readContents(session, ids);
        for (const row of rows) {
          const pair = `${row[0]} to ${row[1]}`;
          // Bytes that are damaged are told by the check of bytecodes.
          const now = unlessDamaged(() => classifyUpgrade(contentOf, row[0], row[1]));
          const wrong = names.filter((_, i) => now !== undefined && now.row[i] !== row[i]);
          const isRenamed = now === undefined || textOf(now.renamed) === textOf(namedBy.get(pair) ?? []);
          yield [
            ...wrong.map((name): Damage => ({ table, row: pair, problem: `its ${name} is not what its bytecodes give` })),
            ...(isRenamed ? [] : [{ table: renames, row: pair, problem: "they are not what its bytecodes give" }]),
          ];
        }
      }
    },
  };
}

function textOf(rows: readonly (readonly Cell[])[]): string {
  return rows
    .map((cells) => cells.join(" "))
    .sort()
    .join("\n");
}
