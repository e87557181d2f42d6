import { expect, test } from "vitest";
import { startSimNode } from "../../../../sim/index.ts";
import { eachPostgres } from "../../../engine/support/postgres-databases.ts";
import { ended, ManualClock, runCli, temporaryDirectory } from "../../../support/index.ts";
import { mirror } from "../support/mirror.ts";
import { type Question, questionsTo } from "../support/questions.ts";
import { type Ask, askDatabase, crawl, type Settings } from "../support/served-archive.ts";
import { variedLedger } from "../support/varied-ledger.ts";

/** All that a client sees of an answer, but for the time and the connection. */
async function seen(ask: Ask, { target, headers }: Question) {
  const { status, headers: got, body } = await ask(target, { headers });
  const { date: _, connection: __, "keep-alive": ___, ...kept } = got;
  return { target, status, headers: kept, body: body.toString("latin1") };
}

/** Expects the same answers of a file and a server. @returns how many questions have an answer */
async function answeredAlike(file: string, server: string, questions: Iterable<Question>, settings: Settings = {}): Promise<number> {
  await using onFile = await askDatabase(file, settings);
  await using onServer = await askDatabase(server, settings);
  let found = 0;
  for (const question of questions) {
    const [ours, theirs] = [await seen(onFile.ask, question), await seen(onServer.ask, question)];
    expect(theirs).toEqual(ours);
    if (ours.status === 200) found += 1;
  }
  return found;
}

eachPostgres("an archive", (open) => {
  const file = temporaryDirectory().file("archive.db");

  test("gives the same answers from a file and a server, whatever is asked and whichever versions between are answered", async () => {
    const [at, scene] = [await open(), variedLedger()];
    await using node = await startSimNode({ ledger: scene.ledger });
    while (scene.next() !== undefined) await crawl(file, node.url, scene.accounts);
    const trace = ["trace", "--rpc", node.url, "--db", file, "--rate", "0"];
    await ended(runCli(trace, { clock: new ManualClock({ skipSleeps: true }) }));
    await mirror(file, at.url());
    for (const between of ["exact", "stable"] as const) {
      const settings: Settings = { between, clock: { now: () => 5_000_000, monotonic: () => 0, sleep: async () => undefined } };
      const questions = [...questionsTo(scene, [499, 500, 501, 700, 1400])];
      expect(await answeredAlike(file, at.url(), questions, settings)).toBeGreaterThan(80);
    }
  });
});
