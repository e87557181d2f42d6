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
  let shared: Omit<HeldNight, "copyOfHeld">;
  beforeAll(async () => {
    const scene = twoNights(8);
    const node = await startSimNode({ ledger: scene.ledger });
    const place = temporaryDirectory();
    const held = place.file("held.db");
    shared = { scene, node, place, held, targets: scene.targetsFile(place.file("targets.csv")) };
    const { code } = await sync(node.url, held, "--targets", shared.targets, "--ledger-version", `${scene.first}`);
    expect(code).toBe(0);
  });
  afterAll(async () => {
    await shared?.node.close();
    shared?.place[Symbol.dispose]();
  });
  return {
    get scene() {
      return shared.scene;
    },
    get node() {
      return shared.node;
    },
    get place() {
      return shared.place;
    },
    get held() {
      return shared.held;
    },
    get targets() {
      return shared.targets;
    },
    copyOfHeld: () => {
      const own = temporaryDirectory();
      const db = own.file("night.db");
      copyFileSync(shared.held, db);
      return { ...own, db };
    },
  };
}

/** A `sync` on a clock on which no wait takes time. */
export function sync(url: string, db: string, ...more: string[]): Promise<CliResult> {
  return runCli(["sync", "--rpc", url, "--db", db, "--rate", "0", "--json", ...more], { clock: new ManualClock({ skipSleeps: true }) });
}

/** The error object on the last line, checked against what stderr says. */
export function errorOf(result: CliResult): {
  readonly code: string;
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
} {
  const { error } = result.json() as { error: ReturnType<typeof errorOf> };
  expect(result.stderr).toContain(`movedex: ${error.message}`);
  return error;
}

/** A database's file and what stands beside it, by digest; an empty log is nothing. */
export function bytesIn(directory: string): Record<string, string> {
  const isEmptyLog = (name: string) => name.endsWith("-wal") && statSync(`${directory}/${name}`).size === 0;
  const names = readdirSync(directory).filter((name) => !/\.lock(-journal)?$|-shm$/.test(name) && !isEmptyLog(name));
  return Object.fromEntries(names.map((name) => [name, sha256Hex(readFileSync(`${directory}/${name}`))]));
}
