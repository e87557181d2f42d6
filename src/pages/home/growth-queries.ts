import type { VersionRange } from "../../archive/read/changes.ts";
import type { Engine } from "../../engine/engine.ts";
import { orNull, shapeOf, text, version, whole } from "../../engine/shape.ts";
import { sql } from "../../schema/sql/sql.ts";
import { judgedChangeRows } from "../../schema/views/changes.ts";
import { runQueries } from "../../work/runs/runs.ts";

const sizeSpan = shapeOf({
  from: version("s.from_version"),
  to: orNull(version("s.to_version")),
  modules: whole("CAST(sum(l.modules) AS bigint)"),
  functions: whole("CAST(coalesce(sum(z.functions), 0) AS bigint)"),
});
/** How many modules and functions stood from one sealed snapshot to another; `to` is null while it stands. */
export type SizeSpan = ReturnType<typeof sizeSpan.read>;
const sizes = sql`WITH sizes AS (SELECT m.listing_id, count(*) AS functions
    FROM _listing_modules m JOIN _bytecodes b ON b.id = m.bytecode_id
    JOIN _abi_functions f ON f.abi_id = b.abi_id GROUP BY m.listing_id)
  SELECT ${sizeSpan.columns} FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id LEFT JOIN sizes z ON z.listing_id = s.listing_id
  WHERE s.to_version IS NULL OR s.to_version >= :since GROUP BY s.from_version, s.to_version`;
const night = shapeOf({ version: version("ledger_version"), severity: orNull(text("severity")), changes: whole("count(*)") });
const byNight = sql`SELECT ${night.columns} FROM (${judgedChangeRows({ after: sql`:after`, upTo: sql`:upTo` })}) changes
  WHERE ledger_version > :after AND ledger_version <= :upTo GROUP BY ledger_version, severity`;

/** What the charts ask of an archive. */
export type GrowthQueries = ReturnType<typeof growthQueries>;

export function growthQueries(engine: Engine) {
  return {
    /** The modules and functions that stood at or after a version, by the stretch over which they did. */
    sizesSince: (since: bigint): Promise<readonly SizeSpan[]> => sizeSpan.all(engine, sizes, { since }),
    /** How many changes of each severity (null: not judged yet) each snapshot of a stretch showed. */
    changesByNight: ({ after, upTo }: VersionRange) => night.all(engine, byNight, { after, upTo }),
    listRuns: runQueries(engine).listRuns,
  };
}
