import { printable } from "../../base/printable.ts";
import { type Check, countRowsOf, inSlice, type Slice } from "../../engine/check.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { parseAddress } from "../../move/address.ts";
import { sql } from "../../schema/sql/sql.ts";

/** Every address: printed as the node prints it, so that there is one row for each. */
export function addressCheck(session: Session, slice: Slice): Check {
  const rows = sql`_addresses a WHERE ${inSlice(sql`a.id`, slice)}`;
  return {
    name: "addresses",
    total: () => countRowsOf(session, rows),
    steps: async function* () {
      for await (const list of session.stream<[Integer, string]>(sql`SELECT a.id, a.address FROM ${rows} ORDER BY a.id`)) {
        for (const [id, address] of list) {
          const problem = `\`${printable(address, 80)}\` is not an address as the node prints it`;
          yield parseAddress(address) === address ? [] : [{ table: "_addresses", row: `${id}`, problem }];
        }
      }
    },
  };
}

/** An account in a finding: by its address, or by the number of its row where that is not there. */
export function accountName(id: Integer, address: string | null): string {
  return `account ${printable(address ?? `${id}`, 80)}`;
}
