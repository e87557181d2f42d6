import { formatHex } from "../../base/bytes.ts";
import { printable } from "../../base/printable.ts";
import type { Damage } from "../../engine/check.ts";
import type { Engine, Integer, Row, Session } from "../../engine/engine.ts";
import { openScratch } from "../../engine/sqlite/open-scratch.ts";
import { hexOf, jsonEach } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { contentTables } from "../../schema/tables/content.ts";
import { bytecodeViews } from "../../schema/views/modules.ts";
import { code, functions, rowsOfBytecodes, structs } from "../../schema/views/state-views.ts";
import { rowsOfBytecode } from "../content/derivation.ts";
import { storeFailure } from "../content/derive.ts";
import { derivedRowWriter } from "../content/derived-writer.ts";

/** A stored bytecode whose bytes are sound, and what a node told of its ABI, as JSON text. */
export type SoundBytecode = {
  readonly id: Integer;
  readonly sha256: Uint8Array;
  readonly code: Uint8Array;
  readonly bytecodeVersion: Integer | null;
  readonly nodeAbi: string | null;
};

/** Bytecodes whose rows are compared at a time. */
const COMPARED = 200;

const { id, sha256, size, bytecode_version, node_abi } = contentTables.bytecodes.columns;
const newBytecodes = { name: "_bytecodes", columns: { id, sha256, size, bytecode_version, node_abi } } as const;

const chosen = sql`(SELECT CAST(j.value AS bigint) AS bytecode_id FROM ${jsonEach(":ids::json", "j")})`;
const abiOf = sql<[number, Integer | null]>`SELECT b.id, b.abi_id FROM ${chosen} AS m ${code}`;

/** The account and the name of a module, behind the joins of an item of it. */
const moduleOf = (item: Sql): Sql => sql`LEFT JOIN _modules n ON n.id = ${item}.module_id LEFT JOIN _addresses a ON a.id = n.address_id`;

/** Rows that follow from bytecodes, by names instead of numbers; each begins with the number of its bytecode. */
type Derived = { readonly name: string; readonly select: Sql };

const marks: Derived = {
  name: "_abis",
  select: sql`SELECT b.id, b.derived_by, b.abi_id IS NULL, b.error_code, b.error_offset, b.error_message FROM ${chosen} AS m ${code}`,
};

/** What an ABI has: as the views print it, and what no view prints. */
const derived: readonly Derived[] = [
  {
    name: "_abis",
    select: sql`SELECT b.id, a.address, n.name, ${hexOf("x.digest")}, ${hexOf("x.face_digest")}, x.has_calls, ${hexOf("e.digest")}
      FROM ${chosen} AS m ${code} JOIN _abis x ON x.id = b.abi_id ${moduleOf(sql`x`)} LEFT JOIN _error_maps e ON e.id = x.error_map_id`,
  },
  {
    name: "_functions",
    select: sql`SELECT b.id, l.position, a.address, n.name, f.name, ${hexOf("f.digest")} FROM ${chosen} AS m ${functions()} ${moduleOf(sql`f`)}`,
  },
  {
    name: "_structs",
    select: sql`SELECT b.id, l.position, a.address, n.name, st.name, ${hexOf("st.digest")} FROM ${chosen} AS m ${structs()} ${moduleOf(sql`st`)}`,
  },
  {
    name: "_function_acquires",
    select: sql`SELECT b.id, f.name, q.position, q.struct FROM ${chosen} AS m ${functions(sql`JOIN _function_acquires q ON q.function_id = l.function_id`)}`,
  },
  ...bytecodeViews.map((view) => ({ name: view.name, select: rowsOfBytecodes(view, chosen) })),
];

/**
 * Derives the rows of bytecodes again, in a database in memory by the writer of all such rows, and compares them with the stored ones, both
 * ways. Takes some 40 kB of memory for each.
 */
