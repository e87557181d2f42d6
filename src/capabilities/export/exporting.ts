import type { ModuleAbi } from "../../core/abi/model.ts";
import { parseNodeAbi } from "../../core/abi/node-json/parse.ts";
import { closing } from "../../core/base/async.ts";
import { formatHex } from "../../core/base/bytes.ts";
import type { Cell } from "../../core/base/cell.ts";
import { LEDGER_VERSION_MAX } from "../../core/base/numbers.ts";
import { readChain } from "../../core/db/archive/chain.ts";
import { type CodeCells, codeColumns, codeJoin, readBases } from "../../core/db/archive/content/code-blobs.ts";
import { beginReading } from "../../core/db/engine/check.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import type { Integer, Row, Session, Values } from "../../core/db/engine/engine.ts";
import { countOf, hex, rowOf, text, version, whole } from "../../core/db/engine/row-shape.ts";
import { UNDERIVED } from "../../core/db/engine/sql-session.ts";
import type { Kind } from "../../core/db/schema/column.ts";
import { includesVersion, moduleSpans, sealed } from "../../core/db/schema/sql/predicates.ts";
import { joined, named, type Sql, sql, verbatim } from "../../core/db/schema/sql/sql.ts";
import { asInteger, isNullable, type ViewColumnData, type ViewColumns, type ViewData } from "../../core/db/schema/view.ts";
import { snapshotViews } from "../../core/db/schema/views/modules.ts";
import { newestReading } from "../../core/db/schema/views/state-views.ts";
import { viewList } from "../../core/db/schema/views/views.ts";
import { present } from "../../core/errors.ts";
import { type Address, formatLongAddress } from "../../core/move/address.ts";
import type { CellSource } from "./tables/table.ts";

const snapshot = rowOf({
  ledgerVersion: version("p.ledger_version"),
  status: text("p.status"),
  accounts: whole("p.accounts"),
  modules: whole("p.modules"),
  gaps: whole("p.gaps"),
  digest: hex("p.digest"),
});

/** One sealed snapshot of a database, as an export names it. `digest` is 64 hex digits. */
export type SealedSnapshot = ReturnType<typeof snapshot.read>;

/** One module. `nodeAbi` is there when a node gave the ABI of bytes that movedex could not decode. */
export type ExportedModule = {
  readonly address: Address;
  readonly name: string;
  readonly sha256: string;
  readonly code: Uint8Array;
  readonly nodeAbi: ModuleAbi | undefined;
  /** The snapshot that read its account: the one that was asked for, or the last one. */
  readonly readAt: bigint;
};

/** Reading a whole database out. All rows come from one state of it, whatever is written meanwhile, and are read as they are consumed. */
export type ExportSession = Awaited<ReturnType<typeof openExportSession>>;

