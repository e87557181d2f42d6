import { existsSync } from "node:fs";
import { beforeEach, expect } from "vitest";
import { faults, type SimNode, type SimNodeOptions, startSimNode } from "../../sim/index.ts";
import { type DatabaseContent, databaseContent } from "./database-content.ts";
import { ManualClock } from "./manual-clock.ts";
import { type CliResult, runCli } from "./run-cli.ts";
import { listsOf } from "./store/ask-file.ts";
import { quickArchive } from "./store/temporary-store.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { type TwoNights, twoNights } from "./two-nights.ts";

/** How many accounts there are; one more that holds nothing is read with them. */
export const COUNT = 12;

/** Where each test of a file reads its nights: a ledger, a directory and a clock of its own, and what is done with them. */
export type Nights = {
  readonly scene: TwoNights;
  readonly place: ReturnType<typeof temporaryDirectory>;
  /** A node of the ledger without any fault. */
  readonly node: SimNode;
  /** `sync` of all accounts at a version, undefined for the newest; `--account` names others, `--stored` takes the stored targets. */
  readonly sync: (
    node: SimNode,
    db: string,
    version: bigint | undefined,
    more?: readonly string[],
    options?: Parameters<typeof runCli>[1],
  ) => Promise<CliResult>;
  readonly nodeWith: (planned: Parameters<typeof faults.planFaults>[0], more?: Partial<SimNodeOptions>) => Promise<SimNode>;
  /** Rows of a question to a database, as lists. */
  readonly rows: (db: string, sql: string) => unknown[];
  /** The content of a database in which the second version was read without any trouble. */
  readonly contentOfQuietNight: () => Promise<DatabaseContent>;
};

/** The same for all tests: their ledgers begin alike. */
let quietNight: DatabaseContent | undefined;

/** Sets the scene anew before each test of the file that calls it. Databases are begun with few views, unless a run is to begin them. */
export function useNights({ hasAllViews = false } = {}): Nights {
  let scene: TwoNights;
  let place: ReturnType<typeof temporaryDirectory>;
  let node: SimNode;
  let targets: string;
  let clock: ManualClock;
  beforeEach(async () => {
    scene = twoNights(COUNT);
    node = await startSimNode({ ledger: scene.ledger });
    place = temporaryDirectory();
    targets = scene.targetsFile(place.file("targets.csv"));
    clock = new ManualClock({ skipSleeps: true });
    return () => node.close();
  });

  const sync: Nights["sync"] = async (node, db, version, more = [], options = {}) => {
    const isBegun = hasAllViews || existsSync(place.file(db)) || more.includes("--dry-run");
    if (!isBegun) await quickArchive(place.file(db));
    const at = version === undefined ? [] : ["--ledger-version", `${version}`];
    const isTold = more.includes("--account") || more.includes("--stored");
    const what = [...at, ...more.filter((word) => word !== "--stored"), ...(isTold ? [] : ["--targets", targets])];
    return runCli(["sync", "--rpc", node.url, "--db", place.file(db), "--rate", "0", "--json", ...what], { clock, ...options });
  };
  return {
    get scene() {
      return scene;
    },
    get place() {
      return place;
    },
    get node() {
      return node;
    },
    sync,
    nodeWith: (planned, more = {}) => startSimNode({ ledger: scene.ledger, faults: faults.planFaults(planned), ...more }),
    rows: (db, sql) => listsOf(place.file(db), sql),
    contentOfQuietNight: async () => {
      if (quietNight === undefined) {
        await using node = await startSimNode({ ledger: scene.ledger });
        expect((await sync(node, "quiet.db", scene.second)).code).toBe(0);
        quietNight = databaseContent(place.file("quiet.db"));
      }
      return quietNight;
    },
  };
}

/** Requests for a page of modules. */
export const listings = ({ target }: { readonly target: string }): boolean => target.includes("/modules");

/** Requests about one account. */
export const ofAccount =
  (address: string) =>
  ({ target }: { readonly target: string }): boolean =>
    target.includes(`/accounts/${address}`);