export async function derivedDamage(session: Session, bytecodes: readonly SoundBytecode[]): Promise<ReadonlyMap<Integer, Damage[]>> {
  const scratch = openScratch();
  try {
    await deriveInto(scratch.engine, bytecodes);
    const damage = new Map<Integer, Damage[]>(bytecodes.map(({ id }) => [id, []]));
    const nameOf = new Map(bytecodes.map(({ id, sha256 }) => [id, `${id} (SHA-256 ${formatHex(sha256)})`]));
    const compare = async ({ name: table, select }: (typeof derived)[number], ids: readonly number[]): Promise<void> => {
      for (let start = 0; start < ids.length; start += COMPARED) {
        const values = { ids: JSON.stringify(ids.slice(start, start + COMPARED)) };
        const wrong = differences(await session.all(select, values), await scratch.engine.all(select, values));
        for (const [id, problems] of wrong)
          damage.get(id)?.push(...problems.map((problem) => ({ table, row: nameOf.get(id) as string, problem })));
      }
    };
    await compare(
      marks,
      bytecodes.map(({ id }) => Number(id)),
    );
    const ids = await withDifferentAbis(session, scratch.engine, bytecodes);
    for (const rows of derived) await compare(rows, ids);
    return damage;
  } finally {
    scratch.close();
  }
}

async function deriveInto(engine: Engine, bytecodes: readonly SoundBytecode[]): Promise<void> {
  await engine.transaction(async (tx) => {
    await tx.bulk(
      newBytecodes,
      bytecodes.map(({ id, sha256, code, bytecodeVersion, nodeAbi }) => [id, sha256, code.length, bytecodeVersion, nodeAbi]),
    );
    const stored = bytecodes.map(({ id, code, nodeAbi }) => ({ id: Number(id), derive: () => rowsOfBytecode(code, nodeAbi) }));
    for (const [id, why] of await derivedRowWriter().writeStored(tx, stored)) await storeFailure(tx, id, why);
  });
}

/** One bytecode of those that share an ABI in both databases: what is wrong with one is wrong with all. */
async function withDifferentAbis(stored: Session, made: Session, bytecodes: readonly SoundBytecode[]): Promise<readonly number[]> {
  const values = { ids: JSON.stringify(bytecodes.map(({ id }) => Number(id))) };
  const madeAbis = new Map(await made.all(abiOf, values));
  const pairs = (await stored.all(abiOf, values)).map(([id, abi]) => [`${abi} ${madeAbis.get(id)}`, id] as const);
  return [...new Map(pairs).values()];
}

/** What is wrong with the rows of each bytecode: of those too many and of those that are missing, one is named. */
function differences(stored: readonly Row[], made: readonly Row[]): ReadonlyMap<Integer, readonly string[]> {
  const counts = new Map<string, { readonly row: Row; count: number }>();
  const count = (rows: readonly Row[], by: 1 | -1): void => {
    for (const row of rows) {
      const text = textOf(row);
      const found = counts.get(text);
      if (found === undefined) counts.set(text, { row, count: by });
      else if (found.count + by === 0) counts.delete(text);
      else found.count += by;
    }
  };
  count(made, -1);
  count(stored, 1);
  const wrong = new Map<Integer, string[]>();
  for (const kind of [1, -1]) {
    const rows = [...counts.values()].filter(({ count }) => Math.sign(count) === kind);
    for (const [id, [first, ...more]] of Map.groupBy(rows, ({ row }) => row[0] as Integer)) {
      const example = `\`${printable(textOf((first as { row: Row }).row.slice(1)), 200)}\`${more.length > 0 ? ` and ${more.length} more` : ""}`;
      const what = kind === 1 ? "stored, and not what follows from the bytes" : "not stored, and follows from the bytes";
      wrong.set(id, [...(wrong.get(id) ?? []), `${what}: ${example}`]);
    }
  }
  return wrong;
}

/** Numbers as text: engines print those of 64 bits differently. */
function textOf(cells: Row): string {
  return JSON.stringify(cells.map((cell) => (cell === null ? null : String(cell))));
}
