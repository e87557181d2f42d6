import { readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { type CodeCells, unpackVersion } from "../../../src/core/db/archive/content/code-blobs.ts";
import type { ObservedModule } from "../../../src/core/db/archive/content/observed-module.ts";
import { gapQueries } from "../../../src/core/db/archive/snapshots/gaps.ts";
import { sealQueries } from "../../../src/core/db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../../src/core/db/archive/snapshots/visits.ts";
import type { Engine, Integer } from "../../../src/core/db/engine/engine.ts";
import type { AccountRecord } from "../../../src/core/move/address.ts";
import { type Address, parseAddress } from "../../../src/core/move/address.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { leaveFewViews } from "./few-views.ts";

/** The bytes of archives that were made and hold nothing, with all views and with few: a copy costs less than the migrations. */
const newArchives = new Map<boolean, Buffer>();

/** Writes an archive that holds nothing; see `leaveFewViews`. */
export async function writeNewArchive(path: string, { hasFewViews = false } = {}): Promise<void> {
  const known = newArchives.get(hasFewViews);
  if (known !== undefined) return writeFileSync(path, known);
  await (await openStore(path, { mode: "write", now: () => NOON })).close();
  if (hasFewViews) leaveFewViews(path);
  newArchives.set(hasFewViews, readFileSync(path));
}

/** Begins a database of few views at a path, for runs of movedex to go on with. */
export async function quickArchive(path: string): Promise<string> {
  await writeNewArchive(path, { hasFewViews: true });
  return path;
}

/** A moment for tests that do not care which. */
export const NOON = 1_700_000_000_000;

/** A store in a directory of its own, closed and removed when it goes out of scope. */
export async function temporaryStore(): Promise<
  { readonly engine: Engine; readonly path: string; readonly close: () => Promise<void> } & AsyncDisposable
> {
  const directory = temporaryDirectory();
  const path = directory.file("archive.db");
  await writeNewArchive(path);
  const { engine, close } = await openStore(path, { mode: "write", now: () => NOON });
  return {
    engine,
    path,
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      directory[Symbol.dispose]();
    },
  };
}

/** An address from its number. */
export function addressOf(number: number): Address {
  return parseAddress(number.toString(16)) as Address;
}

/** Undecodable bytes as a module: enough for everything but its ABI. */
export function opaqueModule(name: string, text: string): ObservedModule {
  const code = Buffer.from(text);
  return { name, sha256: sha256(code), content: { code, bytecodeVersion: null } };
}

/** An account record that differs with its sequence number only. */
export function recordOf(sequenceNumber: bigint): AccountRecord {
  return { sequenceNumber, authenticationKey: new Uint8Array(32).fill(7), resource: null };
}

/** A snapshot of chain 4 at a version that is the node's newest. */
export function pinAt(ledgerVersion: bigint) {
  return { chainId: 4, ledgerVersion, headVersion: ledgerVersion, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON };
}

/** Why an account gave no answer: for this time, and for good. */
export const noAnswer = { reason: "timeout", errorCode: null, httpStatus: null, message: "no answer", attempts: 1, isFinal: false };
export const gone = { reason: "gone", errorCode: null, httpStatus: 410, message: "gone", attempts: 1, isFinal: true };

/** What a night sees of an account: its record and modules (undecodable texts by name), or that it does not answer. */
export type SeenAccount =
  | {
      /** Undefined where the modules alone are read. */
      readonly sequence: bigint | null | undefined;
      readonly modules: Readonly<Record<string, string>> | readonly ObservedModule[];
    }
  | "missed";

/** One whole night: pin, visit or miss every account, seal. */
export async function night(engine: Engine, version: bigint, seen: Iterable<readonly [Address, SeenAccount]>) {
  const accounts = [...seen];
  await snapshotQueries(engine).createSnapshot(
    pinAt(version),
    accounts.map(([address]) => address),
  );
  const { commitVisits } = visitQueries(engine);
  for (const [address, content] of accounts) {
    if (content === "missed") await gapQueries(engine).commitGap(version, { address, ...gone }, NOON);
    else {
      const modules = Array.isArray(content.modules)
        ? content.modules
        : Object.entries(content.modules).map(([name, text]) => opaqueModule(name, text));
      const account = typeof content.sequence === "bigint" ? recordOf(content.sequence) : content.sequence;
      await commitVisits(version, [{ address, account, modules }]);
    }
  }
  return sealQueries(engine).seal(version, { now: NOON });
}

/** The plain bytes of bytecode that a store's file holds, through a connection of its own. */
export function storedCode(path: string, digest: Uint8Array): Uint8Array | undefined {
  const database = new Database(path, { readonly: true });
  try {
    const columns = "SELECT sha256, size, code, base_id FROM _bytecodes NATURAL JOIN _bytecode_blobs";
    const row = database.prepare<[Uint8Array], CodeCells>(`${columns} WHERE sha256 = ?`).raw().get(digest);
    const find = database.prepare<[Integer], CodeCells>(`${columns} WHERE id = ?`).raw();
    return row && unpackVersion(row, (id) => find.get(id)).code;
  } finally {
    database.close();
  }
}
