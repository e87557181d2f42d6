import { equalBytes, formatHex } from "../../core/base/bytes.ts";
import { chunks } from "../../core/base/lists.ts";
import { printable } from "../../core/base/printable.ts";
import { sha256 } from "../../core/base/sha256.ts";
import { type ContentDigest, faceDigest } from "../../core/db/archive/content/abi-rows.ts";
import { type CodeCells, codeColumns, codeJoin, readBases, unlessDamaged } from "../../core/db/archive/content/code-blobs.ts";
import { rowsOfBytecode } from "../../core/db/archive/content/derivation.ts";
import { storeFailure } from "../../core/db/archive/content/derive-rows.ts";
import { derivedRowWriter } from "../../core/db/archive/content/derived-writer.ts";
import { indexedWords, searchTexts } from "../../core/db/archive/content/search-words.ts";
import { abiOf, readContents } from "../../core/db/archive/content/stored-content.ts";
import { type Check, checkOf, countRowsOf, type Damage, inSlice, type Slice } from "../../core/db/engine/check.ts";
import { openScratch } from "../../core/db/engine/database-at.ts";
import type { Engine, Integer, Row, Session } from "../../core/db/engine/engine.ts";
import { hexOf, jsonEach } from "../../core/db/schema/sql/functions.ts";
import { type Sql, sql } from "../../core/db/schema/sql/sql.ts";
import { countedTypes } from "../../core/db/schema/sql/type-counts.ts";
import { contentTables } from "../../core/db/schema/tables/content.ts";
import { DERIVED_BY, REPORTED_BY_NODE } from "../../core/db/schema/tables/derived.ts";
import { itemsOf } from "../../core/db/schema/views/items.ts";
import { bytecodeViews } from "../../core/db/schema/views/modules.ts";
import { code, rowsOfBytecodes } from "../../core/db/schema/views/state-views.ts";
import { readBytecodeVersion } from "../../core/move/module/self-id.ts";
import { groupsOf } from "./observations.ts";

type Cells = readonly [id: Integer, bytecodeVersion: Integer | null, derivedBy: string | null, nodeAbi: string | null, ...code: CodeCells];

const codeOf = ([, , , , ...code]: Cells): CodeCells => code;

/** Every bytecode: unpacked and hashed again, and its rows derived again if `withRows`, unless another revision made them. */
export function bytecodeCheck(session: Session, slice: Slice, withRows = true): Check {
  const isLooked = inSlice(sql`b.id`, slice);
  const page = sql<Cells>`SELECT b.id, b.bytecode_version, b.derived_by, b.node_abi, ${codeColumns} FROM _bytecodes b ${codeJoin}
    WHERE ${isLooked} ORDER BY b.id`;
  return {
    name: "bytecodes",
    total: () => countRowsOf(session, sql`_bytecodes b WHERE ${isLooked}`),
    steps: async function* () {
      for await (const rows of session.stream(page)) {
        const unpack = await readBases(session, rows.map(codeOf));
        const found = rows.map((row) => checkBytes(row, (cells) => unpack(codeOf(cells)).code));
        const derived = withRows
          ? await derivedDamage(
              session,
              found.filter((one) => "code" in one),
            )
          : undefined;
        for (const one of found) yield "code" in one ? (derived?.get(one.id) ?? []) : one;
      }
    },
  };
}

function checkBytes(row: Cells, unpack: (row: Cells) => Uint8Array): SoundBytecode | Damage[] {
  const [id, bytecodeVersion, derivedBy, nodeAbi, digest, size] = row;
  const wrong = (problem: string): Damage[] => [{ table: "_bytecodes", row: `${id} (SHA-256 ${formatHex(digest)})`, problem }];
  const code = unlessDamaged(() => unpack(row));
  if (code === undefined) return wrong("cannot be unpacked");
  if (!equalBytes(sha256(code), digest)) return wrong(`the bytes have the SHA-256 ${formatHex(sha256(code))}`);
  if (code.length !== size) return wrong(`${code.length} bytes, and ${size} are said to be`);
  const version = readBytecodeVersion(code) ?? null;
  if (version !== bytecodeVersion)
    return wrong(`the bytes are of version ${version ?? "unknown"}, and ${bytecodeVersion ?? "none"} is stored`);
  return derivedBy === DERIVED_BY || derivedBy === REPORTED_BY_NODE ? { id, sha256: digest, code, bytecodeVersion, nodeAbi } : [];
}

