import { createServer } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { COUNT, databaseContent, ended, listen, listings, ManualClock, runCli, signalSender, useNights } from "../../support/index.ts";

const at = useNights();

describe("a night that is told to end", () => {
  let whole: Awaited<ReturnType<typeof at.contentOfQuietNight>>;
  beforeEach(async () => {
    whole = await at.contentOfQuietNight();
  });

  test("at --max-duration that was spent waiting for the node fails, and says for what", async () => {
    await using node = await at.nodeWith([{ fault: faults.tooManyRequests("60"), match: listings, at: 6, times: 1 }]);
    const own = new ManualClock();
    const running = at.sync(node, "a.db", at.scene.second, ["--max-duration", "30s", "--concurrency", "1"], { clock: own });
    while (own.waiting < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    await own.advance(31_000);
    await own.advance(20_000);
    const first = await ended(running, 1);
    expect(first.json()).toMatchObject({
      status: "unsealed",
      node_failures: 1,
      node_failure: expect.stringMatching(/allows no more requests/),
    });
    await ended(at.sync(node, "a.db", at.scene.second));
    expect(databaseContent(at.place.file("a.db"))).toEqual(whole);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s finishes what is in hand, ends with %i, and the next run goes on", async (signal, exit) => {
    const { signals, send } = signalSender();
    await using node = await at.nodeWith([{ fault: faults.meanwhile(signal, () => send(signal)), match: listings, at: 5 }]);
    const first = await at.sync(node, "a.db", at.scene.second, ["--concurrency", "1"], {
      // Its own time stands still, else the grace time would be over at once.
      clock: new ManualClock(),
      signals,
    });
    expect(first.code).toBe(exit);
    expect(first.stderr).toContain(`${signal}: finishing the accounts in progress; a second signal stops at once`);
    expect(first.json()).toMatchObject({ status: "unsealed", accounts: 5 });
    await ended(at.sync(node, "a.db", at.scene.second));
    expect(databaseContent(at.place.file("a.db"))).toEqual(whole);
  });

  test("a signal that comes with all accounts in hand is said beside the seal", async () => {
    const { signals, send } = signalSender();
    const args = ["--rpc", "", "--rate", "0", "--concurrency", "1", "--db", at.place.file("b.db")];
    await runCli(["sync", ...args.with(1, at.node.url).with(-1, at.place.file("count.db"))]);
    const last = at.node.requestCount;
    await using node = await at.nodeWith([{ fault: faults.meanwhile("SIGINT", () => send("SIGINT")), at: last }]);
    const first = await ended(runCli(["sync", ...args.with(1, node.url)], { clock: new ManualClock(), signals }), 130);
    expect(first.stdout).toMatch(
      /^sealed: .*\n {2}SIGINT came after the last account was read: the snapshot is complete, and the run stopped once it was sealed\n/,
    );
    const { stdout } = await runCli(["verify", "--db", at.place.file("b.db")]);
    expect(stdout).toContain("nothing wrong");
  });

  test("a second signal ends at once, though the node is silent", async () => {
    const { signals, send } = signalSender();
    const twice = faults.meanwhile("twice", () => {
      send("SIGINT");
      send("SIGINT");
    });
    await using node = await at.nodeWith([
      { fault: twice, match: listings, at: 3 },
      { fault: faults.silence(), match: listings, at: 3 },
    ]);
    await ended(at.sync(node, "a.db", at.scene.second, ["--concurrency", "1"], { clock: new ManualClock(), signals }), 130);
    await ended(at.sync(node, "a.db", at.scene.second));
    expect(databaseContent(at.place.file("a.db"))).toEqual(whole);
  });
});

test("an account that has no answer in the time of a night fails that night, and lets the others go first in the next", async () => {
  const first = ({ target }: { readonly target: string }) => target.includes("/0xdead/modules");
  const night = async (exit: number) => {
    const clock = new ManualClock();
    const passes = (ms: number) => faults.meanwhile("time passes", () => void clock.advance(ms));
    await using node = await at.nodeWith([
      { fault: passes(1_500), at: 1 },
      { fault: passes(2_500), match: first },
      { fault: faults.silence(), match: first },
    ]);
    const words = ["--max-duration", "4s", "--concurrency", "1"];
    return (await ended(at.sync(node, "a.db", at.scene.second, words, { clock }), exit)).json();
  };
  expect(await night(1)).toMatchObject({ accounts: 0, node_failures: 1, node_failure: "no answer until the time was over" });
  expect(await night(0)).toMatchObject({ status: "unsealed", accounts: COUNT, accounts_left: 1 });
});

test.concurrent.each(["?connect_timeout=3600", "?connect_timeout=1"])(
  "a server of databases that says nothing (%s) takes no more than the run's time",
  async (given) => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    let asked = 0;
    await using mute = createServer((socket) => {
      asked += 1;
      socket.on("error", () => {}).resume();
    });
    const db = `postgres://u@127.0.0.1:${await listen(mute)}/x${given}`;
    const words = given.endsWith("=1") ? [] : ["--max-duration", "1s"];
    const { stderr } = await ended(
      runCli(["sync", "--rpc", node.url, "--db", db, ...words], { clock: new ManualClock({ skipSleeps: true }) }),
      1,
    );
    expect(stderr).toContain("no answer came in time");
    // The second time is to find out whether it answers anybody.
    expect(asked).toBe(words.length === 0 ? 1 : 2);
  },
);
