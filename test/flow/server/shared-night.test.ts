import { writeFileSync } from "node:fs";
import { beforeEach, expect } from "vitest";
import { faults, manyAccounts, type PlannedFault, type SimNode, startSimNode } from "../../../sim/index.ts";
import { systemClock } from "../../../src/core/base/time.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { type CliResult, cuttingProxy, ended, ManualClock, runCli, test } from "../../support/index.ts";
import { countIn, rowsIn } from "./public-rows.ts";

type Step = { readonly name: string; readonly exit: string; readonly sealed_by?: string };

eachPostgres("a night of several machines", (open) => {
  let many: ReturnType<typeof manyAccounts>;
  let at: TestDatabase;
  let database: string;
  beforeEach(async () => {
    many = manyAccounts(40, { packages: 4 });
    at = await open();
    database = at.url();
    await ended(runCli(["targets", "add", ...many.addresses(), "--db", database]));
  });

  const on = (machine: string, node: SimNode, command: readonly string[], options: Parameters<typeof runCli>[1] = {}): Promise<CliResult> =>
    runCli([...command, "--rpc", node.url, "--db", database], { ...options, host: machine });
  const listings = (node: SimNode) => node.requests.filter(({ path }) => path.endsWith("/modules")).length;

  const ofListing = ({ target }: { readonly target: string }): boolean => target.includes("/modules");
  /**
   * The nodes of two machines that read together, however fast each is: the first has its third listing, and those that it asks for
   * beside that, once the second has asked for one, or `until`. `faultOf` is one that both meet.
   */
  const nodesOfTwo = async (faultOf: readonly PlannedFault[] = [], until?: Promise<unknown>) => {
    const [begun, joined] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const [hasBegun, joins] = [faults.meanwhile("begun", begun.resolve), faults.meanwhile("joined", joined.resolve)];
    const nodeWith = (...more: readonly PlannedFault[]) =>
      startSimNode({ ledger: many.ledger, faults: faults.planFaults([...faultOf, ...more]) });
    const first = await nodeWith(
      { fault: hasBegun, match: ofListing, at: 3 },
      { fault: faults.held(until ?? joined.promise), match: ofListing, at: [3, 4, 5, 6] },
    );
    const second = await nodeWith({ fault: joins, match: ofListing, at: 1 });
    const close = async (): Promise<void> => void (await Promise.all([first.close(), second.close()]));
    return { first, second, hasBegun: begun.promise, [Symbol.asyncDispose]: close };
  };

  test("has its later steps on the machine that sealed; the other one ends with 0 and names it", async () => {
    await using nodes = await nodesOfTwo();
    const night = ["night", "--rate", "0", "--json"];
    const first = on("east", nodes.first, night);
    await nodes.hasBegun;
    const results = await Promise.all([first, on("west", nodes.second, night)]);
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    const steps = results.map(({ json }) => json()["steps"] as readonly Step[]);
    const [helped, sealed] = steps.toSorted((a) => (a[0]?.sealed_by === undefined ? 1 : -1)) as [Step[], Step[]];
    const sealer = sealed === steps[0] ? "east" : "west";
    expect(helped.map(({ exit }) => exit)).toEqual(["done", ...helped.slice(1).map(() => "left out")]);
    expect(helped[0]?.sealed_by).toBe(sealer);
    expect(sealed.map(({ exit }) => exit)).toEqual(sealed.map(() => "done"));
    expect(sealed[0]?.sealed_by).toBeUndefined();
    expect(await rowsIn(database, "SELECT status, sealed_by FROM _all_snapshots")).toEqual([["sealed", sealer]]);
    expect(await rowsIn(database, "SELECT count(*) FROM _runs WHERE command = 'report'")).toEqual([[1n]]);
  });

  test("has its later steps on a machine that sealed and did not hear of it", async () => {
    await using proxy = await cuttingProxy(at.port);
    // The next one stores all visits; the one after it seals.
    const fault = faults.meanwhile("commits", () => proxy.cutNextCommit("unanswered", 2));
    const last = many.address(39);
    const match = ({ target }: { readonly target: string }): boolean => target.includes(`/${last}/modules`);
    await using node = await startSimNode({ ledger: many.ledger, faults: faults.planFaults([{ fault, match }]) });
    await ended(runCli(["targets", "remove", ...[...many.addresses()].filter((one) => one !== last), "--db", database]));
    const night = ["night", "--rate", "0", "--rpc", node.url, "--db", at.url("postgres", proxy.port)];
    const { stdout, stderr } = await ended(runCli(night, { host: "east", clock: new ManualClock({ skipSleeps: true }) }));
    expect(stderr).toContain("does not answer");
    expect(stdout).toContain(`night: sealed ledger version ${many.ledger.head} in `);
    expect(await rowsIn(database, "SELECT sealed_by FROM _all_snapshots")).toEqual([["east"]]);
    expect(await rowsIn(database, "SELECT count(*) FROM _runs WHERE command = 'report'")).toEqual([[1n]]);
  });

  test.each([1, 2])("knows of the nights before where the way to the server is cut while it is planned (%i)", async (nth) => {
    const clock = new ManualClock({ skipSleeps: true });
    await using node = await startSimNode({ ledger: many.ledger });
    await ended(on("east", node, ["sync", "--rate", "0"], { clock }));
    await ended(runCli(["watch", "add", many.address(0), "--level", "any", "--db", database], { clock }));
    many.upgradeEvery(4);
    await using proxy = await cuttingProxy(at.port);
    proxy.cutNextCommit("unanswered", nth);
    const night = ["night", "--rate", "0", "--rpc", node.url, "--db", at.url("postgres", proxy.port)];
    const { stdout } = await ended(runCli(night, { host: "east", clock }));
    expect(stdout).toMatch(/^night: sealed .*: 40 accounts, \d+ modules changed, .*\. \d+ alerts? not told yet$/m);
  });

  test("counts the gaps that it gives up, also where the way to the server is cut at its very end", async ({ place }) => {
    const config = place.file("night.toml");
    writeFileSync(config, "[sync]\nretry-gaps = 1\n");
    const match = ({ target }: { readonly target: string }): boolean => target.includes(`/${many.address(2)}/modules`);
    const silent = faults.planFaults([{ fault: faults.storageFailure("noIndexer"), match }]);
    let messages = 0;
    for (const cutBefore of [Number.POSITIVE_INFINITY, 3, 7]) {
      const own = await open();
      await ended(runCli(["targets", "add", ...[0, 1, 2].map(many.address), "--db", own.url()]));
      await using proxy = await cuttingProxy(own.port);
      await using node = await startSimNode({ ledger: many.ledger, faults: silent });
      proxy.closeAtMessage(messages - cutBefore, 1);
      const night = ["night", "--config", config, "--rate", "0", "--rpc", node.url, "--db", own.url("postgres", proxy.port)];
      const { stdout } = await ended(runCli(night, { clock: new ManualClock({ skipSleeps: true }) }), 2);
      expect(stdout).toContain("Lost for good: 1 answer");
      messages ||= proxy.messages();
    }
  });

  test("verifies once more where the way to the server is cut meanwhile", async () => {
    const clock = new ManualClock({ skipSleeps: true });
    await using node = await startSimNode({ ledger: many.ledger });
    await ended(on("east", node, ["sync", "--rate", "0"], { clock }));
    await using proxy = await cuttingProxy(at.port);
    const week = () => runCli(["night", "--weekly", "--rpc", node.url, "--db", at.url("postgres", proxy.port)], { clock });
    const quiet = await ended(week());
    proxy.cutAtMessage(Math.floor(proxy.messages() / 2));
    const { stdout, stderr } = await ended(week());
    expect(stderr).toContain("the connection to the database was lost; this run waits until its own time is over");
    expect(stdout.replace(/\(.*\)/, "")).toBe(quiet.stdout.replace(/\(.*\)/, ""));
  });

  test("is not begun a second time by a machine that comes late; ten minutes after the seal another one is", async () => {
    await using node = await startSimNode({ ledger: many.ledger });
    const sync = ["sync", "--rate", "0"];
    const held = many.ledger.head;
    await ended(on("east", node, sync));
    many.ledger.advance(500n);
    const read = listings(node);
    const late = await ended(on("west", node, sync));
    expect(late.stdout).toContain(`sealed: ledger version ${held} of chain`);
    expect(late.stdout).toContain("\n  sealed by east\n");
    const night = await ended(on("west", node, ["night", "--rate", "0"]));
    expect(night.stdout).toMatch(/^night: sealed by east, which does what follows \(.*\)$/m);
    expect(listings(node)).toBe(read);
    expect(await countIn(database, "_all_snapshots")).toBe(1);

    const clock = { ...systemClock, now: () => systemClock.now() + 601_000 };
    const { json } = await ended(on("west", node, [...sync, "--json"], { clock }));
    expect(json()).toMatchObject({ ledger_version: `${many.ledger.head}`, status: "sealed" });
    expect(json()["sealed_by"]).toBeUndefined();
    expect(listings(node)).toBe(2 * read);
  });

  test("is a night of its own where the same machine takes the next one, or accounts or a version are named", async () => {
    await using node = await startSimNode({ ledger: many.ledger });
    const sync = ["sync", "--rate", "0"];
    await ended(on("east", node, sync));
    for (const [machine, more] of [
      ["east", []],
      ["west", ["--account", many.address(0)]],
      ["west", ["--ledger-version", `${many.ledger.head + 1_500n}`]],
    ] as const) {
      many.ledger.advance(500n);
      await ended(on(machine, node, [...sync, ...more]));
    }
    expect(await countIn(database, "_all_snapshots")).toBe(4);
  });

  test("goes on with others where this machine's budget is spent: what follows it is theirs", async () => {
    const isSpent = Promise.withResolvers<void>();
    await using nodes = await nodesOfTwo([], isSpent.promise);
    const first = on("east", nodes.first, ["sync", "--rate", "0", "--json"]);
    await nodes.hasBegun;
    const { json } = await ended(on("west", nodes.second, ["night", "--rate", "0", "--max-requests", "15", "--json"]));
    isSpent.resolve();
    const steps = json()["steps"] as readonly (Step & { readonly others_go_on?: boolean })[];
    expect(steps[0]).toMatchObject({ exit: "done", status: "unsealed", others_go_on: true });
    expect(new Set(steps.slice(1).map(({ exit }) => exit))).toEqual(new Set(["left out"]));
    await ended(first);
    expect(await rowsIn(database, "SELECT status FROM _all_snapshots")).toEqual([["sealed"]]);
  });

  test("ends where each machine has accounts that failed after the last one was answered", async () => {
    const fault = faults.unknownError(400, "something");
    const listed = new Set<string>();
    const match = ({ target }: { readonly target: string }): boolean => {
      const [path] = target.split("?") as [string];
      if (!path.endsWith("/modules")) return false;
      if (listed.size < 28) listed.add(path);
      return !listed.has(path);
    };
    await using nodes = await nodesOfTwo([{ fault, match }]);
    const sync = ["sync", "--rate", "25", "--concurrency", "1"];
    const first = on("east", nodes.first, sync);
    await nodes.hasBegun;
    const results = await Promise.all([first, on("west", nodes.second, sync)]);
    expect(results.map(({ code }) => code).toSorted()).toEqual([0, 2]);
    expect(await rowsIn(database, "SELECT status, accounts, gaps FROM _all_snapshots")).toEqual([["sealed_with_gaps", 28n, 12n]]);
  });

  test("ends where the node fails for each account and lists 0x1, with 1 on each machine", async () => {
    const fault = faults.storageFailure("listing");
    const match = ({ target }: { readonly target: string }): boolean => target.includes("/modules") && !target.includes("/0x1/");
    await using nodes = await nodesOfTwo([{ fault, match }]);
    const clock = new ManualClock({ skipSleeps: true });
    const sync = ["sync", "--concurrency", "4"];
    const first = on("east", nodes.first, sync, { clock });
    await nodes.hasBegun;
    const results = await Promise.all([first, on("west", nodes.second, sync, { clock })]);
    expect(results.map(({ code }) => code)).toEqual([1, 1]);
    expect(await rowsIn(database, "SELECT status FROM _all_snapshots")).toEqual([["abandoned"]]);
    expect(nodes.first.requestCount + nodes.second.requestCount).toBeLessThan(600);
  });

  test("is what the retired `work` takes part in", async () => {
    await using node = await startSimNode({ ledger: many.ledger });
    const { stdout, stderr } = await ended(on("east", node, ["work", "--rate", "0", "--shared-rate", "20"]));
    expect(stdout).toContain(`sealed: ledger version ${many.ledger.head}`);
    expect(stderr).toContain("movedex: the command `work` is gone: `sync` runs in its place");
    expect(stderr).toContain("movedex: the option --shared-rate is gone: ");
    const doctor = await on("east", node, ["doctor", "--rate", "0", "--shared-rate", "20"]);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout.replace(/\s+/g, " ")).toContain(
      "fail database shared-rate limits nothing any more: divide it by the number of processes",
    );
  });
});
