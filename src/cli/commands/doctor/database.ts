import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { formatBytes } from "../../../base/byte-count.ts";
import { takeLock } from "../../../store/connection/lock.ts";
import { openStore } from "../../../store/store.ts";
import type { Io } from "../../io.ts";
import { counted } from "../../output/plural.ts";
import { type Finding, findingOf } from "./check-result.ts";

/** Less free space than this is worth a word: a first crawl of a large network with its indexes. */
const LOW_SPACE_BYTES = 1_000_000_000;

/** Looks at the database and the disk under it, and tells which chain the database is of (null: none yet). */
export async function databaseFindings(path: string, io: Io): Promise<{ readonly findings: Finding[]; readonly chainId: number | null }> {
  const directory = dirname(resolve(path));
  const space = spaceFinding(directory);
  const writable = writableFinding(directory);
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
    const store = await openStore(path, { mode: "read", now: io.clock.now });
    try {
      const chainId = await store.chainId();
      const held = await store.sealedVersions();
      const text =
        chainId === null
          ? `\`${path}\` is empty`
          : `\`${path}\` is of chain ${chainId} and holds ${counted(held.length, "sealed snapshot")}`;
      return { findings: [{ state: "ok", subject: "database", text }, ...lockFinding(path, io), ...writable, ...space], chainId };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { findings: [findingOf(error, "database"), ...space], chainId: null };
  }
}

function lockFinding(path: string, io: Io): Finding[] {
  try {
    takeLock(path, io.clock.now()).release();
    return [];
  } catch (error) {
    return [findingOf(error, "database", "warn")];
  }
}

function writableFinding(directory: string): Finding[] {
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

function spaceFinding(directory: string): Finding[] {
  try {
    const { bavail, bsize } = statfsSync(directory);
    const free = bavail * bsize;
    const state = free < LOW_SPACE_BYTES ? "warn" : "ok";
    return [{ state, subject: "database", text: `${formatBytes(free)} free on its disk` }];
  } catch {
    return [];
  }
}
