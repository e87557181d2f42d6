import { beforeEach, describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { formatDuration } from "../../../src/core/base/time.ts";
import { COUNT, ended, ManualClock, runCli, useNights } from "../../support/index.ts";

const at = useNights();
/** The ledger's own time, so that a head has an age. */
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock({ skipSleeps: true, startMs: Number(at.scene.ledger.info().timestampUsec / 1000n) });
});

const night = (node: { readonly url: string }, ...more: string[]) =>
  runCli(["sync", "--rpc", node.url, "--db", at.place.file("a.db"), "--rate", "0", "--json", ...more], { clock });
const everyone = () => ["--targets", at.place.file("targets.csv")];
const sealed = () => at.rows("a.db", "SELECT ledger_version FROM _all_snapshots WHERE status LIKE 'sealed%' ORDER BY 1").flat();

describe("the newest version", () => {
  test("a backfill that stopped in the middle of a version does not take the place of tonight's, and its plan is not widened", async () => {
    const { ledger, addresses, first } = at.scene;
    await using node = await startSimNode({ ledger });
    await ended(night(node, ...everyone()));
    const some = addresses.slice(0, 4).flatMap((address) => ["--account", address]);
    const stopped = ["--from", `${first - 9000n}`, "--to", `${first - 4000n}`, "--every", "1000", ...some, "--max-requests", "6"];
    await ended(runCli(["backfill", "--rpc", node.url, "--db", at.place.file("a.db"), "--rate", "0", ...stopped], { clock }));
    expect(at.rows("a.db", "SELECT count(*) FROM _all_snapshots WHERE status = 'unsealed'")).toEqual([[1]]);
    ledger.advance(5_000n);
    const result = await ended(night(node, ...everyone()));
    expect(result.json()).toMatchObject({ ledger_version: `${ledger.head}`, status: "sealed", accounts: COUNT + 1 });
    expect(sealed().at(-1)).toBe(Number(ledger.head));
    expect(at.rows("a.db", "SELECT max(planned) FROM _all_snapshots WHERE ledger_version < 10000")).toEqual([[4]]);
  });

  test("an old version that was asked for by itself and not finished is not tonight's either", async () => {
    await ended(night(at.node, ...everyone(), "--ledger-version", `${at.scene.first}`, "--max-requests", "9"));
    const result = await night(at.node, ...everyone());
    expect(result.json()).toMatchObject({ ledger_version: `${at.scene.second}`, status: "sealed" });
    expect(sealed()).toEqual([Number(at.scene.first), Number(at.scene.second)]);
  });

  test("a snapshot that was opened again and not finished is sealed by the next run, which says so and counts each account once", async () => {
    const gap = {
      fault: faults.storageFailure("noIndexer"),
      match: ({ target }: { target: string }) => target.includes(`/${at.scene.addresses[3]}/`),
    };
    await using failing = await at.nodeWith([gap]);
    await using busy = await at.nodeWith([{ ...gap, fault: faults.unavailable("overloaded") }]);
    await ended(night(failing, ...everyone()), 2);
    const cut = await ended(night(busy, ...everyone(), "--max-requests", "8"), 1);
    expect(cut.json()).toMatchObject({ status: "unsealed", accounts: COUNT, gaps: 0, accounts_left: 1 });
    const whole = await ended(night(at.node, ...everyone()));
    expect(whole.json()).toMatchObject({ ledger_version: `${at.scene.second}`, status: "sealed", accounts: COUNT + 1, gaps: 0 });
    expect(whole.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect((await ended(night(at.node, ...everyone()))).json()).toMatchObject({ status: "held" });
  });

  const errors = () => at.rows("a.db", "SELECT ledger_version, ledger_time_error_ms FROM snapshots");

  test("with a lag: the version that was heard is pinned once it is old enough, and its time is known exactly", async () => {
    const { ledger } = at.scene;
    await using node = await startSimNode({ ledger });
    const [{ monotonic }, readings] = [clock, [] as number[]];
    // A machine's clock moves between two readings; and a later night knows the pace of the one before.
    Object.assign(clock, { monotonic: () => monotonic() + readings.push(0) / 1000 });
    for (const slept of [[10_000, 5_500], [16_500]]) {
      clock.slept.length = 0;
      clock.onSleep = () => ledger.advance(BigInt(Math.round(clock.slept.at(-1) as number)) / 10n);
      const heard = ledger.head;
      const asked = [...everyone(), "--lag", "1500"];
      expect((await ended(night(node, ...asked, "--dry-run"))).json()).toMatchObject({ ledger_version: `${heard}` });
      const result = await ended(night(node, ...asked));
      expect(result.json()).toMatchObject({ ledger_version: `${heard}`, status: "sealed" });
      const said = [...result.stderr.matchAll(new RegExp(`waiting about (.*), until ledger version ${heard} is 1500 versions old`, "g"))];
      expect(said.map(([, duration]) => duration)).toEqual(slept.map((ms, i) => `${formatDuration(ms)}${i === 0 ? "" : " more"}`));
      expect(errors().at(-1)).toEqual([Number(heard), 0]);
      expect(clock.slept.map(Math.round)).toEqual(slept);
      ledger.advance(2_000n);
    }
  });

  test.each([
    ["no lag", []],
    ["a lag", ["--lag", "1000"]],
  ])("a node that stands still is noticed by a clock that is behind the ledger's, too; with %s", async (_, lag) => {
    clock = new ManualClock({ skipSleeps: true, startMs: clock.now() - 3 * 86_400_000 });
    await ended(night(at.node, ...everyone(), ...lag));
    await clock.advance(86_400_000);
    const { head_age_ms: age } = (await ended(night(at.node, ...everyone(), ...lag), 7)).json() as Record<string, number>;
    expect(age).toBeGreaterThanOrEqual(86_400_000);
  });

  test.each([
    ["stands still", []],
    ["goes back", [{ fault: faults.nodeBehind(50n), at: 3, times: 1 }]],
  ])("with a lag: a head that %s is waited for two minutes at most, and then an older version is pinned", async (_, planned) => {
    const { second } = at.scene;
    await using node = await startSimNode({ ledger: at.scene.ledger, faults: faults.planFaults(planned) });
    const result = await ended(night(node, ...everyone(), "--lag", "1000"));
    expect(result.json()).toMatchObject({ ledger_version: `${second - 1000n}`, status: "sealed" });
    expect(clock.slept).toEqual([10_000, 20_000, 40_000]);
    expect(result.stderr.match(/waiting about .* more, until/g)).toHaveLength(2);
    expect(result.stderr).toContain(`ledger version ${second} will not be 1000 versions old within 2 min; reading an older version`);
  });

  test("with a lag: a head that is slower than the ledger's clock says is asked ever more rarely", async () => {
    const { ledger } = at.scene;
    await using node = await startSimNode({ ledger });
    clock.onSleep = () => {
      clock.onSleep = () => {};
      ledger.advance(1n);
    };
    const result = await ended(night(node, ...everyone(), "--lag", "10"));
    expect(result.json()).toMatchObject({ ledger_version: `${ledger.head - 10n}`, status: "sealed" });
    expect(clock.slept.slice(0, 4)).toEqual([10_000, 5_000, 7_500, 11_250]);
    expect(clock.slept.length).toBeLessThan(10);
  });

  test("with a lag: --max-duration bounds the wait", async () => {
    clock = new ManualClock({ startMs: clock.now() });
    const asked = [...everyone(), "--lag", "1000", "--max-duration", "36s"];
    const result = await ended(night(at.node, ...asked));
    expect(result.stderr).toContain(`ledger version ${at.scene.second} will not be 1000 versions old within 9 s`);
    expect(clock.slept).toEqual([27_000]);
    expect((await ended(night(at.node, ...asked, "--dry-run"))).json()).toMatchObject({ ledger_version: `${at.scene.second - 1000n}` });
  });

  test("with a lag: SIGTERM ends the wait at once, and nothing is pinned", async () => {
    clock = new ManualClock({ startMs: clock.now() });
    let deliver: (signal: "SIGTERM") => void = () => {};
    clock.onSleep = () => {
      clock.onSleep = () => {};
      setImmediate(() => deliver("SIGTERM"));
    };
    const argv = ["sync", "--rpc", at.node.url, "--db", at.place.file("a.db"), "--rate", "0", "--lag", "1000", ...everyone()];
    const result = await ended(
      runCli(argv, {
        clock,
        signals: (handler) => {
          deliver = handler;
        },
      }),
      143,
    );
    expect(result.stderr).toContain("stopped by SIGTERM; run again to go on");
    expect(errors()).toEqual([]);
  });

  test("a night with far fewer accounts than the last says so, and that a file of targets is not remembered", async () => {
    const first = await night(at.node, ...everyone());
    expect(first.stderr).not.toContain("where the snapshot of");
    at.scene.ledger.advance(10n);
    const second = await ended(night(at.node));
    expect(second.json()).toMatchObject({ accounts: 6, accounts_before: COUNT + 1 });
    expect(second.stderr).toContain(`reading 6 accounts, where the snapshot of ledger version ${at.scene.second} has ${COUNT + 1}`);
    expect(second.stderr).toContain(
      "or a run before read accounts by --targets or --account, which it read alone (see `movedex targets list`)",
    );
    at.scene.ledger.advance(10n);
    expect((await night(at.node)).stderr).not.toContain("where the snapshot of");
    const argv = ["sync", "--rpc", at.node.url, "--db", at.place.file("a.db"), "--rate", "0", ...everyone()];
    expect((await runCli(argv, { clock })).stdout).toMatch(
      /^the accounts of `.*targets\.csv` were read in this run alone; `movedex targets import .*` keeps them for every run$/m,
    );
  });
});
