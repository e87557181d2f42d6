import { describe, expect, test } from "vitest";
import { type Fault, faults, type PlannedFault, startSimNode } from "../../../sim/index.ts";
import {
  type CliResult,
  COUNT,
  copyKeptArchive,
  ended,
  listings,
  ManualClock,
  quickArchive,
  runCli,
  signalSender,
  useNights,
} from "../../support/index.ts";

const at = useNights();
const DAY = 86_400_000;

/** Nights of one database: the first sealed, each next one is a day and a thousand versions later. */
async function manyNights() {
  const { ledger, addresses } = at.scene;
  const clock = new ManualClock({ skipSleeps: true });
  const db = at.place.file("a.db");
  const night = (node: { readonly url: string }, words: readonly string[] = [], options = {}): Promise<CliResult> =>
    runCli(["night", "--db", db, "--rpc", node.url, "--slices", "0", ...words], { clock, ...options });
  const nextDay = async (): Promise<bigint> => {
    await clock.advance(DAY);
    const head = ledger.info().head + 1000n;
    ledger.advanceTo(head);
    return head;
  };
  const takeFirst = async (path: string) => {
    await using whole = await startSimNode({ ledger });
    await quickArchive(path);
    await ended(runCli(["targets", "add", "--db", path, ...addresses.slice(0, COUNT)], { clock }));
    await ended(runCli(["night", "--db", path, "--rpc", whole.url, "--slices", "0"], { clock }));
  };
  await copyKeptArchive(db, takeFirst, "many-nights.db");
  return { night, nextDay, now: clock.now };
}

/** What the line says of a snapshot that is not the night's own. */
const SEALED = ", begun in an earlier night, is sealed now";

/** The fault that a node meets at these versions alone. */
const atVersions = (fault: Fault, versions: readonly bigint[]): Parameters<typeof at.nodeWith>[0] => [
  { fault, match: (request) => listings(request) && versions.some((version) => request.target.includes(`ledger_version=${version}`)) },
];

/** A night that failed, since the node met a fault at its version alone; the next is a day later again. */
async function afterStuck(fault: Fault) {
  const { night, nextDay } = await manyNights();
  const stuck = await nextDay();
  const failing = await at.nodeWith(atVersions(fault, [stuck]));
  await ended(night(failing), 1);
  return { night, nextDay, stuck, failing, own: await nextDay() };
}

/** A night that SIGTERM ends in the midst of its accounts. */
async function cutNight(night: Awaited<ReturnType<typeof manyNights>>["night"], planned: Parameters<typeof at.nodeWith>[0] = []) {
  const { signals, send } = signalSender();
  const fault: Fault = { name: "SIGTERM", before: () => send("SIGTERM") };
  const isThird = { match: (request: { readonly target: string }) => /\/modules\?ledger_version=\d+$/.test(request.target), at: 3 };
  await using node = await at.nodeWith([...planned, { fault, ...isThird }]);
  await ended(night(node, ["--concurrency", "1"], { signals }), 143);
}

