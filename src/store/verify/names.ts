import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { parseAddress } from "../../move/address.ts";
import { type Check, countOf, type Damage, inSlice, type Slice } from "./check.ts";

/** Every address: printed as the node prints it, so that there is one row for each. */
export function addressCheck(database: Database, slice: Slice): Check {
  const where = inSlice("id", slice);
  const rows = database.prepare<[], { id: bigint; address: string }>(`SELECT id, address FROM addresses WHERE ${where} ORDER BY id`);
  return {
    name: "addresses",
    total: () => countOf(database, `SELECT count(*) FROM addresses WHERE ${where}`),
    steps: function* () {
      for (const { id, address } of rows.iterate()) {
        yield parseAddress(address) === address
          ? []
          : wrong("addresses", id, `\`${printable(address, 80)}\` is no address as the node prints it`);
      }
    },
  };
}

function wrong(table: string, id: bigint, problem: string): Damage[] {
  return [{ table, row: `${id}`, problem }];
}

/** Prepares the naming of accounts: by address, or by the number of the row where that is not there. */
export function prepareAccountName(database: Database): (id: bigint) => string {
  const find = database.prepare<[bigint], string>("SELECT address FROM addresses WHERE id = ?").pluck();
  return (id) => `account ${printable(find.get(id) ?? `${id}`, 80)}`;
}