/** A stored bytecode whose bytes are sound, and what a node told of its ABI, as JSON text. */
type SoundBytecode = {
  readonly id: Integer;
  readonly sha256: Uint8Array;
  readonly code: Uint8Array;
  readonly bytecodeVersion: Integer | null;
  readonly nodeAbi: string | null;
};

const COMPARED = 200;

const { id, sha256: digest, size, bytecode_version, node_abi } = contentTables.bytecodes.columns;
const newBytecodes = { name: "_bytecodes", columns: { id, sha256: digest, size, bytecode_version, node_abi } } as const;

const chosen = sql`(SELECT CAST(j.value AS bigint) AS bytecode_id FROM ${jsonEach(":ids::json", "j")})`;
const abiIdOf = sql<[number, Integer | null]>`SELECT b.id, b.abi_id FROM ${chosen} AS m ${code}`;

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
    select: sql`SELECT b.id, a.address, n.name, x.has_calls, ${hexOf("e.digest")}
      FROM ${chosen} AS m ${code} JOIN _abis x ON x.id = b.abi_id ${moduleOf(sql`x`)} LEFT JOIN _error_maps e ON e.id = x.error_map_id`,
  },
  {
    name: "_functions",
    select: sql`SELECT b.id, l.position, a.address, n.name, i.name FROM ${chosen} AS m ${itemsOf("function")} ${moduleOf(sql`i`)}`,
  },
  {
    name: "_structs",
    select: sql`SELECT b.id, l.position, a.address, n.name, i.name FROM ${chosen} AS m ${itemsOf("struct")} ${moduleOf(sql`i`)}`,
  },
  {
    name: "_function_acquires",
    select: sql`SELECT b.id, i.name, q.position, q.struct FROM ${chosen} AS m ${itemsOf("function", sql`JOIN _function_acquires q ON q.function_id = l.function_id`)}`,
  },
  ...bytecodeViews.map((view) => ({ name: view.name, select: rowsOfBytecodes(view, chosen) })),
];

