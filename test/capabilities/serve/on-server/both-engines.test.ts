import { afterAll, beforeAll, expect, test } from "vitest";
import { type SimNode, startSimNode } from "../../../../sim/index.ts";
import { eachPostgres, type TestDatabase } from "../../../engine/support/postgres-databases.ts";
import { ended, ManualClock, runCli, temporaryDirectory } from "../../../support/index.ts";
import { mirror } from "../support/mirror.ts";
import { questionsTo } from "../support/questions.ts";
import { type Ask, askDatabase, crawl, type Settings } from "../support/served-archive.ts";
import { variedLedger } from "../support/varied-ledger.ts";

/** All that a client sees of an answer, but for the time and the connection. */
async function seen(ask: Ask, { target, headers }: { readonly target: string; readonly headers: Record<string, string> }) {
  const { status, headers: got, body } = await ask(target, { headers });
  const { date: _, connection: __, "keep-alive": ___, ...kept } = got;
  return { target, status, headers: kept, body: body.toString("latin1") };
}

eachPostgres("an archive", (open) => {
  const place = temporaryDirectory();
  const file = place.file("archive.db");
  let at: TestDatabase;
  let node: SimNode;
  const scene = variedLedger();

  beforeAll(async () => {
    at = await open();
    node = await startSimNode({ ledger: scene.ledger });
    const clock = new ManualClock({ skipSleeps: true });
    for (let version = scene.next(); version !== undefined; version = scene.next()) {
      await crawl(file, node.url, scene.accounts);
    }
    await ended(runCli(["trace", "--rpc", node.url, "--db", file, "--rate", "0"], { clock }));
    await mirror(file, at.url());
  });
  afterAll(() => node.close());

  test.each(["exact", "stable"] as const)("gives the same answers from a file and a server, whatever is asked: %s", async (between) => {
    const settings: Settings = { between, clock: { now: () => 5_000_000, monotonic: () => 0, sleep: async () => undefined } };
    await using onFile = await askDatabase(file, settings);
    await using onServer = await askDatabase(at.url(), settings);
    let [asked, found] = [0, 0];
    for (const question of questionsTo(scene, [499, 500, 501, 700, 1400])) {
      const [ours, theirs] = [await seen(onFile.ask, question), await seen(onServer.ask, question)];
      expect(theirs).toEqual(ours);
      asked += 1;
      if (ours.status === 200) found += 1;
    }
    expect([asked, found].map((count) => count > 80)).toEqual([true, true]);
  });
});
