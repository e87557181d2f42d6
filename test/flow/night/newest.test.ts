import { beforeEach, describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { COUNT, useNights } from "../../support/nights.ts";
import { runCli } from "../../support/run-cli.ts";

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
    await using node = await startSimNode({ ledger: at.scene.ledger });
    await ended(night(node, ...everyone(), "--ledger-version", `${at.scene.first}`, "--max-requests", "9"));
    const result = await night(node, ...everyone());
    expect(result.json()).toMatchObject({ ledger_version: `${at.scene.second}`, status: "sealed" });
    expect(sealed()).toEqual([Number(at.scene.first), Number(at.scene.second)]);
  });

  test("a head that stands still ends with 7 when it is old, and with 0 when it was only just asked", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    expect((await night(node, ...everyone())).json()).toMatchObject({ head_risen_by: null, head_age_ms: 0, no_newer_state: false });
    await clock.advance(60_000);
    await ended(night(node, ...everyone()));
    await clock.advance(86_400_000);
    const result = await ended(
      runCli(["sync", "--rpc", node.url, "--db", at.place.file("a.db"), "--rate", "0", ...everyone()], { clock }),
      7,
    );
    expect(result.stdout).toMatch(
      new RegExp(`the node's newest version is ${at.scene.second}, 24 h 1 min old: it has no newer state than what is held`),
    );
  });

  test("a night with far fewer accounts than the last says so, and that a file of targets is not remembered", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const first = await night(node, ...everyone());
    expect(first.stderr).not.toContain("where the snapshot of");
    at.scene.ledger.advance(10n);
    const second = await ended(night(node));
    expect(second.json()).toMatchObject({ accounts: 6, accounts_before: COUNT + 1 });
    expect(second.stderr).toContain(`reading 6 accounts, where the snapshot of ledger version ${at.scene.second} has ${COUNT + 1}`);
    expect(second.stderr).toContain(
      "or a run before read accounts by --targets or --account, which it read alone (see `movedex targets list`)",
    );
    at.scene.ledger.advance(10n);
    expect((await night(node)).stderr).not.toContain("where the snapshot of");
    const argv = ["sync", "--rpc", node.url, "--db", at.place.file("a.db"), "--rate", "0", ...everyone()];
    expect((await runCli(argv, { clock })).stdout).toMatch(
      /^the accounts of `.*targets\.csv` were read in this run alone; `movedex targets import .*` keeps them for every run$/m,
    );
  });

  test("accounts that hold nothing are counted, and the first snapshot does not say that nothing changed", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const unknown = ["0xd0", "0xd1", "0xd2"].flatMap((address) => ["--account", address]);
    const argv = ["sync", "--rpc", node.url, "--db", at.place.file("a.db"), "--rate", "0", ...everyone(), ...unknown];
    const { stdout } = await runCli(argv, { clock });
    expect(stdout).toContain(`${COUNT + 4} accounts, ${3 * COUNT} modules; the first snapshot, so all of them are new`);
    // 0xdead of the targets, and the three.
    expect(stdout).toContain(
      "4 accounts without modules or a record, at two requests each: `movedex targets remove` takes them off the list",
    );
    at.scene.ledger.advance(10n);
    const again = await night(node, ...everyone());
    expect(again.json()).toMatchObject({ empty_accounts: 1, changed_modules: 0 });
  });
});
