import type { Database } from "better-sqlite3";
import type { ModuleId } from "../../move/types/types.ts";
import type { AbiRows } from "./abi-rows.ts";
import { ManyRows } from "./many-rows.ts";
import { prepareModuleIds } from "./module-ids.ts";
import { prepareWords } from "./search-index.ts";
import { columnsOf, ITEMS, type ItemKind, itemKinds, type Numbered, type Part, prepareStoredRows } from "./stored-rows.ts";

/** Writes ABIs. Its calls belong inside a transaction. */
export type AbiWriter = {
  /**
   * Writes the rows of the ABI of a bytecode. Functions and structs that the module's newest ABI has as well are shared with
   * it; when nothing differs no row is written, and the older ABI serves.
   * @param sharing whether to look for an older ABI
   * @returns the number of the ABI: the bytecode's own, or the older one's
   */
  readonly write: (bytecode: number, rows: AbiRows, sharing: boolean) => number;
  /** Writes what is still held back. To be called before the transaction ends, and before anything reads the rows. */
  readonly flush: () => void;
  /** Forgets what was held back or remembered, after a transaction that was rolled back. */
  readonly forget: () => void;
};

/** Error maps remembered by their text, so that copies of a module share one. */
const ERROR_MAPS_MAX = 2000;

type Row = readonly (string | number | null)[];

/** Prepares the writer of ABI rows on a connection. */
export function prepareAbiWriter(database: Database): AbiWriter {
  const into = (table: Parameters<typeof columnsOf>[0]) => new ManyRows(database, table, columnsOf(table));
  const tables = {
    abis: into("abis"),
    abi_parts: into("abi_parts"),
    functions: into("functions"),
    structs: into("structs"),
    abi_friends: into("abi_friends"),
    abi_dependencies: into("abi_dependencies"),
    struct_uses: into("struct_uses"),
  };
  const flush = (): void => {
    for (const table of Object.values(tables)) table.flush();
  };
  const words = prepareWords(database);
  const modules = prepareModuleIds(database, (id, { name }) => words.module(id, name));
  const stored = prepareStoredRows(database);
  // What a node told of its own is shared with nothing: it holds less than what bytes say.
  const newest = database
    .prepare<[number, number], number>(
      "SELECT x.id FROM abis x JOIN bytecodes b ON b.id = x.id AND b.derived_by <> 'node' WHERE x.module_id = ? AND x.id <> ? ORDER BY x.id DESC LIMIT 1",
    )
    .pluck()
    .safeIntegers(false);
  const errorsOf = database.prepare<[number], number | null>("SELECT errors_abi_id FROM abis WHERE id = ?").pluck().safeIntegers(false);
  const errorMaps = new Map<string, number>();
  const unflushed = new Set<number>();

  const findOlder = (module: number, bytecode: number): number | undefined => {
    if (unflushed.has(module)) {
      flush();
      unflushed.clear();
    }
    return newest.get(module, bytecode);
  };

  const partsOf = <R extends Row>(
    kind: ItemKind,
    bytecode: number,
    rows: readonly R[],
    older: readonly Numbered<R>[],
    addWords: (id: number, row: R) => void,
  ): Part[] => {
    const known = new Map(older.map(({ id, row }) => [keyOf(row), id]));
    const base = bytecode * ITEMS;
    let next = base;
    const ids = rows.map((row) => {
      const shared = known.get(keyOf(row));
      if (shared !== undefined) return shared;
      tables[kind].add(next, ...row);
      addWords(next, row);
      return next++;
    });
    return stretches(ids);
  };

  const errorsAbi = (bytecode: number, errors: string | null, older: number | undefined): number | null => {
    if (errors === null) return null;
    if (older !== undefined && stored.self(older)?.errors === errors) return errorsOf.get(older) ?? null;
    const known = errorMaps.get(errors);
    if (known !== undefined) return known;
    if (errorMaps.size >= ERROR_MAPS_MAX) errorMaps.clear();
    errorMaps.set(errors, bytecode);
    return bytecode;
  };

  const write = (bytecode: number, rows: AbiRows, sharing: boolean): number => {
    const module = modules.idOf(rows.self);
    const older = sharing ? findOlder(module, bytecode) : undefined;
    if (older !== undefined && isEqualAbi(rows, older)) return older;
    const holder = errorsAbi(bytecode, rows.errors, older);
    tables.abis.add(bytecode, module, rows.faceDigest, holder, holder === bytecode ? rows.errors : null);
    if (holder === bytecode && rows.errors !== null) words.errors(bytecode, rows.errors);
    const parts = {
      functions: partsOf("functions", bytecode, rows.functions, older === undefined ? [] : stored.functions(older), (id, [name]) =>
        words.function(id, name),
      ),
      structs: partsOf("structs", bytecode, rows.structs, older === undefined ? [] : stored.structs(older), (id, row) =>
        words.struct(id, row[0], row[7], row[8]),
      ),
    };
    for (const kind of ["functions", "structs"] as const) {
      for (const { position, source, first, last } of parts[kind]) {
        tables.abi_parts.add(bytecode, itemKinds[kind], position, source, first, last);
      }
    }
    for (const [position, friend] of rows.friends.entries()) tables.abi_friends.add(bytecode, position, modules.idOf(friend));
    for (const [position, other] of rows.dependencies.entries()) tables.abi_dependencies.add(bytecode, position, modules.idOf(other));
    for (const { module: other, struct } of rows.uses) tables.struct_uses.add(bytecode, modules.idOf(other), struct);
    unflushed.add(module);
    return bytecode;
  };

  const isEqualAbi = (rows: AbiRows, older: number): boolean => {
    const self = stored.self(older);
    return (
      self !== undefined &&
      Buffer.compare(self.faceDigest, rows.faceDigest) === 0 &&
      self.errors === rows.errors &&
      isSameList(stored.functions(older), rows.functions, ({ row }) => keyOf(row), keyOf) &&
      isSameList(stored.structs(older), rows.structs, ({ row }) => keyOf(row), keyOf) &&
      isSameList(stored.friends(older), rows.friends, nameOf, nameOf) &&
      isSameList(stored.dependencies(older), rows.dependencies, nameOf, nameOf)
    );
  };

  return {
    write,
    flush: () => {
      flush();
      unflushed.clear();
    },
    forget: () => {
      for (const table of Object.values(tables)) table.clear();
      modules.forget();
      errorMaps.clear();
      unflushed.clear();
      words.forget();
    },
  };
}

/** Rows that follow one another in what one ABI brought make one part. */
function stretches(ids: readonly number[]): Part[] {
  const parts: Part[] = [];
  for (const [position, id] of ids.entries()) {
    const source = Math.floor(id / ITEMS);
    const place = id % ITEMS;
    const before = parts.at(-1);
    if (before !== undefined && before.source === source && before.last + 1 === place) parts[parts.length - 1] = { ...before, last: place };
    else parts.push({ position, source, first: place, last: place });
  }
  return parts;
}

function isSameList<A, B>(a: readonly A[], b: readonly B[], keyA: (item: A) => string, keyB: (item: B) => string): boolean {
  return a.length === b.length && a.every((item, i) => keyA(item) === keyB(b[i] as B));
}

function keyOf(row: Row): string {
  return JSON.stringify(row);
}

function nameOf({ address, name }: ModuleId): string {
  return `${address}::${name}`;
}