const snapshots = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE ${sealed("p")} ORDER BY p.ledger_version`;
const versionTimes = sql<[bigint | number, Cell]>`SELECT ledger_version, ledger_time FROM _version_times`;
const derivations = sql`SELECT derived_by, count(1), count(abi_id) FROM _bytecodes GROUP BY derived_by ORDER BY derived_by`;
const covered = sql`EXISTS (SELECT 1 FROM _coverage c WHERE c.address_id = s.address_id AND ${includesVersion("c", ":version")})`;
type ModuleRow = [...CodeCells, nodeAbi: string | null, Address, name: string, readAt: Integer];
const modulesWhere = (
  where: Sql,
  readAt: Sql,
): Sql<ModuleRow> => sql<ModuleRow>`SELECT ${codeColumns}, b.node_abi, a.address, s.name, ${readAt}
  FROM ${moduleSpans} s JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id ${codeJoin} WHERE ${where}
  ORDER BY length(a.address), a.address, s.name`;
const modulesAt = modulesWhere(sql`${includesVersion("s", ":version")} AND ${covered}`, asInteger(sql`:version`));
/** As `modules_latest` has them: a night that reads less hides none. */
const newestModules = modulesWhere(sql`s.to_version IS NULL`, newestReading("modules"));

/** Opens a database for reading it out. @throws StoreError */
export async function openExportSession(path: string) {
  const { engine, close } = await databaseAt(path).open({ mode: "read" });
  try {
    const reading = await beginReading(engine);
    const { session } = reading;
    return closing({
      path,
      chainId: await readChain(session),
      underived: () => countOf(session, verbatim(UNDERIVED)),
      snapshots: await snapshot.all(session, snapshots),
      /** Rows of a public view, version by version, or all of them, and where in these each of its columns has its cells from. */
      viewRows: (view: string, versions?: readonly bigint[]) => viewRows(session, view, versions),
      cellSources: (view: string) => cellSources(session, viewOf(view)),
      /** What derived rows follow from, beside the bytecode that the snapshots show. */
      derivations: async () => JSON.stringify(await session.all(derivations)),
      /** The modules at a version; of `newest`, the accounts that it did not read too, as they were when read last. */
      modules: (version: bigint, { newest }: { readonly newest: boolean }) => modules(session, newest ? newestModules : modulesAt, version),
      close: async () => {
        await reading.close();
        await close();
      },
    });
  } catch (error) {
    await close();
    throw error;
  }
}

const viewOf = (name: string): ViewData =>
  present(
    viewList.find((candidate) => candidate.name === name),
    `there is no view ${name}`,
  );

/** The rows of a view in lists: of its columns those that do not follow from others, since a view may have millions. */
async function* viewRows(session: Session, name: string, versions: readonly bigint[] | undefined): AsyncGenerator<readonly Row[]> {
  const select = selectFrom(viewOf(name), versions !== undefined);
  for (const values of versions?.map((version) => ({ version })) ?? [{}]) yield* session.stream(select, values);
}

/** Where each column of a view has its cells from, in the rows that are read of it. */
async function cellSources(session: Session, { columns }: ViewData): Promise<readonly CellSource[]> {
  const chainId = await readChain(session);
  const times = new Map((await session.all(versionTimes)).map(([version, time]) => [String(version), time]));
  const timeOf = (version: Cell): Cell => viewValue(times.get(String(version)) ?? null, "time");
  const asked = askedOf(columns);
  return Object.entries(columns).map(([column, { kind }]) => {
    const from = sourceOf(column, columns);
    const bit = flagsOf(columns).indexOf(column);
    const makers = [
      [column === "chain_id", () => chainId],
      [from === FLAGS, (cell: Cell) => (Number(cell) >> bit) & 1],
      [column.endsWith("_long"), (cell: Cell) => formatLongAddress(cell as Address)],
      [column.endsWith("_time") && column !== from, timeOf],
      [kind === "time" || kind === "u64", (cell: Cell) => viewValue(cell, kind)],
    ] as const;
    return { at: asked.indexOf(from), make: makers.find(([isIt]) => isIt)?.[1] };
  });
}

/** Flags are asked for as the bits of one number: a view of structs has seven. */
const FLAGS = "flags";

const flagsOf = (columns: ViewColumns): string[] => {
  const flags = Object.entries(columns).filter(([, about]) => about.kind === "bool" && !isNullable(about));
  return flags.map(([column]) => column);
};

const bits = (columns: ViewColumns): Sql =>
  flagsOf(columns).reduce((sum, column, bit) => sql`${sum} + ${verbatim(String(2 ** bit))} * CAST(${named(column)} AS integer)`, sql`0`);

/** The column whose cells decide those of another, so that only they are asked for; else the column itself. */
function sourceOf(column: string, columns: ViewColumns): string {
  if (column.endsWith("_long")) return column.slice(0, -"_long".length);
  if (columns[column]?.meaning.endsWith(", as in name")) return "name";
  if (flagsOf(columns).includes(column)) return FLAGS;
  if ("valid_from_version" in columns && /^valid_(?:from|to)_time$/.test(column)) return column.replace("time", "version");
  // The chain is the same in every row, so any column that is never null decides it.
  return column === "chain_id"
    ? (Object.keys(columns).find((other) => other !== column && !isNullable(columns[other] as ViewColumnData)) as string)
    : column;
}

const askedOf = (columns: ViewColumns): string[] => [...new Set(Object.keys(columns).map((column) => sourceOf(column, columns)))];

/** In an order, so that either engine gives the same file. */
function selectFrom({ name, columns }: ViewData, isAtVersion: boolean): Sql {
  const asked = askedOf(columns);
  const isOfAccounts = /^(?:functions|structs)_held$/.test(name) || snapshotViews.some((view) => view.name === name);
  // The stretches of a thing one after the other. In this order SQLite walks accounts, and sorts only within each.
  const isLast = (column: string): boolean => column === "bytecode_sha256" || column === FLAGS || column.endsWith("_version");
  const rank = (column: string): number => (column === "address" ? 0 : isLast(column) ? 2 : 1);
  const order = isOfAccounts ? asked.toSorted((a, b) => rank(a) - rank(b)) : asked;
  const places = order.map((column) => verbatim(`${asked.indexOf(column) + 1} NULLS FIRST`));
  // Every address has a letter: with this, SQLite does not look accounts up, but begins with them.
  const where = [...(isOfAccounts ? [sql`address > ''`] : []), ...(isAtVersion ? [sql`ledger_version = :version`] : [])];
  const filter = where.length === 0 ? sql`` : sql` WHERE ${joined(where, " AND ")}`;
  return sql`SELECT ${joined(
    asked.map((column) => (column === FLAGS ? bits(columns) : named(column))),
    ", ",
  )} FROM ${named(name)}${filter} ORDER BY ${joined(places, ", ")}`;
}

/** The same from every engine: a u64 up to 2^63 − 1 is a whole number, one above its text; a time is its text in UTC. */
function viewValue(cell: Cell, kind: Kind): Cell {
  if (kind === "time" && typeof cell === "number") return new Date(cell).toISOString();
  if (kind !== "u64" || cell === null) return cell;
  const value = BigInt(cell as Integer | string);
  return value > LEDGER_VERSION_MAX ? value.toString() : value;
}

async function* modules(session: Session, select: Sql<ModuleRow>, version: bigint): AsyncGenerator<ExportedModule> {
  for await (const [sha256, code, nodeAbi, address, name, readAt] of unpacked(session, select, { version })) {
    const abi = nodeAbi === null ? undefined : parseNodeAbi(JSON.parse(nodeAbi));
    yield { address, name, sha256, code, nodeAbi: abi, readAt: BigInt(readAt) };
  }
}

/** The rows of a SELECT that begin with `codeColumns`: with the SHA-256 in hex and the plain bytes in their place. */
async function* unpacked<R extends Row>(
  session: Session,
  select: Sql<readonly [...CodeCells, ...R]>,
  values: Values,
): AsyncGenerator<readonly [sha256: string, code: Uint8Array, ...R]> {
  for await (const rows of session.stream(select, values)) {
    const unpack = await readBases(session, rows);
    for (const row of rows) {
      const [sha256, , , , ...rest] = row;
      yield [formatHex(sha256), unpack(row).code, ...rest];
    }
  }
}