describe("a snapshot of which the node answers for no account", () => {
  test.each([
    ["500", faults.storageFailure("noIndexer")],
    ["503", faults.unavailable("overloaded")],
    ["nothing", faults.emptyListing()],
  ])("keeps no later night from its own, where the node says %s of its version alone", async (_, fault) => {
    const { night, nextDay, stuck, failing, own } = await afterStuck(fault);
    await using node = failing;
    const later = await ended(night(node));
    expect(later.stdout).toMatch(
      new RegExp(`^night: sealed ledger version ${own} in .*, no gaps, .*\\. Ledger version ${stuck} stays unfinished: `),
    );
    await nextDay();
    await ended(night(at.node));
    expect(at.rows("a.db", "SELECT count(*) FROM _all_snapshots WHERE status <> 'sealed'")).toEqual([[0]]);
  });

  test("makes a night fail whose requests it takes, so that none is left for the night's own", async () => {
    const { night, failing } = await afterStuck(faults.emptyListing());
    await using node = failing;
    const { stdout } = await ended(night(node, ["--max-requests", "8", "--concurrency", "1"]), 1);
    expect(stdout.match(/lists no module/g)).toHaveLength(1);
    expect(stdout).toMatch(/^night: not sealed after .*, 0 of 1 account read, the node failed .*lists no module at/);
  });

  /** A night that was cut, and how nights a day apart go on of which the node fails for accounts at its version, five of them a night. */
  async function nightsAfterCut(isDead: (target: string) => boolean = () => true) {
    const { night, nextDay } = await manyNights();
    const cut = await nextDay();
    await cutNight(night);
    const [dead] = atVersions(faults.storageFailure("listing"), [cut]);
    const match: PlannedFault["match"] = (request) => dead?.match?.(request) === true && isDead(request.target);
    const go = async () => {
      const own = await nextDay();
      await using failing = await at.nodeWith([{ fault: faults.storageFailure("listing"), match }]);
      const { stdout } = await ended(night(failing, ["--concurrency", "1"]));
      expect(stdout).toMatch(new RegExp(`^night: sealed ledger version ${own} in .*, no gaps, `));
      const asked = failing.requests.flatMap(({ path, query }) => (query.includes(`=${cut}`) && path.endsWith("modules") ? [path] : []));
      const status = at.rows("a.db", `SELECT status FROM _all_snapshots WHERE ledger_version = ${cut}`).flat()[0];
      return { stdout, status, asked: new Set(asked).size, attempts: at.rows("a.db", "SELECT attempts FROM _all_gaps ORDER BY 1").flat() };
    };
    return { go, night, nextDay, cut };
  }

  test("waits where a run before read a part of it: the others have their turns, and three attempts make gaps, which later nights fill", async () => {
    const { go, night, nextDay, cut } = await nightsAfterCut();
    const left = (await go()).stdout;
    expect(left).toMatch(new RegExp(`\\. Ledger version ${cut} stays unfinished: .*too many valu`));
    const nights = [await go(), await go(), await go()];
    expect(nights.map(({ status, asked }) => [status, asked])).toEqual(Array(3).fill(["unsealed", 6]));
    expect(nights.map(({ attempts }) => String(attempts))).toEqual([
      String(Array(10).fill(1)),
      String([...Array(5).fill(1), ...Array(5).fill(2)]),
      String(Array(10).fill(2)),
    ]);
    const last = await go();
    expect(last).toMatchObject({ status: "sealed_with_gaps", attempts: [...Array(5).fill(2), ...Array(5).fill(3)] });
    expect(last.stdout).toContain(`. Ledger version ${cut} was sealed without 10 of 12 accounts`);
    await nextDay();
    await ended(night(at.node));
    expect(at.rows("a.db", "SELECT count(*) FROM _all_snapshots WHERE status <> 'sealed'")).toEqual([[0]]);
  });

  test("is read but for those that fail, where these came first and the node fails for 0x1 with them", async () => {
    const first = new Set<string>();
    const { go } = await nightsAfterCut((target) => {
      const path = `${target.split("?")[0]}`;
      if (first.size < 5 && !path.includes("/0x1/")) first.add(path);
      return path.includes("/0x1/") || first.has(path);
    });
    expect(await go()).toMatchObject({ status: "unsealed", attempts: Array(5).fill(1) });
    expect(await go()).toMatchObject({ status: "sealed_with_gaps", attempts: Array(5).fill(4) });
  });

  test.each([
    ["nothing", faults.emptyListing(), false],
    ["nothing", faults.emptyListing(), true],
    ["500", faults.storageFailure("listing"), true],
  ])("is read where the node says %s of the first six accounts, and lists 0x1 at its version", async (_, fault, isBegun) => {
    const { night, nextDay } = await manyNights();
    const old = await nextDay();
    if (isBegun) await cutNight(night);
    else {
      await using failing = await at.nodeWith(atVersions(faults.emptyListing(), [old]));
      await ended(night(failing), 1);
    }
    const planned = at.rows(
      "a.db",
      `SELECT a.address FROM _visits v JOIN _addresses a ON a.id = v.address_id WHERE v.ledger_version = ${old} AND v.state = 'planned' ORDER BY v.position`,
    );
    const first = planned.slice(0, 6).map((row) => `/accounts/${String((row as unknown[])[0])}/modules`);
    await nextDay();
    await using dead = await at.nodeWith(
      atVersions(fault, [old]).map(({ match, ...rest }) => ({
        ...rest,
        match: (request) => (match?.(request) ?? true) && first.some((path) => request.target.includes(path)),
      })),
    );
    await ended(night(dead, ["--concurrency", "1"]));
    expect(at.rows("a.db", `SELECT count(*), min(attempts) > 0 FROM _all_gaps WHERE ledger_version = ${old}`)).toEqual([[6, 1]]);
    expect(at.rows("a.db", `SELECT status FROM _all_snapshots WHERE ledger_version = ${old}`)).toEqual([["sealed_with_gaps"]]);
  });

  test.each([
    ["SIGTERM comes", [], faults.silence(), 143, "stopped by SIGTERM"],
    ["the requests are spent", ["--max-requests", "14"], faults.resetBeforeHeaders(), 1, "the node failed in 4 of 14 attempts"],
  ])("stays as it is where %s before 0x1 has answered", async (_, words, fault, exit, why) => {
    const { night, nextDay } = await manyNights();
    const old = await nextDay();
    await cutNight(night);
    await nextDay();
    const { signals, send } = signalSender();
    const isFramework = ({ target }: { readonly target: string }) => target.includes("/accounts/0x1/modules");
    const [dead] = atVersions(faults.storageFailure("noIndex"), [old]);
    const stop: Fault = { name: "SIGTERM", before: () => void (exit === 143 && send("SIGTERM")) };
    await using node = await at.nodeWith([
      { fault, match: isFramework },
      { fault: stop, match: isFramework },
      { fault: faults.storageFailure("noIndex"), match: (request) => !isFramework(request) && dead?.match?.(request) === true },
    ]);
    const { stdout } = await ended(night(node, ["--concurrency", "1", ...words], { signals }), exit);
    expect(stdout).toMatch(new RegExp(`^night: not sealed after .*: ledger version ${old} is unfinished, 2 of 12 accounts read, ${why}`));
    expect(at.rows("a.db", `SELECT status FROM _all_snapshots WHERE ledger_version = ${old}`)).toEqual([["unsealed"]]);
  });

  test.each([
    [
      "fails where the node has answered for nothing",
      faults.storageFailure("noIndex"),
      "1m",
      1,
      " is unfinished, 2 of 12 accounts read, the node failed in \\d+ of ",
    ],
    ["does not where it has", faults.late(0), "1m", 0, `${SEALED}, the budget of the night is spent, and the next one goes on`],
    ["ends as stopped after a signal", faults.late(0), undefined, 143, `${SEALED}, stopped by SIGTERM\n`],
  ])("is not said to be tonight's: a night that ends with it %s", async (_, fault, time, exit, why) => {
    const { night, nextDay, now } = await manyNights();
    const old = await nextDay();
    await cutNight(night);
    await nextDay();
    const clock = new ManualClock({ startMs: now() });
    const { signals, send } = signalSender();
    const end: Fault = { name: "end", before: () => void (time === undefined ? send("SIGTERM") : clock.advance(50_000)) };
    await using node = await at.nodeWith([...atVersions(fault, [old]), { ...atVersions(end, [old])[0], fault: end, at: 3 }]);
    const words = ["--concurrency", "12", "--rate", "0", ...(time === undefined ? [] : ["--max-duration", time])];
    const { stdout } = await ended(night(node, words, { clock, signals }), exit);
    expect(stdout).toMatch(new RegExp(`^night: not sealed after .*: ledger version ${old}${why}`));
    expect(at.rows("a.db", `SELECT count(*) FROM _all_snapshots WHERE ledger_version > ${old}`)).toEqual([[0]]);
  });

  test("takes nothing from the line of a night that goes on after a signal", async () => {
    const { night, stuck, own } = await afterStuck(faults.storageFailure("noIndex"));
    const planned = atVersions(faults.storageFailure("noIndex"), [stuck]);
    await cutNight(night, planned);
    await using node = await at.nodeWith(planned);
    const { stdout } = await ended(night(node));
    expect(stdout).toMatch(
      new RegExp(`^night: sealed ledger version ${own} in .*, no gaps, .*\\. Ledger version ${stuck} stays unfinished: `),
    );
  });

  test("costs a night under a budget one of them alone, however many there are, and the line names one", async () => {
    const { night, nextDay } = await manyNights();
    const stuck: bigint[] = [];
    for (let i = 0; i < 3; i++) {
      stuck.push(await nextDay());
      await using failing = await at.nodeWith(atVersions(faults.storageFailure("noIndex"), stuck));
      await ended(night(failing), 1);
    }
    const own = await nextDay();
    await using failing = await at.nodeWith(atVersions(faults.storageFailure("noIndex"), stuck));
    const cut = await ended(night(failing, ["--max-requests", "60"]));
    expect(cut.stdout).toMatch(new RegExp(`^night: sealed ledger version ${own} in .*\\. Ledger version ${stuck[0]} stays unfinished: `));
    expect(cut.stdout.match(/stays? unfinished/g)).toHaveLength(1);
    const next = await nextDay();
    const { stdout } = await ended(night(failing));
    expect(stdout).toMatch(
      new RegExp(
        `^night: sealed ledger version ${next} in .*\\. Ledger version ${stuck[0]} stays unfinished: .*; so do 2 newer ones\\b`,
        "m",
      ),
    );
  });

  test("has had their turn of accounts that a budget chose, where the node lists 0x1", async () => {
    const { night, nextDay } = await manyNights();
    const old = await nextDay();
    const isDead = ({ target }: { readonly target: string }) =>
      /\/modules\?/.test(target) && target.includes(`=${old}`) && !target.includes("/accounts/0x1/");
    await using node = await at.nodeWith([{ fault: faults.storageFailure("noIndex"), match: isDead }]);
    const budget = ["--max-requests", "16"];
    expect((await ended(night(node, budget), 1)).stdout).toMatch(/^night: not sealed after .*: GET .*statekeys index is not enabled/);
    const asked = at.rows("a.db", "SELECT address_id FROM _all_gaps WHERE attempts > 0").map(String);
    expect(asked.length).toBeGreaterThan(1);
    const own = await nextDay();
    expect((await ended(night(node, budget))).stdout).toMatch(new RegExp(`^night: sealed ledger version ${own} in .*, no gaps`));
    const read = at.rows("a.db", `SELECT v.address_id FROM _visits v WHERE v.ledger_version = ${own} AND v.state = 'visited'`).map(String);
    expect(read.filter((account) => asked.includes(account))).toEqual([]);
  });

  test("has had their turn of accounts that a budget chose, where the node fails for 0x1 as well", async () => {
    const { night, nextDay } = await manyNights();
    const old = await nextDay();
    const dead = new Set(["/v1/accounts/0x1/modules"]);
    const isDead = ({ target }: { readonly target: string }): boolean => {
      const [path, query] = target.split("?");
      if (path?.endsWith("/modules") && query?.includes(`=${old}`)) dead.add(path);
      return dead.has(`${path}`);
    };
    await using node = await at.nodeWith([{ fault: faults.storageFailure("noIndex"), match: isDead }]);
    const budget = ["--max-requests", "16"];
    await ended(night(node, budget), 1);
    const own = await nextDay();
    expect((await ended(night(node, budget))).stdout).toMatch(new RegExp(`^night: sealed ledger version ${own} in .*, no gaps`));
  });
});
