import { copyFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { expect } from "vitest";
import { sha256Hex } from "../../../../src/core/base/sha256.ts";
import { type CliResult, ManualClock, runCli, temporaryDirectory } from "../../../support/index.ts";
import { holdTwoNights } from "../../keep/support/two-nights-held.ts";

/** A node, and a database in which the first of two nights is held, for all tests of a file; each has a copy in a directory of its own. */
export async function holdNight() {
  const night = await holdTwoNights(8);
  const copyOfHeld = () => {
    const own = temporaryDirectory();
    const db = own.file("night.db");
    copyFileSync(night.first, db);
    return { ...own, db };
  };
  return { ...night, copyOfHeld };
}

/** A `sync` on a clock on which no wait takes time. */
export function sync(url: string, db: string, ...more: string[]): Promise<CliResult> {
  return runCli(["sync", "--rpc", url, "--db", db, "--rate", "0", "--json", ...more], { clock: new ManualClock({ skipSleeps: true }) });
}

/** The error object on the last line, checked against what stderr says. */
export function errorOf(result: CliResult) {
  const { error } = result.json() as { error: { code: string; message: string; facts: Readonly<Record<string, unknown>> } };
  expect(result.stderr).toContain(`movedex: ${error.message}`);
  return error;
}

/** A database's file and what stands beside it, by digest; an empty log is nothing. */
export function bytesIn(directory: string): Record<string, string> {
  const isEmptyLog = (name: string) => name.endsWith("-wal") && statSync(`${directory}/${name}`).size === 0;
  const names = readdirSync(directory).filter((name) => !/\.lock(-journal)?$|-shm$/.test(name) && !isEmptyLog(name));
  return Object.fromEntries(names.map((name) => [name, sha256Hex(readFileSync(`${directory}/${name}`))]));
}
