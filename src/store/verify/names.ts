import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { parseU64 } from "../../base/u64.ts";
import { parseAddress } from "../../move/address.ts";
import { parseType } from "../../move/types/parse-type.ts";
import { structsOf } from "../content/interning.ts";
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

/** Every abort code: a u64 in its one spelling. */
export function errorCodeCheck(database: Database, slice: Slice): Check {
  const where = inSlice("id", slice);
  const rows = database.prepare<[], { id: bigint; code: string }>(`SELECT id, code FROM error_codes WHERE ${where} ORDER BY id`);
  return {
    name: "error codes",
    total: () => countOf(database, `SELECT count(*) FROM error_codes WHERE ${where}`),
    steps: function* () {
      for (const { id, code } of rows.iterate()) {
        yield parseU64(code) === undefined ? wrong("error_codes", id, `\`${printable(code, 80)}\` is no u64`) : [];
      }
    },
  };
}

/** Every type: the structs that its text mentions are those that are stored for it. */
export function typeCheck(database: Database, slice: Slice): Check {
  const where = inSlice("id", slice);
  const rows = database.prepare<[], { id: bigint; type: string }>(`SELECT id, type FROM types WHERE ${where} ORDER BY id`);
  const structs = database
    .prepare<[bigint], string>(
      "SELECT coalesce(a.address, '?') || '::' || coalesce(m.name, '?') || '::' || s.struct FROM type_structs s " +
        "LEFT JOIN modules m ON m.id = s.module_id LEFT JOIN addresses a ON a.id = m.address_id WHERE s.type_id = ?",
    )
    .pluck();
  const damageOf = (id: bigint, text: string): Damage[] => {
    const type = parseType(text);
    // Function types within function types can be read in several ways: only the bytes would tell.
    if (type.kind === "unknown") return [];
    const wanted = new Set([...structsOf(type)].map(({ module, name }) => `${module.address}::${module.name}::${name}`));
    const found = structs.all(id);
    if (found.length === wanted.size && found.every((name) => wanted.has(name))) return [];
    return [
      {
        table: "type_structs",
        row: `type ${id}`,
        problem: `\`${printable(text, 120)}\` mentions ${list([...wanted])}, and ${list(found)} is stored`,
      },
    ];
  };
  return {
    name: "types",
    total: () => countOf(database, `SELECT count(*) FROM types WHERE ${where}`),
    steps: function* () {
      for (const { id, type } of rows.iterate()) yield damageOf(id, type);
    },
  };
}

function list(names: readonly string[]): string {
  return names.length === 0 ? "no struct" : printable(names.toSorted().join(", "));
}

function wrong(table: string, id: bigint, problem: string): Damage[] {
  return [{ table, row: `${id}`, problem }];
}
