import { describe, expect, test } from "vitest";
import { type Fault, faults, startSimNode } from "../../../sim/index.ts";
import { type CliResult, COUNT, ended, listings, ManualClock, quickArchive, runCli, useNights } from "../../support/index.ts";

const at = useNights();
const DAY = 86_400_000;

/** A night that sealed, and one a day later that failed, since the node met a fault at its version alone; the next is a day later again. */
async function afterStuck(fault: Fault) {
  const { ledger, addresses } = at.scene;
  const clock = new ManualClock({ skipSleeps: true });
  const db = await quickArchive(at.place.file("a.db"));
  const night = (node: { readonly url: string }, words: readonly string[] = []): Promise<CliResult> =>
    runCli(["night", "--db", db, "--rpc", node.url, "--slices", "0", ...words], { clock });
  const nextDay = async (): Promise<bigint> => {
    await clock.advance(DAY);
    const head = ledger.info().head + 1000n;
    ledger.advanceTo(head);
    return head;
  };
  await using whole = await startSimNode({ ledger });
  await ended(runCli(["targets", "add", "--db", db, ...addresses.slice(0, COUNT)], { clock }));
  await ended(night(whole));
  const stuck = await nextDay();
  const isStuck: Parameters<typeof at.nodeWith>[0] = [
    { fault, match: (request) => listings(request) && request.target.includes(`ledger_version=${stuck}`) },
  ];
  const failing = await at.nodeWith(isStuck);
  await ended(night(failing), 1);
  return { night, nextDay, stuck, failing, own: await nextDay() };
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
    await using whole = await startSimNode({ ledger: at.scene.ledger });
    await ended(night(whole));
    expect(at.rows("a.db", "SELECT count(*) FROM _all_snapshots WHERE status <> 'sealed'")).toEqual([[0]]);
  });

  test("makes a night fail whose requests it takes, so that none is left for the night's own", async () => {
    const { night, failing } = await afterStuck(faults.emptyListing());
    await using node = failing;
    const { stdout } = await ended(night(node, ["--max-requests", "16"]), 1);
    expect(stdout.match(/lists no module/g)).toHaveLength(1);
    expect(stdout).toMatch(/^night: not sealed after .*, 0 of 1 account read, the node failed .*lists no module at/);
  });
});