/** Derives rows again in a database in memory, by the writer of all such rows, and compares both ways; 40 kB for each. */
export async function derivedDamage(session: Session, bytecodes: readonly SoundBytecode[]): Promise<ReadonlyMap<Integer, Damage[]>> {
  const scratch = await openScratch();
  try {
    await deriveInto(scratch.engine, bytecodes);
    const damage = new Map<Integer, Damage[]>(bytecodes.map(({ id }) => [id, []]));
    const nameOf = new Map(bytecodes.map(({ id, sha256 }) => [id, `${id} (SHA-256 ${formatHex(sha256)})`]));
    const compare = async ({ name: table, select }: (typeof derived)[number], ids: readonly number[]): Promise<void> => {
      for (const some of chunks(ids, COMPARED)) {
        const values = { ids: JSON.stringify(some) };
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
    const problem = "says wrongly which ABIs of its module a node prints alike";
    for (const id of await wrongFaces(session, ids)) damage.get(id)?.push({ table: "_abis", row: nameOf.get(id) as string, problem });
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

const earlierAbis = sql<[id: Integer, isAlike: 0 | 1, other: Integer]>`SELECT b.id, x.face = y.face, o.id FROM ${chosen} AS m ${code}
  JOIN _abis x ON x.id = b.abi_id JOIN _abis y ON y.module_id = x.module_id AND y.id < x.id
  JOIN _bytecodes o ON o.id = (SELECT min(n.id) FROM _bytecodes n WHERE n.abi_id = y.id)`;

/** Bytecodes whose ABI does not tell rightly which earlier ones of its module a node prints alike. Most modules have one ABI. */
async function wrongFaces(session: Session, ids: readonly number[]): Promise<ReadonlySet<Integer>> {
  const pairs = await session.all(earlierAbis, { ids: JSON.stringify(ids) });
  const read = await readContents(session, [...new Set(pairs.flatMap(([id, , other]) => [id, other]))]);
  const faces = new Map<Integer, ContentDigest | undefined>();
  const faceOf = (id: Integer): ContentDigest | undefined => {
    if (!faces.has(id)) {
      const abi = unlessDamaged(() => abiOf(read(id)));
      faces.set(id, abi && faceDigest(abi));
    }
    return faces.get(id);
  };
  const isWrong = ([id, isAlike, other]: (typeof pairs)[number]): boolean => {
    const [face, before] = [faceOf(id), faceOf(other)];
    return face !== undefined && before !== undefined && (face === before) !== Boolean(isAlike);
  };
  return new Set(pairs.filter(isWrong).map(([id]) => id));
}

/** One bytecode of those that share an ABI in both databases: what is wrong with one is wrong with all. */
async function withDifferentAbis(stored: Session, made: Session, bytecodes: readonly SoundBytecode[]): Promise<readonly number[]> {
  const values = { ids: JSON.stringify(bytecodes.map(({ id }) => Number(id))) };
  const madeAbis = new Map(await made.all(abiIdOf, values));
  const pairs = (await stored.all(abiIdOf, values)).map(([id, abi]) => [`${abi} ${madeAbis.get(id)}`, id] as const);
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

/** Names with the texts that they are found by, and with the words that the index has of them. */
const namesWithWords = sql<[name: string, text: string, isIndexed: 0 | 1]>`SELECT name, text, 0 AS is_indexed FROM ${searchTexts}
  UNION ALL SELECT name, word, 1 FROM _search_words ORDER BY 1`;

const SHOWN_MAX = 100;

/** The search index against the rows that it was made from: each name has its words, no more and no fewer. The first slice looks at it. */
export function wordCheck(session: Session, { part }: Slice): Check {
  return checkOf("search indexes", part === 0 ? [session] : [], wordDamage);
}

async function wordDamage(session: Session): Promise<Damage[]> {
  const damage: Damage[] = [];
  const add = (name: string, problem: string, words: ReadonlySet<string>, others: ReadonlySet<string>): void => {
    for (const word of words)
      if (!others.has(word))
        damage.push({ table: "_search_words", row: printable(name, 200), problem: `${problem}: \`${printable(word, 200)}\`` });
  };
  for await (const rows of groupsOf(session.stream(namesWithWords))) {
    const name = rows[0][0];
    const has = new Set(rows.flatMap(([, word, isIndexed]) => (isIndexed ? [word] : [])));
    const own = new Set(rows.flatMap(([, text, isIndexed]) => (isIndexed ? [] : indexedWords(name, text))));
    add(name, "has a word in the index that is not its own", has, own);
    add(name, "lacks a word in the index", own, has);
    if (damage.length >= SHOWN_MAX) break;
  }
  return damage.slice(0, SHOWN_MAX);
}

const kept = sql`SELECT type_id, params, returns, fields FROM _type_counts`;
const wrongCounts = sql<[type: string]>`WITH counted AS MATERIALIZED (${countedTypes})
  SELECT DISTINCT t.text FROM (SELECT type_id FROM (${kept} EXCEPT SELECT type_id, params, returns, fields FROM counted) a
    UNION ALL SELECT type_id FROM (SELECT type_id, params, returns, fields FROM counted EXCEPT ${kept}) b) d JOIN _types t ON t.id = d.type_id
  WHERE EXISTS (SELECT 1 FROM _type_counts) ORDER BY 1 LIMIT 100`;

/** The counts of types against the rows that they count. None are there before the end of a first run. The first slice looks at them. */
export function countCheck(session: Session, { part }: Slice): Check {
  return checkOf("tables of counts", part === 0 ? [session] : [], async () =>
    (await session.all(wrongCounts)).map(([type]) => ({
      table: "_type_counts",
      row: printable(type, 200),
      problem: "is not counted as often as it stands",
    })),
  );
}
