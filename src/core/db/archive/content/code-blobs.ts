import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { formatHex } from "../../../base/bytes.ts";
import type { Integer, Session } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A bytecode with its plain bytes, how many bytes it is stored in, and the one that it is packed with. */
export type Version = {
  readonly sha256: Uint8Array;
  readonly code: Uint8Array;
  readonly packedBytes: number;
  readonly base: Version | undefined;
};

/** The level of a bytecode that no older version is known of. Higher levels save 2 % and take twice the time of a crawl. */
const FRESH = { [constants.ZSTD_c_compressionLevel]: 3 };

/** The level of an upgrade, which is rare and becomes a fraction of its size. */
const BESIDE = { [constants.ZSTD_c_compressionLevel]: 15 };

/** The memory that any frame may ask for, as a power of two: a module has at most 1 MiB. */
const WINDOW_LOG_MIN = 20;

/** The share of its plain bytes up to which a copy is packed with another at once: alone a module seldom takes less than 45 %. */
const CLEARLY_SMALL = 0.3;
// Of what was tried, these three gave the smallest file of the recorded releases at a mean of four frames to unpack.
/** The largest share of the size that may remain when a module is packed with a base. Above it the module stands alone. */
const MAX_SIZE_WITH_BASE = 0.6;
/** The share of its plain bytes up to which a version is nearly what its own base is, so that the next is packed with that too. */
const MAX_SIZE_OF_SMALL_CHANGE = 0.08;
/** The most bytecodes that one is packed with, each with the next. */
const MAX_BASES = 12;

export type Packed = { readonly code: Uint8Array; readonly base: Version | undefined };

/** Packs bytecode as a zstd frame; if smaller, with an older version as dictionary: `older`, or what that is packed with. */
export function packCode(code: Uint8Array, older: Version | undefined): Packed {
  if (older === undefined) return { code: zstdCompressSync(code, { params: FRESH }), base: undefined };
  const base = older.base === undefined || isBase(older) ? older : older.base;
  return smaller(code, zstdCompressSync(code, { params: BESIDE, dictionary: base.code }), base);
}

/** The same with the bytecode of a module of the same name elsewhere. */
function packCopy(code: Uint8Array, alike: Version): Packed {
  const frame = zstdCompressSync(code, { params: FRESH, dictionary: alike.code });
  return frame.length <= code.length * CLEARLY_SMALL ? { code: frame, base: alike } : smaller(code, frame, alike);
}

function smaller(code: Uint8Array, frame: Uint8Array, base: Version): Packed {
  const alone = packCode(code, undefined);
  return frame.length > alone.code.length * MAX_SIZE_WITH_BASE ? alone : { code: frame, base };
}

/** Whether others may be packed with a version that is packed with another itself. */
function isBase({ code, packedBytes, base }: Version): boolean {
  if (packedBytes <= code.length * MAX_SIZE_OF_SMALL_CHANGE) return false;
  let bases = 0;
  for (let next = base; next !== undefined; next = next.base) bases++;
  return bases < MAX_BASES;
}

/** A bytecode as it is stored. `code` is null only in a damaged database. `baseId` is what it is packed with, null if nothing. */
export type CodeCells = readonly [sha256: Uint8Array, size: Integer, code: Uint8Array | null, baseId: Integer | null];

/** Unpacks a row, and first what `find` finds that it is packed with. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export function unpackVersion(row: CodeCells, find: (id: Integer) => CodeCells | undefined, most = MAX_BASES): Version {
  const [sha256, size, packed, baseId] = row;
  const found = baseId === null || most === 0 ? undefined : find(baseId);
  if (packed === null || (baseId !== null && found === undefined)) throw damagedCode(sha256);
  const base = found && unpackVersion(found, find, most - 1);
  try {
    return { sha256, code: unpack(packed, Number(size), base?.code), packedBytes: packed.length, base };
  } catch (error) {
    throw damagedCode(sha256, error);
  }
}

/** Allocates about what the bytes take, whatever the frame says of itself. @throws Error of zlib */
function unpack(frame: Uint8Array, size: number, dictionary: Uint8Array | undefined): Uint8Array {
  const windowLog = Math.max(WINDOW_LOG_MIN, 32 - Math.clz32(size + (dictionary?.length ?? 0)));
  const bound = { maxOutputLength: Math.max(size, 1), params: { [constants.ZSTD_d_windowLogMax]: windowLog } };
  return new Uint8Array(zstdDecompressSync(frame, dictionary === undefined ? bound : { ...bound, dictionary }));
}

function damagedCode(sha256: Uint8Array, cause?: unknown): StoreError {
  const digest = formatHex(sha256);
  return new StoreError(
    "MOVEDEX_STORE_DAMAGED",
    `the stored bytecode ${digest} cannot be unpacked: the database is damaged. Restore a copy.`,
    { facts: { sha256: digest }, cause },
  );
}

