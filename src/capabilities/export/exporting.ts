import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { readChain } from "../../archive/chain.ts";
import { type CodeCells, codeColumns, codeJoin, readBases } from "../../archive/content/read-code.ts";
import { closing } from "../../base/async.ts";
import { formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import { LEDGER_VERSION_MAX } from "../../base/u64.ts";
import { beginReading } from "../../engine/check.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Integer, Row, Session, Values } from "../../engine/engine.ts";
import { UNDERIVED } from "../../engine/query-door.ts";
import { countOf, hex, rowOf, text, version, whole } from "../../engine/row-shape.ts";
import { present } from "../../errors.ts";
import { type Address, formatLongAddress } from "../../move/address.ts";
import type { Kind } from "../../schema/kinds.ts";
import { includesVersion, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { joined, named, type Sql, sql, verbatim } from "../../schema/sql/sql.ts";
import type { ViewColumns } from "../../schema/views/view.ts";
import { viewList } from "../../schema/views/views.ts";

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

/** One module at a snapshot. `nodeAbi` is there when a node gave the ABI of bytes that movedex could not decode. */
export type ExportedModule = {
  readonly address: Address;
  readonly name: string;
  readonly sha256: string;
  readonly code: Uint8Array;
  readonly nodeAbi: ModuleAbi | undefined;
};

/** Reading a whole database out. All rows come from one state of it, whatever is written meanwhile, and are read as they are consumed. */
export type ExportDoor = Awaited<ReturnType<typeof openExportDoor>>;

const snapshots = sql`SELECT ${snapshot.columns} FROM _all_snapshots p WHERE ${sealed("p")} ORDER BY p.ledger_version`;
const versionTimes = sql<[bigint | number, Cell]>`SELECT ledger_version, ledger_time FROM _version_times`;
const derivations = sql`SELECT derived_by, count(1), count(abi_id) FROM _bytecodes GROUP BY derived_by ORDER BY derived_by`;
const modulesAt = sql<[...CodeCells, nodeAbi: string | null, Address, name: string]>`SELECT ${codeColumns}, b.node_abi, a.address, s.name
  FROM ${moduleSpans} s JOIN _coverage c ON c.address_id = s.address_id AND ${includesVersion("c", ":version")}
  JOIN _addresses a ON a.id = s.address_id JOIN _bytecodes b ON b.id = s.bytecode_id ${codeJoin} WHERE ${includesVersion("s", ":version")}
  ORDER BY length(a.address), a.address, s.name`;

/** Opens a database for reading it out; `isForeign` as in `ReadOptions`. @throws StoreError */
export async function openExportDoor(path: string, isForeign = false) {
  const { engine, close } = await databaseAt(path).open({ mode: "read", isForeign });
  try {
    const reading = await beginReading(engine);
    const { session } = reading;
    return closing({
      path,
      chainId: await readChain(session),
      underived: () => countOf(session, verbatim(UNDERIVED)),
      snapshots: await snapshot.all(session, snapshots),
      /** Rows of a public view in the order of its columns, version by version, or all of them. */
      viewRows: (view: string, versions?: readonly bigint[]) => viewRows(session, view, versions),
      /** What derived rows follow from, beside the bytecode that the snapshots show. */
      derivations: async () => JSON.stringify(await session.all(derivations)),
      modules: (version: bigint) => modules(session, version),
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

/** Rows in lists, to be changed in place: a view may have millions. */
async function* viewRows(session: Session, name: string, versions: readonly bigint[] | undefined): AsyncGenerator<Cell[][]> {
  const view = present(
    viewList.find((candidate) => candidate.name === name),
    `there is no view ${name}`,
  );
  const columns = Object.keys(view.columns);
  const follows = await following(session, view.columns);
  const fill = Object.entries(view.columns).flatMap(([column, { kind }], i) => {
    const cell =
      follows.get(column)?.(columns) ?? (kind === "time" || kind === "u64" ? (row: Row) => viewValue(row[i] ?? null, kind) : undefined);
    return cell === undefined ? [] : [{ i, cell }];
  });
  const select = selectFrom(name, columns, follows, versions !== undefined);
  for (const values of versions?.map((version) => ({ version })) ?? [{}]) {
    for await (const rows of session.stream(select, values)) {
      const list = rows as readonly Row[] as Cell[][];
      for (const { i, cell } of fill) for (const row of list) row[i] = cell(row);
      yield list;
    }
  }
}

/** How many cells that follow from others are kept to be found again. */
const MADE_MAX = 1000;

/** How a column's cell follows from the others of its row, whose names are given in their order. */
type Following = (columns: readonly string[]) => (row: Row) => Cell;

/** Columns that a view with millions of rows need not be asked for: they follow from others, and few values of these are different. */
async function following(session: Session, columns: ViewColumns): Promise<ReadonlyMap<string, Following>> {
  const chainId = await readChain(session);
  const times = new Map((await session.all(versionTimes)).map(([version, time]) => [String(version), time]));
  const once =
    (from: string, make: (cell: Cell) => Cell): Following =>
    (columns) => {
      const made = new Map<Cell, Cell>();
      const i = columns.indexOf(from);
      return (row) => {
        const cell = row[i] ?? null;
        const held = made.get(cell);
        if (held !== undefined) return held;
        if (made.size >= MADE_MAX) made.clear();
        const value = make(cell);
        made.set(cell, value);
        return value;
      };
    };
  const timeOf = (cell: Cell): Cell => viewValue(times.get(String(cell)) ?? null, "time");
  const longForm = (cell: Cell): Cell => (cell === null ? null : formatLongAddress(cell as Address));
  const rules: Readonly<Record<string, Following>> = {
    chain_id: () => () => chainId,
    ...Object.fromEntries(
      Object.keys(columns).flatMap((column) =>
        column.endsWith("_long") ? [[column, once(column.slice(0, -"_long".length), longForm)]] : [],
      ),
    ),
    ...("valid_from_version" in columns
      ? { valid_from_time: once("valid_from_version", timeOf), valid_to_time: once("valid_to_version", timeOf) }
      : {}),
  };
  return new Map(Object.entries(rules).filter(([column]) => column in columns));
}

/** In an order, so that either engine gives the same file. Columns that follow from others are left null. */
function selectFrom(view: string, columns: readonly string[], follows: ReadonlyMap<string, unknown>, isAtVersion: boolean): Sql {
  const asked = columns.map((column) => (follows.has(column) ? sql`NULL AS ${named(column)}` : named(column)));
  const places = columns.flatMap((column, i) => (follows.has(column) ? [] : [verbatim(`${i + 1} NULLS FIRST`)]));
  return sql`SELECT ${joined(asked, ", ")} FROM ${named(view)}${isAtVersion ? sql` WHERE ledger_version = :version` : sql``} ORDER BY ${joined(places, ", ")}`;
}

/** The same from every engine: a u64 up to 2^63 − 1 is a whole number, one above its text; a time is its text in UTC. */
function viewValue(cell: Cell, kind: Kind): Cell {
  if (kind === "time" && typeof cell === "number") return new Date(cell).toISOString();
  if (kind !== "u64" || cell === null) return cell;
  const value = BigInt(cell as Integer | string);
  return value > LEDGER_VERSION_MAX ? value.toString() : value;
}

async function* modules(session: Session, version: bigint): AsyncGenerator<ExportedModule> {
  const rows = unpacked(session, modulesAt, { version });
  for await (const [sha256, code, nodeAbi, address, name] of rows) {
    yield { address, name, sha256, code, nodeAbi: nodeAbi === null ? undefined : parseNodeAbi(JSON.parse(nodeAbi)) };
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
