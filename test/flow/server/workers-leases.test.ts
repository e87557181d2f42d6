import { beforeEach, expect, test } from "vitest";
import { type SimNode, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { signalSender } from "../../support/command/signal-sender.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { type TwoNights, twoNights } from "../../support/two-nights.ts";
import { countIn, expectSamePublicRows, publicRows, rowsIn } from "./public-rows.ts";

const COUNT = 60;
const BATCHES = "_leases WHERE name LIKE 'batch:%'";

eachPostgres("a worker's batches", (open, version) => {
  let scene: TwoNights;
  let place: ReturnType<typeof temporaryDirectory>;
  let targets: string;
  let database: string;
  beforeEach(async () => {
    scene = twoNights(COUNT);
    place = temporaryDirectory();
    targets = scene.targetsFile(place.file("targets.csv"));
    database = (await open()).url();
  });

  const sync = (node: SimNode, more: readonly string[], signals?: ReturnType<typeof signalSender>["signals"]) => {
    const argv = ["sync", "--rpc", node.url, "--db", database, "--concurrency", "3", "--targets", targets, "--json", ...more];
    return runCli(argv, signals === undefined ? {} : { signals });
  };
  const quietNight = async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    const argv = ["sync", "--rpc", node.url, "--db", place.file("quiet.db"), "--rate", "0", "--targets", targets];
    await ended(runCli(argv));
    return publicRows(place.file("quiet.db"));
  };
  const listings = (node: SimNode) => node.requests.filter(({ path }) => path.endsWith("/modules")).map(({ path }) => path);

  test.runIf(isLongRun && version === 18)("that take longer than a lease stay its own: they are renewed while they are read", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    // Ten accounts of two requests each: three and a half seconds at this rate, where a lease lasts a second.
    const slow = ["--rate", "6", "--lease", "1s"];
    for (const { code, stderr } of await Promise.all([sync(node, slow), sync(node, slow)])) {
      expect(code, stderr).toBe(0);
      expect(stderr).not.toContain("taken over");
    }
    expect(new Set(listings(node)).size).toBe(listings(node).length);
    await expectSamePublicRows(database, expected);
  });

  test.runIf(isLongRun)("are given back by SIGTERM, what it reads is finished: the next one reads the rest, nothing twice", async () => {
    const expected = await quietNight();
    await using node = await startSimNode({ ledger: scene.ledger });
    const sender = signalSender();
    const first = sync(node, ["--rate", "30"], sender.signals);
    await expect.poll(() => listings(node).length).toBeGreaterThan(2);
    sender.send("SIGTERM");
    const { json } = await ended(first, 143);
    expect(json()).toMatchObject({ status: "unsealed" });
    const left = await Promise.all([BATCHES, "_visits WHERE state = 'planned'", "_workers"].map((from) => countIn(database, from)));
    expect(left).toEqual([0, COUNT + 1 - listings(node).length, 0]);
    await ended(sync(node, ["--rate", "0"]));
    expect(new Set(listings(node)).size).toBe(COUNT + 1);
    expect(listings(node)).toHaveLength(COUNT + 1);
    await expectSamePublicRows(database, expected);
  });

  test("are none where its node is of another chain: it ends with 4", async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    await ended(sync(node, ["--rate", "0", "--max-requests", "30"]));
    const planned = () => rowsIn(database, "SELECT ledger_version, position, state FROM _visits ORDER BY position");
    const before = await planned();
    await using other = await startSimNode({ ledger: twoNights(COUNT, 1, { chainId: 77 }).ledger });
    const { json } = await ended(sync(other, ["--rate", "0"]), 4);
    expect(JSON.stringify(json())).toContain("77");
    expect(listings(other)).toEqual([]);
    expect(await planned()).toEqual(before);
    expect(await countIn(database, BATCHES)).toBe(0);
  });
});
