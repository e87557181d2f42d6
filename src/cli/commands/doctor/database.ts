import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { formatBytes } from "../../../base/byte-count.ts";
import { plural } from "../../../base/plural.ts";
import { isPostgresAddress } from "../../../base/postgresql-address.ts";
import { takeLock } from "../../../store/connection/lock.ts";
import { openIfThere } from "../../../store/open-if-there.ts";
import { openStore, type Store } from "../../../store/store.ts";
import type { Io } from "../../io.ts";
import { type CheckResult, checkResultOf } from "./check-result.ts";
import { findFalseSnapshots } from "./false-snapshots.ts";

/** Less free space than this is worth a word: a first crawl of a large network with its indexes. */
const LOW_SPACE_BYTES = 1_000_000_000;

/** Looks at the database and the disk under it, and tells which chain the database is of (null: none yet). */
export async function checkDatabase(path: string, io: Io): Promise<{ readonly findings: CheckResult[]; readonly chainId: number | null }> {
  if (isPostgresAddress(path)) return await checkServer(path);
  const directory = dirname(resolve(path));
  const space = checkSpace(directory);
  const writable = checkWritable(directory);
  if (!existsSync(path)) {
    return {
      findings: [
        { state: "ok", subject: "database", text: `\`${path}\` is not there yet; the first \`sync\` makes it` },
        ...writable,
        ...space,
      ],
      chainId: null,
    };
  }
  try {
    const store = await openStore(path, { mode: "read" });
    const falseOnes = await findFalseSnapshots(path, store);
    const { finding, chainId } = await holdingsOf(store, path);
    return { findings: [finding, ...checkLock(path, io), ...writable, ...space, ...falseOnes], chainId };
  } catch (error) {
    return { findings: [checkResultOf(error, "database"), ...space], chainId: null };
  }
}

/** A PostgreSQL database: what is under it is its server's affair. */
async function checkServer(path: string): Promise<{ readonly findings: CheckResult[]; readonly chainId: number | null }> {
  try {
    const store = await openIfThere(path);
    if (store === undefined) {
      const text = `\`${path}\` holds nothing of movedex yet; the first \`sync\` makes its schema`;
      return { findings: [{ state: "ok", subject: "database", text }], chainId: null };
    }
    const falseOnes = await findFalseSnapshots(path, store);
    const { finding, chainId } = await holdingsOf(store, path);
    return { findings: [finding, ...falseOnes], chainId };
  } catch (error) {
    return { findings: [checkResultOf(error, "database")], chainId: null };
  }
}

async function holdingsOf(store: Store, path: string): Promise<{ readonly finding: CheckResult; readonly chainId: number | null }> {
  try {
    const chainId = await store.chainId();
    const held = await store.sealedVersions();
    const text =
      chainId === null ? `\`${path}\` is empty` : `\`${path}\` is of chain ${chainId} and holds ${plural(held.length, "sealed snapshot")}`;
    return { finding: { state: "ok", subject: "database", text }, chainId };
  } finally {
    await store.close();
  }
}

function checkLock(path: string, io: Io): CheckResult[] {
  try {
    takeLock(path, io.clock.now()).release();
    return [];
  } catch (error) {
    return [checkResultOf(error, "database", "warn")];
  }
}

function checkWritable(directory: string): CheckResult[] {
  try {
    accessSync(directory, constants.W_OK);
    return [];
  } catch {
    return [
      {
        state: "fail",
        subject: "database",
        text: `the directory \`${directory}\` cannot be written to; SQLite needs to, for the database and the files beside it`,
      },
    ];
  }
}

function checkSpace(directory: string): CheckResult[] {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const free = bavail * bsize;
    const state = free < LOW_SPACE_BYTES ? "warn" : "ok";
    return [{ state, subject: "database", text: `${formatBytes(free)} free on its disk` }];
  } catch {
    return [];
  }
}
