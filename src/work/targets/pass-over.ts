import type { Engine } from "../../engine/engine.ts";
import { writeChecksum } from "../../schema/sql/checksum.ts";
import { sql } from "../../schema/sql/sql.ts";
import { workTables } from "../../schema/tables/work.ts";

const visits = (state: "planned" | "visited") =>
  ({
    planned: sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.state = 'planned')`,
    visited: sql`(SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.state = 'visited')`,
  })[state];
// Accounts that were missed before are among the snapshot's gaps, and stay so.
const countRest = sql`SELECT ${visits("planned")}, (SELECT count(*) FROM _visits v JOIN _misses m ON m.ledger_version = v.ledger_version
    AND m.address_id = v.address_id WHERE v.ledger_version = :version AND v.state = 'planned')
  FROM _pins p WHERE p.ledger_version = :version AND p.passed_over IS NOT NULL AND ${visits("visited")} > 0`;
const dropRest = sql`DELETE FROM _visits WHERE ledger_version = :version AND state = 'planned'`;
const count = sql`UPDATE _pins SET planned = planned - :fresh, passed_over = passed_over + :fresh WHERE ledger_version = :version`;
const checkPin = writeChecksum(workTables.pins);

export function preparePassOver(engine: Engine) {
  return {
    /**
     * Takes out of a plan what was not visited, for other nights. Only of a snapshot whose accounts were chosen for a budget, and
     * that has an answer. Returns how many were taken out.
     */
    passOverRest: (version: bigint): Promise<number> =>
      engine.transaction(async (tx) => {
        const [rest, missed] = (await tx.first<[rest: number, missed: number]>(countRest, { version })) ?? [0, 0];
        if (rest === 0) return 0;
        await tx.run(dropRest, { version });
        await tx.run(count, { version, fresh: rest - missed });
        await tx.run(checkPin, { ledger_version: version });
        return rest;
      }),
  };
}
