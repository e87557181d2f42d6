import { copyFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import { type SimNode, startSimNode } from "../../sim/index.ts";
import { sha256Hex } from "../../src/base/sha256.ts";
import { ManualClock } from "./manual-clock.ts";
import { type CliResult, runCli } from "./run-cli.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { type TwoNights, twoNights } from "./two-nights.ts";

/** A node, and a database in which the first of two nights is held: what all tests of a file share. */
export type HeldNight = {
  readonly scene: TwoNights;
  readonly node: SimNode;
  readonly place: ReturnType<typeof temporaryDirectory>;
  readonly held: string;
  readonly targets: string;
  /** A directory of its own with a copy of the database. */
  readonly copyOfHeld: () => ReturnType<typeof temporaryDirectory> & { readonly db: string };
};

/** Reads the first night once, for the file that calls it. */
export function useHeldNight(): HeldNight {
  const copyOfHeld: HeldNight["copyOfHeld"] = () => {
    const own = temporaryDirectory();
    const db = own.file("night.db");
    copyFileSync(night.held, db);
    return { ...own, db };
  };
  const night = { copyOfHeld } as HeldNight;
  beforeAll(async () => {
    const scene = twoNights(8);
    const node = await startSimNode({ ledger: scene.ledger });
    const place = temporaryDirectory();
    const targets = scene.targetsFile(place.file("targets.csv"));
    Object.assign(night, { scene, node, place, held: place.file("held.db"), targets });
    const { code } = await sync(node.url, night.held, "--targets", targets, "--ledger-version", `${scene.first}`);
    expect(code).toBe(0);
  });
  afterAll(async () => {
    await night.node?.close();
    night.place?.[Symbol.dispose]();
  });
  return night;
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