/** Bytes of bytecode that a process remembers. */
const REMEMBERED_MAX = 4_000_000;
/** Bytecodes of one name that are remembered: with eight, the file of a ledger full of copies is a tenth smaller than with four. */
const OF_A_NAME = 8;
/** The most modules that are packed with one dictionary: all of them are lost if its bytes are damaged. */
const USES_MAX = 100;

type Known = { readonly version: Version; uses: number };

/**
 * Bytecode that this process stored whole, by the module's name: packages are published at many accounts, often a little changed, and such
 * a copy packed with another takes a tenth of the room.
 */
export class AlikeCodes {
  /** In the order of use: the name that was asked for last comes last. */
  readonly #byName = new Map<string, readonly Known[]>();
  #bytes = 0;

  /** Packs bytecode with that of its name whose size is nearest; what is packed with nothing is remembered. */
  pack(name: string, sha256: Uint8Array, code: Uint8Array): Packed {
    const known = this.#byName.get(name) ?? [];
    const distance = ({ version }: Known): number => Math.abs(version.code.length - code.length);
    const [nearest] = known.toSorted((a, b) => distance(a) - distance(b));
    const packed = nearest === undefined ? packCode(code, undefined) : packCopy(code, nearest.version);
    if (nearest !== undefined && packed.base !== undefined) {
      nearest.uses++;
      this.#keep(
        name,
        known.filter(({ uses }) => uses < USES_MAX),
      );
      return packed;
    }
    // A copy, since what came is a view of the node's whole answer.
    const version = { sha256, code: new Uint8Array(code), packedBytes: packed.code.length, base: undefined };
    this.#keep(name, [{ version, uses: 0 }, ...known].slice(0, OF_A_NAME));
    while (this.#bytes > REMEMBERED_MAX) this.#keep(this.#byName.keys().next().value as string, []);
    return packed;
  }

  forget(): void {
    this.#byName.clear();
    this.#bytes = 0;
  }

  #keep(name: string, known: readonly Known[]): void {
    const bytesOf = (list: readonly Known[] = []): number => list.reduce((sum, { version }) => sum + version.code.length, 0);
    this.#bytes += bytesOf(known) - bytesOf(this.#byName.get(name));
    this.#byName.delete(name);
    if (known.length > 0) this.#byName.set(name, known);
  }
}

/** Columns for a SELECT, which give `CodeCells`: the bytecode `b` as it is stored. */
export const codeColumns = sql`b.sha256, b.size, bc.code, bc.base_id`;

type CodeRow = readonly [...CodeCells, ...unknown[]];

export const codeJoin = sql`LEFT JOIN _bytecode_blobs bc ON bc.id = b.id`;

const withBases = sql<[Integer, ...CodeCells]>`WITH RECURSIVE chain(id) AS (SELECT CAST(j.value AS bigint)
  FROM ${jsonEach(":ids::json", "j")} UNION SELECT c.base_id FROM chain n JOIN _bytecode_blobs c ON c.id = n.id
  WHERE c.base_id IS NOT NULL) SELECT b.id, ${codeColumns} FROM chain n JOIN _bytecodes b ON b.id = n.id ${codeJoin}`;

/** Reads bytecodes by number. What it returns unpacks one, undefined if there is none. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function readCodes(session: Session, ids: readonly Integer[]): Promise<(id: Integer) => Version | undefined> {
  const find = await findPacked(session, ids);
  return (id) => {
    const found = find(id);
    return found && unpackVersion(found, find);
  };
}

/** Reads what rows are packed with. What it returns unpacks one of the rows. @throws StoreError `MOVEDEX_STORE_DAMAGED` */
export async function readBases(session: Session, rows: readonly CodeRow[]): Promise<(row: CodeRow) => Version> {
  const find = await findPacked(session, [...new Set(rows.flatMap(([, , , baseId]) => baseId ?? []))]);
  return ([sha256, size, code, baseId]) => unpackVersion([sha256, size, code, baseId], find);
}

async function findPacked(session: Session, ids: readonly Integer[]): Promise<(id: Integer) => CodeCells | undefined> {
  const values = { ids: JSON.stringify(ids.map(Number)) };
  const rows = ids.length === 0 ? [] : await session.all(withBases, values);
  const found = new Map(rows.map(([id, ...cells]) => [Number(id), cells] as const));
  return (id) => found.get(Number(id));
}

/** What `unpack` gives; undefined where the stored bytes are damaged. */
export function unlessDamaged<T>(unpack: () => T): T | undefined {
  try {
    return unpack();
  } catch (error) {
    if (error instanceof StoreError) return undefined;
    throw error;
  }
}
